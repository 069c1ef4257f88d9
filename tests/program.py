"""The whole program in its window, as a test drives it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from PySide6.QtWidgets import QApplication

from desktop_app.ui.shell.app import Program


@contextmanager
def opened(qapp: QApplication, **hardware: Any) -> Iterator[Program]:
    """The program with its window shown; what is given stands in for hardware. Afterwards it is closed for good."""
    qapp.setStyle("Fusion")
    made = Program(qapp, **hardware)
    made.window.show()
    yield made
    made.close()
    made.session.entries.clear()
    made.window.close()
    made.window.connections.close()  # answers of other threads may still be on their way
    made.window.deleteLater()
