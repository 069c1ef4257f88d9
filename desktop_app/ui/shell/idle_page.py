"""The page of a window that has nothing to do yet."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from desktop_app.app.preferences import Preferences
from desktop_app.ui.recording.record_card import RecordCard
from desktop_app.ui.shell.drop_card import DropCard
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, S5, Theme


class IdlePage(QWidget):
    """The drop card, the microphone, which model will write, and the promise.

    Signals: browse_asked(), record_asked(), inputs_asked(), model_asked().
    """

    record_asked = Signal()
    inputs_asked = Signal()
    browse_asked = Signal()
    model_asked = Signal()

    def __init__(self, theme: Theme, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._preferences = theme, preferences
        self.card = DropCard(theme)
        self.card.clicked.connect(lambda: self.browse_asked.emit())
        self.record = RecordCard(theme)
        self.record.clicked.connect(lambda: self.record_asked.emit())
        self.record.inputs_asked.connect(self.inputs_asked)
        self._model = QLabel()
        self._model_mark = QLabel()
        self.choose = button("Models…", "link", self.model_asked.emit)
        self._promise_mark = QLabel()
        self._promise = QLabel("Nothing leaves this computer.")
        self._promise.setProperty("role", "quiet")
        self._lay_out()
        preferences.changed.connect(self.refresh)
        theme.changed.connect(self.refresh)
        self.refresh()

    def _lay_out(self) -> None:
        model = QHBoxLayout()
        model.setSpacing(S2)
        promise = QHBoxLayout()
        promise.setSpacing(S2)
        for row, widgets in (
            (model, (self._model_mark, self._model, self.choose)),
            (promise, (self._promise_mark, self._promise)),
        ):
            row.addStretch(1)
            for widget in widgets:
                row.addWidget(widget)
            row.addStretch(1)
        cards = QVBoxLayout()
        cards.setSpacing(S3)
        cards.addWidget(self.card)
        cards.addWidget(self.record)
        middle = QHBoxLayout()
        middle.addStretch(1)
        middle.addLayout(cards, 100)
        middle.addStretch(1)
        box = QVBoxLayout(self)
        box.setContentsMargins(S5, S4, S5, S4)
        box.setSpacing(0)
        box.addStretch(5)
        box.addLayout(middle)
        box.addSpacing(S5)
        box.addLayout(model)
        box.addSpacing(S1)
        box.addStretch(6)
        box.addLayout(promise)
        box.addSpacing(S1)

    def refresh(self) -> None:
        """Show the model and the microphone of the next recording."""
        self.record.show_source(self._preferences.microphone)
        self._model.setText(self._preferences.models_in_words)
        colors = self._theme.palette
        scale = self.devicePixelRatioF()
        self._model_mark.setPixmap(icons.pixmap("model", colors.muted, 18, scale))
        self._promise_mark.setPixmap(icons.pixmap("lock", colors.muted, 16, scale))
        self.choose.setIconSize(QSize(16, 16))
