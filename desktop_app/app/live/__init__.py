"""Recording and transcribing live."""
