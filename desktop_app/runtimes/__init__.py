"""Models made runnable: one file a runtime."""
