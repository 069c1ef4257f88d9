"""Recordings as files of other formats: what is chosen, how it will look, and where it goes."""
