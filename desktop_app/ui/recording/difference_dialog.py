"""The places where another text of a recording has other words, each to accept or to refuse."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QWidget

from desktop_app.app.editing.recheck import RECHECK, Checks
from desktop_app.app.presentation.wording import clock
from desktop_app.texts import _, ngettext
from desktop_app.transcript.difference import Change
from desktop_app.ui.recording.check_words import check_words
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, add, column, row
from desktop_app.ui.widgets.screen_reader import named
from desktop_app.ui.widgets.sheet import ScrollArea, quiet
from desktop_app.ui.widgets.theme import S2, S3, S4, S5, Palette, Theme

_SHOWN = 12  # places at a time: the next ones come up as these are decided
_WIDTH, _HEIGHT = 700, 200
_ROW = 64  # pixels, about


class DifferenceDialog(QDialog):
    """The text is struck through, and what would stand there follows. Closing the dialog decides nothing.

    Attributes: rows (the places that are shown); accept_all, refuse_all, done_button.
    """

    def __init__(self, theme: Theme, checks: Checks, key: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._checks, self._key = checks, key
        check = checks.running[key]
        is_live = check.kind == RECHECK and not check.reworded
        self.setWindowTitle(_("Re-check – Galley") if check.kind == RECHECK else _("Compare – Galley"))
        count = min(len(check.changes), _SHOWN)
        room = parent.height() - 2 * S5
        self.resize(min(_WIDTH, parent.width() - 2 * S5), min(_HEIGHT + _ROW * count, room, 600))
        struck = _("Live text is struck through; the correction follows.")
        about = quiet(struck if is_live else _("Your text is struck through; the new text follows."))
        self._heading, self._more = label("", "heading"), quiet()
        self.rows = [
            ChangeRow(theme.palette, partial(self._decide, checks.accept_changes), partial(self._decide, checks.refuse))
            for _number in range(max(count, 1))
        ]
        self._scroll = ScrollArea()
        self._scroll.setWidget(inside := QWidget())
        inside.setObjectName("page")
        column(*self.rows, self._more, STRETCH, inside=inside, spacing=S3, margins=(0, 0, S3, 0))
        self.refuse_all = button(_("Keep live text") if is_live else _("Keep my text"), "plain", self._refuse_all)
        self.accept_all = button(_("Apply all"), "primary", self._accept_all)
        self.done_button = button(_("Close"), "plain", self.reject)
        foot = row(self.done_button, STRETCH, self.refuse_all, self.accept_all, spacing=S2)
        column(
            self._heading, about, S2, (self._scroll, 1), S4 - S2, foot,
            inside=self, spacing=S2, margins=(S5, S5, S5, S5),
        )  # fmt: skip
        checks.changed.connect(self._follow)
        self.finished.connect(lambda: checks.changed.disconnect(self._follow))
        self._show()

    def _follow(self, key: str) -> None:
        if key == self._key:
            self._show()

    def _show(self) -> None:
        """The places that are open; when none is left, there is nothing more to do."""
        check = self._checks.running.get(self._key)
        if check is None or not check.changes:
            self.accept()
            return
        self._heading.setText(check_words(check))
        for number, each in enumerate(self.rows):
            each.show_change(check.changes[number] if number < len(check.changes) else None)
        left = len(check.changes) - len(self.rows)
        self._more.setText(ngettext("and {n} more change", "and {n} more changes", left) if left > 0 else "")

    def _decide(self, decide: Callable[[str, list[Change]], object], change: Change) -> None:
        decide(self._key, [change])

    def _accept_all(self) -> None:
        self._checks.accept(self._key)

    def _refuse_all(self) -> None:
        self._checks.forget(self._key)


class ChangeRow(QWidget):
    """One place. Attributes: text; accept, refuse (its buttons)."""

    def __init__(self, colors: Palette, accept: Callable[[Change], object], refuse: Callable[[Change], object]) -> None:
        super().__init__()
        self._colors = colors
        self._change: Change | None = None
        self._time = label("", "quiet")
        self._time.setMinimumWidth(44)
        self.text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.RichText)
        self.text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.accept = button(_("Apply"), "plain", lambda: self._give(accept))
        self.refuse = button(_("Keep"), "link", lambda: self._give(refuse))
        middle = Qt.AlignmentFlag.AlignVCenter
        box = row((self._time, middle), (self.text, 1), inside=self, spacing=S3)
        add(box, (self.accept, middle), (self.refuse, middle))

    def show_change(self, change: Change | None) -> None:
        """Show a place; None for nothing."""
        self._change = change
        self.setVisible(change is not None)
        if change is not None:
            self._time.setText(clock(change.start))
            self.text.setText(as_html(change, self._colors))
            spoken = _("{before} becomes {after}", before=change.before or "–", after=change.after or "–")
            self.text.setAccessibleName(named(clock(change.start), spoken))
            self.accept.setAccessibleName(named(_("Apply"), spoken))
            self.refuse.setAccessibleName(named(_("Keep"), spoken))

    def _give(self, then: Callable[[Change], object]) -> None:
        if self._change is not None:
            then(self._change)


def as_html(change: Change, colors: Palette) -> str:
    """A change with the words around it."""
    gone = f'<s style="color:{colors.bad}">{escape(change.before)}</s> ' if change.before else ""
    new = f'<b style="color:{colors.good}">{escape(change.after)}</b> ' if change.after else ""
    return (
        f'<span style="font-family:Literata; font-size:16px"><span style="color:{colors.muted}">'
        f"{escape(change.lead)} </span>{gone}{new}"
        f'<span style="color:{colors.muted}">{escape(change.trail)}</span></span>'
    )
