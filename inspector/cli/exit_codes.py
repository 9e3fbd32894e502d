"""What a command's exit code says. Scripts rely on these."""

FINE = 0
FOUND = 1
"""It worked, and found something: a run that failed, a file that changed."""
COULD_NOT = 2
INTERRUPTED = 130
"""What shells expect of a program that was stopped from the keyboard."""
