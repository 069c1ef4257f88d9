"""The text that the guard has removed, each place to hear and to bring back."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QLabel, QPushButton, QWidget

from desktop_app.app.presentation import wording
from desktop_app.texts import _, ngettext
from desktop_app.transcript.model import GuardReport
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, add, column, row
from desktop_app.ui.widgets.screen_reader import named
from desktop_app.ui.widgets.sheet import ScrollArea, quiet
from desktop_app.ui.widgets.theme import S2, S3, S4, S5

_SHOWN = 60  # places at a time: the next ones come up as these are brought back
_LONGEST = 120  # characters of a text that is shown: a repetition has no end
_WIDTH, _HEIGHT, _ROW = 640, 180, 52  # pixels


class RemovedDialog(QDialog):
    """Attributes: rows (the places that are shown); done_button."""

    def __init__(
        self,
        reports: Sequence[GuardReport],
        play: Callable[[GuardReport], object],
        bring_back: Callable[[GuardReport], object],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(_("Removed text – Galley"))
        count = min(len(reports), _SHOWN)
        room = parent.height() - 2 * S5
        self.resize(min(_WIDTH, parent.width() - 2 * S5), min(_HEIGHT + _ROW * count, room, 600))
        self.rows = [RemovedRow(play, bring_back) for _number in range(count)]
        self._more = quiet()
        scroll = ScrollArea()
        scroll.setWidget(inside := QWidget())
        inside.setObjectName("page")
        column(*self.rows, self._more, STRETCH, inside=inside, spacing=S3, margins=(0, 0, S3, 0))
        self.done_button = button(_("Close"), "plain", self.accept)
        self.done_button.setDefault(True)
        column(
            label(_("Removed text"), "heading"),
            quiet(_("Whisper invents text where nobody speaks, and repeats itself. Bring back what was said.")),
            S2, (scroll, 1), S4 - S2, row(STRETCH, self.done_button),
            inside=self, spacing=S2, margins=(S5, S5, S5, S5),
        )  # fmt: skip
        self.show_reports(reports)

    def show_reports(self, reports: Sequence[GuardReport]) -> None:
        """Show what is still removed; when nothing is, there is nothing more to do."""
        if not reports:
            self.accept()
        for number, each in enumerate(self.rows):
            each.show_report(reports[number] if number < len(reports) else None)
        left = len(reports) - len(self.rows)
        self._more.setText(ngettext("and {n} more", "and {n} more", left) if left > 0 else "")


class RemovedRow(QWidget):
    """One place. Attributes: text; play, back (its buttons)."""

    def __init__(self, play: Callable[[GuardReport], object], bring_back: Callable[[GuardReport], object]) -> None:
        super().__init__()
        self._report: GuardReport | None = None
        self._time = label("", "quiet")
        self._time.setMinimumWidth(92)
        self.text = QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText)
        self.play, self.back = button(_("Play"), "link"), button(_("Bring back"), "plain")
        self._connect(self.play, play)
        self._connect(self.back, bring_back)
        middle = Qt.AlignmentFlag.AlignVCenter
        box = row((self._time, middle), (self.text, 1), inside=self, spacing=S3)
        add(box, (self.play, middle), (self.back, middle))

    def _connect(self, made: QPushButton, then: Callable[[GuardReport], object]) -> None:
        made.clicked.connect(lambda: then(self._report) if self._report is not None else None)

    def show_report(self, report: GuardReport | None) -> None:
        """Show a place; None for nothing."""
        self._report = report
        self.setVisible(report is not None)
        if report is not None:
            text = report.text if len(report.text) <= _LONGEST else f"{report.text[: _LONGEST - 1]}…"
            self._time.setText(wording.stretch(report.start, report.end))
            self.text.setText(text)
            self.play.setAccessibleName(named(_("Play"), text))
            self.back.setAccessibleName(named(_("Bring back"), text))
