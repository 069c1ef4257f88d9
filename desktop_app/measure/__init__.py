"""The benchmarks that a user can run: `galley bench NAME`, a module each.

A module has `add_arguments(parser)` and `run(arguments) -> int`, the exit status.
"""
