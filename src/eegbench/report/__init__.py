"""Results as tables, figures and one HTML page; no signal, no agent."""
