"""Galley: private transcription on a laptop, by speculative decoding that proves every word."""

__version__ = "0.1.0"
