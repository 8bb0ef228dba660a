"""How each kind of failure case is checked; names no case."""
