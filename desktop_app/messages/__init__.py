"""What processes say to each other: frozen dataclasses, and nothing that runs a model or shows a window."""
