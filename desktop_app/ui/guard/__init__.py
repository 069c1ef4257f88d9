"""What the guard of a transcript reports in the window: removed text, and speech without text."""
