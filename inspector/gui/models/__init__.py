"""Qt item models: each an adapter on one value, deciding and formatting nothing."""
