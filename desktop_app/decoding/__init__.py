"""Whisper's rules, draft-and-verify, look-ahead and windows, in numpy alone."""
