"""Stands in for SciPy in the frozen program, with the one function that Galley calls."""
