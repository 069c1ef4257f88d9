"""What can be chosen of an exported file, at the right of its preview."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDoubleSpinBox, QGridLayout, QSpinBox, QWidget

from desktop_app.app.presentation import wording
from desktop_app.export.document import LIMITS, ExportOptions
from desktop_app.export.formats import CELLS, CUES, FORMATS, NAMES, SOUND, TIMES
from desktop_app.texts import _
from desktop_app.ui.widgets.check_box import CheckBox
from desktop_app.ui.widgets.labels import label
from desktop_app.ui.widgets.layouts import STRETCH, column
from desktop_app.ui.widgets.sheet import quiet
from desktop_app.ui.widgets.theme import S2, Theme

Number = QSpinBox | QDoubleSpinBox


class Choices(QWidget):
    """The controls of a format's options.

    Attributes: times, names, split, sound, raw_cells (check boxes); numbers (of how subtitles are split, by the names
            in `LIMITS`).
    Signals: changed() when the user has chosen something else.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._options, self._cues = ExportOptions(), QWidget()
        self.times = self._box(_("Times"))
        self.names = self._box(_("Speaker names"))
        self.split = self._box(_("Split into short subtitles"))
        self.sound = self._box(_("Include the sound"))
        self._about_sound = quiet()
        self.raw_cells = self._box(_("Allow formulas"))
        self._about_cells = quiet(
            _("Otherwise cells that begin with =, +, - or @ get an apostrophe, so that no spreadsheet computes them.")
        )
        self.numbers: dict[str, Number] = {
            "line_length": self._number(_("Characters in a line"), 1),
            "lines": self._number(_("Lines at once"), 1),
            "shortest": self._number(_("Shown at least (seconds)"), 0.1),
            "longest": self._number(_("Shown at most (seconds)"), 0.5),
            "speed": self._number(_("Characters a second"), 1.0),
        }
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setVerticalSpacing(S2)
        grid.setHorizontalSpacing(S2)
        grid.setColumnStretch(0, 1)
        for place, (name, number) in enumerate(self.numbers.items()):
            low, high = LIMITS[name]
            number.setRange(int(low), int(high)) if isinstance(number, QSpinBox) else number.setRange(low, high)
            name_of = label(number.accessibleName(), "plain")
            name_of.setWordWrap(True)
            grid.addWidget(name_of, place, 0)
            grid.addWidget(number, place, 1)
        self._cues.setLayout(grid)
        self._nothing = quiet(_("This format always holds everything."))
        column(
            self.times, self.names, self.split, self._cues, self.sound, self._about_sound, self.raw_cells,
            self._about_cells, self._nothing, STRETCH, inside=self, spacing=S2 + 2,
        )  # fmt: skip

    def _box(self, text: str) -> CheckBox:
        made = CheckBox(self._theme, text)
        made.toggled.connect(lambda checked: self._change())
        return made

    def _number(self, name: str, step: float) -> Number:
        made: Number
        if isinstance(step, int):
            made = QSpinBox(singleStep=step)
        else:
            made = QDoubleSpinBox(singleStep=step, decimals=0 if step == 1.0 else 1)
        made.setAccessibleName(name)
        made.setAlignment(Qt.AlignmentFlag.AlignRight)
        made.setMinimumWidth(84)
        made.valueChanged.connect(lambda value: self._change())
        return made

    def _change(self) -> None:
        self._cues.setEnabled(self.split.isChecked())
        self.changed.emit()

    @property
    def options(self) -> ExportOptions:
        """What is chosen."""
        given = {name: number.value() for name, number in self.numbers.items()}
        return replace(
            self._options,
            times=self.times.isChecked(),
            names=self.names.isChecked(),
            split=self.split.isChecked(),
            sound=self.sound.isChecked(),
            raw_cells=self.raw_cells.isChecked(),
            **given,  # type: ignore[arg-type]
        )

    def show_options(self, form: str, options: ExportOptions, sound_bytes: float) -> None:
        """Show what is chosen of a format, without a signal. With its sound a page has about so many bytes more."""
        self._options = options
        found = FORMATS[form]
        times = found.times if options.times is None else options.times
        before = self.blockSignals(True)
        for box, on in (
            (self.times, times), (self.names, options.names), (self.split, options.split), (self.sound, options.sound),
            (self.raw_cells, options.raw_cells),
        ):  # fmt: skip
            box.setChecked(on)
        for name, number in self.numbers.items():
            number.setValue(getattr(options, name))
        self.blockSignals(before)
        self._cues.setEnabled(options.split)
        self._about_sound.setText(
            _("The page then plays everywhere, and has about {size} more.", size=wording.size(round(sound_bytes)))
        )
        shown: dict[str, Callable[[bool], object]] = {TIMES: self.times.setVisible, NAMES: self.names.setVisible}
        for choice, show in shown.items():
            show(choice in found.choices)
        for control in (self.split, self._cues):
            control.setVisible(CUES in found.choices)
        for control in (self.sound, self._about_sound):
            control.setVisible(SOUND in found.choices)
        for control in (self.raw_cells, self._about_cells):
            control.setVisible(CELLS in found.choices)
        self._nothing.setVisible(not found.choices)
