"""The sheets that ask how something is to be transcribed."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QWidget

from desktop_app.app.models.model_store import ModelStore
from desktop_app.app.settings.preferences import Preferences
from desktop_app.messages.options import Options
from desktop_app.texts import _
from desktop_app.ui.versions.form import OptionsForm
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.sheet import quiet
from desktop_app.ui.widgets.theme import S2, S4, S5, Theme

_WIDTH = 500


class OptionsSheet(QDialog):
    """Attributes: form; start, cancel (the buttons)."""

    def __init__(self, parent: QWidget, heading: str, about: str, start: str, form: OptionsForm) -> None:
        super().__init__(parent)
        self.setWindowTitle(heading)
        self.setFixedWidth(min(_WIDTH, parent.width() - 2 * S5))
        self.form = form
        self.start = button(start, "primary", self.accept)
        self.cancel = button(_("Cancel"), "plain", self.reject)
        self.start.setDefault(True)
        foot = row(STRETCH, self.cancel, self.start, spacing=S2)
        column(
            quiet(heading, "heading"), quiet(about), S2, form, S4 - S2, foot,
            inside=self, spacing=S2, margins=(S5, S5, S5, S5),
        )  # fmt: skip
        form.model.setFocus()


class TranscribeAgainSheet(OptionsSheet):
    """Asks how a recording is to be transcribed again, or some lines of it."""

    def __init__(
        self,
        theme: Theme,
        models: ModelStore,
        preferences: Preferences,
        options: Options,
        parent: QWidget,
        lines: bool = False,
    ) -> None:
        """`lines`: only some lines are transcribed again."""
        heading = _("Transcribe this part again") if lines else _("Transcribe again")
        about = (
            _("You accept or refuse each change. Speakers stay.")
            if lines
            else _("The text you have stays until the new one is ready, and then among the versions.")
        )
        form = OptionsForm(theme, models, preferences, with_speakers=not lines)
        form.show_options(options)
        super().__init__(parent, heading, about, heading, form)
