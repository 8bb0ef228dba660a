"""Answers as files of the trade: EDF+ annotations, SzCORE, yasa, BIDS derivatives.

Takes judged cases and writes what the agent answered, never the reference.
"""
