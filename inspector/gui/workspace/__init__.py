"""What is open, and what of it is looked at. Knows no widgets."""
