"""From values to what is shown, still without Qt."""
