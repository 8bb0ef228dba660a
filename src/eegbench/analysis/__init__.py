"""Behaviour and errors behind the scores, as tidy tables and print figures."""
