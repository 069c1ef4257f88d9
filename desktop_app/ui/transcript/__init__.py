"""The page of one recording: its text and its figures."""
