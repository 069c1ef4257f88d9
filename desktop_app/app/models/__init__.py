"""The models: which there are, which are used, work on them, and their speed here."""
