"""The page of a window that has nothing to do yet."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QLabel, QWidget

from desktop_app.app.models.model_store import ModelStore
from desktop_app.app.settings.preferences import Preferences
from desktop_app.messages.options import Options
from desktop_app.texts import _
from desktop_app.ui.recording.record_card import RecordCard
from desktop_app.ui.settings.sections import spoken_language, spoken_language_menu
from desktop_app.ui.shell.drop_card import DropCard
from desktop_app.ui.versions.form import OptionsForm
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.menus import open_under
from desktop_app.ui.widgets.sheet import ScrollArea, card
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, S5, Theme

_WIDTH = 560


class IdlePage(ScrollArea):
    """The drop card, the microphone, which model will write, and the promise. Unfolded, what is asked of the models for
    the files that are dropped or chosen next; folded, the settings hold.

    Attributes: card, record; choose, fold, recent, sample (links); form (None until it was unfolded).
    Signals: sample_asked() when the recording that comes with Galley is to be transcribed.
    """

    sample_asked = Signal()

    def __init__(
        self,
        theme: Theme,
        actions: Actions,
        preferences: Preferences,
        models: ModelStore,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme, self._preferences, self._models = theme, preferences, models
        self.form: OptionsForm | None = None
        self.card = DropCard(theme)
        self.card.clicked.connect(actions["open"].trigger)
        self.record = RecordCard(theme, actions)
        self.record.language_asked.connect(
            lambda: open_under(self.record.language, spoken_language_menu(self, preferences))
        )
        self._model = QLabel()
        self._model_mark = QLabel()
        self.choose = button(_("Models…"), "link", actions["models"].trigger)
        self.fold = button(_("Options for these files…"), "link", self._toggle)
        self.recent = actions.button("recent", "link")
        self.sample = button(_("Try the sample"), "link", self.sample_asked.emit)
        self.sample.setToolTip(_("Transcribe a conversation of about a minute that comes with Galley"))
        self._ground = card()
        self._ground.setMaximumWidth(_WIDTH)
        self._ground.hide()
        self._promise_mark = QLabel()
        self._promise = label(_("Nothing leaves this computer."), "quiet")
        self._lay_out()
        preferences.changed.connect(self.refresh)
        theme.changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        model = row(
            STRETCH, self._model_mark, self._model, self.choose, self.fold, self.recent, self.sample, STRETCH,
            spacing=S2,
        )  # fmt: skip
        form = row(STRETCH, (self._ground, 100), STRETCH)
        promise = row(STRETCH, self._promise_mark, self._promise, STRETCH, spacing=S2)
        cards = row(STRETCH, (column(self.card, self.record, spacing=S3), 100), STRETCH)
        self.setWidget(page := QWidget())
        page.setObjectName("page")
        column(
            (STRETCH, 5), cards, S5, model, S1, form, S4, (STRETCH, 6), promise, S1,
            inside=page, margins=(S5, S4, S5, S4),
        )  # fmt: skip

    def show_first_start(self, is_first: bool) -> None:
        """Whether there is no recording yet: then the sample takes the place of the recent ones."""
        self.sample.setVisible(is_first)
        self.recent.setVisible(not is_first)

    def take_options(self) -> Options | None:
        """What is asked of the models for the files that come now, None for what the settings say; it is folded up
        then."""
        if not self._ground.isVisibleTo(self) or self.form is None:
            return None
        self._toggle()
        return self.form.options()

    def _toggle(self) -> None:
        """Fold up or unfold; what is unfolded begins with what the settings say."""
        unfolds = not self._ground.isVisibleTo(self)
        if unfolds and self.form is None:
            self.form = OptionsForm(self._theme, self._models, self._preferences)
            column(self.form, inside=self._ground, margins=(S4, S4, S4, S4))
        if unfolds and self.form is not None:
            self.form.show_options(self._preferences.options())
        self._ground.setVisible(unfolds)
        self.fold.setText(_("Use the settings") if unfolds else _("Options for these files…"))

    def refresh(self) -> None:
        """Show the model and the microphone of the next recording."""
        self.record.show_source(self._preferences.microphone)
        self.record.show_language(spoken_language(self._preferences))
        self._model.setText(self._preferences.models_in_words)
        colors = self._theme.palette
        scale = self.devicePixelRatioF()
        self._model_mark.setPixmap(icons.pixmap("model", colors.muted, 18, scale))
        self._promise_mark.setPixmap(icons.pixmap("lock", colors.muted, 16, scale))
        self.choose.setIconSize(QSize(16, 16))
