"""How loud it plays: a button that opens a slider over itself."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSlider, QWidget

from desktop_app.app.presentation.wording import percent
from desktop_app.texts import _
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import icon_button
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import column, row
from desktop_app.ui.widgets.screen_reader import named
from desktop_app.ui.widgets.theme import S1, S2, S3, Theme

_STEP = 5  # of 100


class VolumeButton(QWidget):
    """Attributes: button; slider (in the popover that it opens), 0 to 100. Signals: chosen(volume, 0 to 1)."""

    chosen = Signal(float)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.button: QPushButton = icon_button(_("Volume"), self.open)
        column(self.button, inside=self)
        self._popover = _Popover(self)
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(_("Volume"))
        self.slider.setRange(0, 100)
        self.slider.setValue(100)
        self.slider.setSingleStep(_STEP)
        self.slider.setPageStep(2 * _STEP)
        self.slider.setFixedWidth(132)
        self._share = label("", "quiet")
        self._share.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._share.setMinimumWidth(self._share.fontMetrics().horizontalAdvance(percent(1.0)) + S1)
        row(self.slider, self._share, inside=self._popover.ground, spacing=S2, margins=(S3, S2, S3, S2))
        self.slider.valueChanged.connect(self._changed)
        theme.changed.connect(self._show)
        self._show()

    def show_volume(self, volume: float) -> None:
        """Show what is chosen."""
        self.slider.setValue(round(volume * 100))

    def open(self) -> None:
        """Show the slider."""
        self._popover.adjustSize()
        size = self._popover.size()
        self._popover.move(self.mapToGlobal(QPoint(self.width() - size.width(), -size.height() - S1)))
        self._popover.show()
        self.slider.setFocus(Qt.FocusReason.PopupFocusReason)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.slider.setValue(self.slider.value() + (_STEP if event.angleDelta().y() > 0 else -_STEP))
        event.accept()

    def _changed(self, value: int) -> None:
        self._show()
        self.chosen.emit(value / 100)

    def _show(self) -> None:
        share = percent(self.slider.value() / 100)
        self._share.setText(share)
        self.button.setAccessibleName(named(_("Volume"), share))
        self.button.setToolTip(named(_("Volume"), share))
        colors, name = self._theme.palette, "loudspeaker" if self.slider.value() else "muted"
        self.button.setIcon(icons.icon(name, colors.muted, colors.line_strong))


class _Popover(QWidget):
    """Closes at Escape, Enter, and at a click anywhere else. Attributes: ground (what is seen of it)."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup | Qt.WindowType.FramelessWindowHint)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)  # its corners are round
        self.ground = QFrame()
        self.ground.setObjectName("popover")
        column(self.ground, inside=self)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.close()
        else:
            super().keyPressEvent(event)
