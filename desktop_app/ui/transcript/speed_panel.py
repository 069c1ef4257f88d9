"""The right side: how fast it goes and what does it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from desktop_app.app.entry import RECORDING, Entry
from desktop_app.app.wording import percent
from desktop_app.transcript.model import Models
from desktop_app.transcript.statistics import Statistics
from desktop_app.ui.transcript.figures import NONE, panel_figures
from desktop_app.ui.transcript.live_figures import LiveFigures
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.labels import label, show_value
from desktop_app.ui.widgets.meters import Bar, ShareBar
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, S5, Theme
from desktop_app.ui.widgets.tips import wrapped

WIDTH = 252
_PARTS = (
    ("encoder", "Encoder", "Listening: the sound of each half minute is turned into what the models can read."),
    ("drafting", "Draft", "The small model writing ahead."),
    ("target", "Target", "The large model reading the draft and writing where it knows better."),
)


class SpeedPanel(QScrollArea):
    """The figures of the recording that is looked at. Attributes: values (the labels, by name, for tests)."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("panel")
        self.setFixedWidth(WIDTH)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.values: dict[str, QLabel] = {}
        self._names: dict[str, str] = {}
        self.meter = Bar(theme, "Draft accepted")
        self.bar = ShareBar(theme)
        self._dots: dict[str, QLabel] = {}
        inner = QWidget()
        inner.setObjectName("panelInner")
        box = QVBoxLayout(inner)
        box.setContentsMargins(S4 + S1, S5, S4 + S1, S4)
        box.setSpacing(0)
        self.live = LiveFigures()
        box.addWidget(self.live)
        box.addWidget(label("SPEED", "section"))
        box.addSpacing(S4)
        self._add_acceptance(box)
        box.addSpacing(S5)
        self._add_pair(box)
        box.addSpacing(S5)
        self._add_shares(box)
        box.addSpacing(S5)
        line = QFrame()
        line.setObjectName("rule")
        line.setFixedHeight(1)
        box.addWidget(line)
        box.addSpacing(S4)
        self._add_models(box)
        box.addStretch(1)
        box.addSpacing(S5)
        promise = label("Every word is the target's own. The draft only saves time.", "quiet")
        promise.setWordWrap(True)
        box.addWidget(promise)
        self.setWidget(inner)
        theme.changed.connect(self._retint)
        self._retint()
        self.show_figures(Statistics(), None)

    def _value(self, name: str, spoken: str, role: str, tip: str) -> QLabel:
        made = label(NONE, role, tip)
        self.values[name], self._names[name] = made, spoken
        return made

    def _add_acceptance(self, box: QVBoxLayout) -> None:
        tip = "Of the draft's words that the large model looked at, how many it kept. The rest it wrote itself."
        box.addWidget(self._value("acceptance", "Draft accepted", "figure", tip))
        box.addWidget(label("of the draft was right", "quiet", tip))
        box.addSpacing(S3)
        self.meter.setToolTip(wrapped(tip))
        box.addWidget(self.meter)

    def _add_pair(self, box: QVBoxLayout) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(S4)
        grid.setVerticalSpacing(1)
        for column, (name, spoken, words, tip) in enumerate(
            (
                (
                    "per_pass",
                    "Tokens per target pass",
                    "tokens a pass",
                    "Pieces of words for each time the large model was run. Without a draft it is one at most.",
                ),
                (
                    "real_time",
                    "Times real time",
                    "real time",
                    "Seconds of sound transcribed in each second of waiting.",
                ),
            )
        ):
            grid.addWidget(self._value(name, spoken, "figure2", tip), 0, column)
            grid.addWidget(label(words, "quiet", tip), 1, column)
            grid.setColumnStretch(column, 1)
        box.addLayout(grid)

    def _add_shares(self, box: QVBoxLayout) -> None:
        box.addWidget(label("Where the time goes", "strong"))
        box.addSpacing(S2 + 2)
        box.addWidget(self.bar)
        box.addSpacing(S3)
        for name, words, tip in _PARTS:
            row = QHBoxLayout()
            row.setSpacing(S2)
            dot = self._dots[name] = QLabel()
            row.addWidget(dot)
            row.addWidget(label(words, "quiet", tip), 1)
            row.addWidget(self._value(name, f"{words}, share of time", "number", tip))
            box.addLayout(row)
            box.addSpacing(S1 + 2)

    def _add_models(self, box: QVBoxLayout) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(S4)
        grid.setVerticalSpacing(S2 + 1)
        grid.setColumnStretch(1, 1)
        for row, (name, words, tip) in enumerate(
            (
                ("target_model", "Target", "The large model. Every word of the text is its own."),
                ("draft_model", "Draft", "The small model that writes ahead to save time. It cannot change the text."),
                ("device", "Device", "The part of this computer that does the work."),
                ("precision", "Precision", "How finely the numbers in the model are kept."),
                (
                    "near_ties",
                    "Near-ties",
                    "Two words so close that the order of computing could decide: these were decided again, exactly.",
                ),
            )
        ):
            grid.addWidget(label(words, "quiet", tip), row, 0, Qt.AlignmentFlag.AlignTop)
            value = self._value(name, words, "value", tip)
            value.setWordWrap(True)
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(value, row, 1)
        box.addLayout(grid)

    def show_entry(self, entry: Entry) -> None:
        """Show the figures of a recording, and while it is recorded how far the text is."""
        self.live.setVisible(entry.state == RECORDING)
        if entry.state == RECORDING:
            self.live.show_entry(entry)
        self.show_figures(entry.stats, entry.models)

    def show_figures(self, stats: Statistics, models: Models | None) -> None:
        """Show the figures of a run, as far as they are known."""
        figures = panel_figures(stats, models)
        shown = {
            "acceptance": figures.acceptance,
            "per_pass": figures.per_pass,
            "real_time": figures.real_time,
            "target_model": figures.target,
            "draft_model": figures.draft,
            "device": figures.device,
            "precision": figures.precision,
            "near_ties": figures.near_ties,
        }
        shares = figures.shares
        for number, (name, _, _) in enumerate(_PARTS):
            shown[name] = percent(shares[number]) if shares else NONE
        for name, text in shown.items():
            self._show(name, text)
        self.meter.set_value(figures.accepted or 0.0)
        self.bar.set_shares([(part[0], share) for part, share in zip(_PARTS, shares, strict=True)] if shares else [])

    def _show(self, name: str, text: str) -> None:
        show_value(self.values[name], self._names[name], text)

    def _retint(self) -> None:
        for name, dot in self._dots.items():
            dot.setPixmap(icons.dot(self._theme.palette.color(name).name(), 8, self.devicePixelRatioF()))
