"""Whose a file is, who may read it, and what has left this machine."""
