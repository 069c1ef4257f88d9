"""What the user has chosen, kept in the settings file."""
