"""Live recording, and the check of its text afterwards."""
