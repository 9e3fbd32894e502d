"""Recorded runs, run again: answered from the file, and held against it."""
