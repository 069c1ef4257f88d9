"""The page of a window that has nothing to do yet."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from desktop_app.app.models.model_store import ModelStore
from desktop_app.app.settings.preferences import Preferences
from desktop_app.messages.options import Options
from desktop_app.texts import _
from desktop_app.ui.recording.record_card import RecordCard
from desktop_app.ui.settings.sections import spoken_language, spoken_language_menu
from desktop_app.ui.shell.drop_card import DropCard
from desktop_app.ui.versions.form import OptionsForm
from desktop_app.ui.versions.sheet import OptionsSheet
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.actions import Actions
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, column, row
from desktop_app.ui.widgets.menus import open_under
from desktop_app.ui.widgets.sheet import ScrollArea
from desktop_app.ui.widgets.theme import GUTTER, S1, S2, S3, S4, S5, Theme


class IdlePage(ScrollArea):
    """The drop card, the microphone, which model will write, and the promise. What is asked of the models for the files
    that are dropped or chosen next can be other than the settings say.

    Attributes: card, record; choose, ask, reset, recent, sample (links); sheet (the one that was opened last, or None).
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
        self.sheet: OptionsSheet | None = None
        self._options: Options | None = None  # for the next files, where they are not those of the settings
        self.card = DropCard(theme)
        self.card.clicked.connect(actions["open"].trigger)
        self.record = RecordCard(theme, actions)
        self.record.language_asked.connect(
            lambda: open_under(self.record.language, spoken_language_menu(self, preferences))
        )
        self._model = QLabel()
        self._model_mark = QLabel()
        self.choose = button(_("Models…"), "link", actions["models"].trigger)
        self.ask = button(_("Options…"), "link", self._ask)
        self.ask.setToolTip(_("Options for the next files"))
        self.reset = button(_("Use the settings"), "link", lambda: self._take(None))
        self.reset.hide()
        self.recent = actions.button("recent", "link")
        self.sample = button(_("Try the sample"), "link", self.sample_asked.emit)
        self.sample.setToolTip(_("Transcribe a conversation of about a minute that comes with Galley"))
        self._promise_mark = QLabel()
        self._promise = label(_("Nothing leaves this computer."), "quiet")
        self._lay_out()
        preferences.changed.connect(self.refresh)
        theme.changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        links = (self.choose, self.ask, self.reset, self.recent, self.sample)
        model = row(STRETCH, self._model_mark, self._model, *links, STRETCH, spacing=S2)
        promise = row(STRETCH, self._promise_mark, self._promise, STRETCH, spacing=S2)
        cards = row(STRETCH, (column(self.card, self.record, spacing=S3), 100), STRETCH)
        self.setWidget(page := QWidget())
        page.setObjectName("page")
        column(
            (STRETCH, 5), cards, S5, model, S5, (STRETCH, 6), promise, S1,
            inside=page, margins=(S5 + GUTTER, S4, S5, S4),
        )  # fmt: skip

    def show_first_start(self, is_first: bool) -> None:
        """Whether there is no recording yet: then the sample takes the place of the recent ones."""
        self.sample.setVisible(is_first)
        self.recent.setVisible(not is_first)

    def take_options(self) -> Options | None:
        """What is asked of the models for the files that come now, None for what the settings say, which hold again for
        those after them."""
        options = self._options
        self._take(None)
        return options

    def _ask(self) -> None:
        """Ask for the options in a sheet, which moves nothing on the page."""
        form = OptionsForm(self._theme, self._models, self._preferences)
        form.show_options(self._options or self._preferences.options())
        about = _("For the files that you add next. After them the settings hold again.")
        self.sheet = sheet = OptionsSheet(self.window(), _("Options for the next files"), about, _("Use"), form)
        sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        sheet.accepted.connect(lambda: self._take(form.options()))
        sheet.open()

    def _take(self, options: Options | None) -> None:
        self._options = options
        self.reset.setVisible(options is not None)

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
