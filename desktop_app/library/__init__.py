"""Recordings and their transcripts on disk."""
