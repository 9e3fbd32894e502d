"""What happens when. Draws nothing."""
