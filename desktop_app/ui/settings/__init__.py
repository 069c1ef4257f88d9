"""What the user has chosen, and where."""
