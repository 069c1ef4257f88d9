"""Playing a recording."""
