"""What a run is: a value, read once and shared."""
