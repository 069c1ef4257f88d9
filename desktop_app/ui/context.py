"""What the controllers of one window share."""

from __future__ import annotations

from dataclasses import dataclass

from desktop_app.app.core import DesktopCore
from desktop_app.ui.current import Current
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.theme import Theme


@dataclass(frozen=True)
class Context:
    """Attributes: core (the application, which outlives the window); theme; actions (the window's); current (the
    recording that it shows)."""

    core: DesktopCore
    theme: Theme
    actions: Actions
    current: Current
