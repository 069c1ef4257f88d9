"""Galley: private transcription on a laptop, by speculative decoding that proves every word."""

NAME = "Galley"
__version__ = "0.1.0"
