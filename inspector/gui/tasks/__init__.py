"""The one door to threads."""
