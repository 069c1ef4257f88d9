"""What every Whisper model expects of its audio."""

SAMPLE_RATE = 16_000
"""Samples a second of all audio that is decoded, recorded or listened to for speech, mono."""

WINDOW_SECONDS = 30
"""Length of the window that the encoder takes."""
