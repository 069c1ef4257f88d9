"""Sound in: files of any container, and the log-mel features that Whisper reads."""
