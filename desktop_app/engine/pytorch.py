"""Whether this Galley can train, which takes PyTorch. Nothing of it is imported: the window's process asks."""

from __future__ import annotations

from desktop_app.addons import cuda


def is_here() -> bool:
    """Whether PyTorch can be imported. Looks at files."""
    return cuda.is_here()


def is_offered() -> bool:
    """Whether it can be added: this is the installed program, and not one that runs from source."""
    return cuda.is_offered()
