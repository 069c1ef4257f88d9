"""The whole program in its window, as a test drives it."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtWidgets import QApplication

from desktop_app.ui.shell.app import Program


@contextmanager
def opened(qapp: QApplication) -> Iterator[Program]:
    """The program with its window shown; afterwards it is closed and its widgets are let go."""
    qapp.setStyle("Fusion")
    made = Program(qapp)
    made.window.show()
    yield made
    made.close()
    made.session.entries.clear()
    made.window.close()
    made.window.deleteLater()
