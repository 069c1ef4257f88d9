"""The places where a re-check of the whole recording gives other words than the text."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QFrame, QTextBrowser, QWidget

from desktop_app.app.wording import clock
from desktop_app.texts import _, ngettext
from desktop_app.transcript.difference import Change
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.sheet import quiet
from desktop_app.ui.widgets.theme import S2, S4, S5, Palette, Theme

_MOST = 500  # places that are listed
_HEIGHT = 280


class DifferenceDialog(QDialog):
    """The text is struck through, and the correction follows. It is `reworded` where a reader has changed it.

    Attributes: kept (whether the user has said that the text stays; closing the dialog says nothing).
    """

    def __init__(
        self, theme: Theme, changes: Sequence[Change], heading: str, parent: QWidget, reworded: bool = False
    ) -> None:
        super().__init__(parent)
        self.kept = False
        self.setWindowTitle(_("Re-check – Galley"))
        self.resize(min(640, parent.width() - 2 * S5), min(_HEIGHT + 24 * len(changes), parent.height() - 2 * S5, 560))
        self.text = QTextBrowser(openLinks=False)
        self.text.setAccessibleName(_("Changes"))
        self.text.setCursorWidth(0)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.document().setDocumentMargin(0)
        self.text.setHtml(as_html(changes, theme.palette))
        self.text.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        struck = _("Your text is struck through; the new text follows.")
        about = quiet(struck if reworded else _("Live text is struck through; the correction follows."))
        self.keep = button(_("Keep my text") if reworded else _("Keep live text"), "plain", self._keep)
        self.accept_button = button(_("Apply changes"), "primary", self.accept)
        foot = row(STRETCH, self.keep, self.accept_button, spacing=S2)
        column(
            label(heading, "heading"), about, S2, (self.text, 1), S4 - S2, foot,
            inside=self, spacing=S2, margins=(S5, S5, S5, S5),
        )  # fmt: skip

    def _keep(self) -> None:
        self.kept = True
        self.reject()


def as_html(changes: Sequence[Change], colors: Palette) -> str:
    """A line for each change, with its time and the words around it."""
    lines = []
    for change in changes[:_MOST]:
        gone = f'<s style="color:{colors.bad}">{escape(change.before)}</s> ' if change.before else ""
        new = f'<b style="color:{colors.good}">{escape(change.after)}</b> ' if change.after else ""
        lines.append(
            f'<tr><td style="color:{colors.muted}; padding-right:16px; padding-top:3px" align="right">'
            f"{clock(change.start)}</td>"
            f'<td style="font-family:Literata; font-size:16px; padding-bottom:12px">'
            f'<span style="color:{colors.muted}">{escape(change.lead)} </span>{gone}{new}'
            f'<span style="color:{colors.muted}">{escape(change.trail)}</span></td></tr>'
        )
    if len(changes) > _MOST:
        more = ngettext("and {n} more change", "and {n} more changes", len(changes) - _MOST)
        lines.append(f"<tr><td></td><td>{more}</td></tr>")
    return f'<table cellspacing="0" cellpadding="0">{"".join(lines)}</table>'
