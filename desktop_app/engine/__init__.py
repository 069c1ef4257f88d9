"""The engine: a process of its own, its messages and its supervisor."""
