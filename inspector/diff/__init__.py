"""Two runs, compared: what each decided, where they part, and what followed from it."""
