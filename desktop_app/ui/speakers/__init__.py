"""Who speaks when, and what the user corrects about it."""
