"""The right side: how fast it goes and what does it."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLabel, QLayout, QWidget

from desktop_app.app.models.model_store import ModelStore
from desktop_app.app.recordings.entry import IN_WORK, RECORDING, Entry
from desktop_app.texts import N_, _
from desktop_app.transcript.model import Models
from desktop_app.transcript.statistics import Statistics
from desktop_app.ui.transcript.figures import draft_parts, panel_figures, time_shares
from desktop_app.ui.transcript.live_panel import LivePanel
from desktop_app.ui.transcript.speed_chart import ACCEPTANCE, LOOK_AHEAD, SpeedChart
from desktop_app.ui.transcript.speed_comparison import SpeedComparison
from desktop_app.ui.widgets import icons
from desktop_app.ui.widgets.buttons import button
from desktop_app.ui.widgets.labels import NONE, explain, figure_columns, label, show_value, value_rows
from desktop_app.ui.widgets.layouts import STRETCH, add, column, row
from desktop_app.ui.widgets.meters import Bar, ShareBar
from desktop_app.ui.widgets.sheet import ScrollArea, quiet, rule
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, S5, Theme

WIDTH = 252
_PARTS = (
    ("encoder", N_("Encoder"), N_("Turns the sound of each window into the features that the models read.")),
    ("drafting", N_("Draft model"), N_("Proposes the next tokens, which the main model then verifies.")),
    ("target", N_("Main model"), N_("Verifies the draft tokens, and replaces those that it would not have written.")),
)
_PAIR = (
    (
        "per_pass",
        N_("Tokens per pass"),
        N_("tokens per pass"),
        N_("Tokens per forward pass of the main model. Without a draft model it is one at most."),
    ),
    ("real_time", N_("Times real time"), N_("× real time"), N_("Seconds of audio transcribed per second.")),
)
_DRAFT_TIP = N_("A smaller model that saves time. It cannot change the text.")
_MODELS = (
    ("target_model", N_("Main model"), N_("Decides every word of the text.")),
    ("draft_model", N_("Draft model"), _DRAFT_TIP),
    ("device", N_("Device"), N_("The processor that runs the models.")),
    ("precision", N_("Precision"), N_("Number format of the model's weights.")),
    (
        "near_ties",
        N_("Re-checked tokens"),
        N_("Tokens whose two best candidates were so close that rounding could decide. They were computed again."),
    ),
)


class SpeedPanel(ScrollArea):
    """The figures of the recording that is looked at. Attributes: values (the labels, by name, for tests); chart;
    comparison; save (a button).

    Signals: save_asked().
    """

    save_asked = Signal()

    def __init__(self, theme: Theme, store: ModelStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("panel")
        self.setFixedWidth(WIDTH)
        self.values: dict[str, QLabel] = {}
        self._names: dict[str, str] = {}
        self.meter = Bar(theme, _("Draft tokens accepted"))
        self._course = QWidget()
        self.bar = ShareBar(theme)
        self._dots: dict[str, QLabel] = {}
        self.setWidget(inner := QWidget())
        inner.setObjectName("panelInner")
        self.live = LivePanel()
        pair = figure_columns(
            *((self._value(name, spoken, "figure2", tip), _(text), _(tip)) for name, spoken, text, tip in _PAIR)
        )
        self.chart, self.comparison = SpeedChart(theme), SpeedComparison(store)
        self.save = button(_("Save figures…"), "link", self.save_asked.emit)
        self.save.setProperty("flush", True)
        models = value_rows(*((_(text), self._value(name, text, "value", tip), _(tip)) for name, text, tip in _MODELS))
        promise = quiet(_("Every word comes from the main model. The draft only saves time."))
        self._lay_out_chart()
        column(
            self.live, label(_("SPEED"), "section"), S4, self._acceptance(), S3, self._course, S5, pair, S5,
            self._shares(), S5, self.comparison, S5, rule(), S4, models, S4, row(self.save, STRETCH), STRETCH, S5,
            promise,
            inside=inner, margins=(S4 + S1, S5, S4 + S1, S4),
        )  # fmt: skip
        theme.changed.connect(self._retint)
        self._retint()
        self.show_figures(Statistics(), None)

    def _value(self, name: str, spoken: str, role: str, tip: str) -> QLabel:
        made = label(NONE, role, _(tip))
        self.values[name], self._names[name] = made, _(spoken)
        return made

    def _acceptance(self) -> QLayout:
        tip = N_("Share of the draft tokens verified by the main model that it accepted. It wrote the others itself.")
        explain(self.meter, _(tip))
        value = self._value("acceptance", N_("Draft tokens accepted"), "figure", tip)
        return column(value, label(_("draft tokens accepted"), "quiet", _(tip)), S3, self.meter)

    def _lay_out_chart(self) -> None:
        legend = row(spacing=S2)
        for role, text in ((ACCEPTANCE, _("accepted")), (LOOK_AHEAD, _("look-ahead"))):
            dot = self._dots[role] = QLabel()
            add(legend, dot, label(text, "quiet"), S1)
        legend.addStretch(1)
        column(self.chart, legend, inside=self._course, spacing=S2)

    def _shares(self) -> QLayout:
        box = column(label(_("Processing time"), "strong"), S2 + 2, self.bar, S3)
        for name, words, tip in _PARTS:
            dot = self._dots[name] = QLabel()
            value = self._value(name, words, "number", tip)
            add(box, row(dot, (label(_(words), "quiet", _(tip)), 1), value, spacing=S2), S1 + 2)
        return box

    def show_entry(self, entry: Entry) -> None:
        """Show the figures of a recording, and while it is recorded how far the text is."""
        self.live.setVisible(entry.state == RECORDING)
        if entry.state == RECORDING:
            self.live.show_entry(entry)
        self.show_figures(entry.stats, entry.models)
        self.chart.set_points(entry.history.points)
        self._course.setVisible(len(entry.history.points) > 1)
        self.comparison.show_entry(entry)
        self.save.setVisible(entry.state not in IN_WORK and entry.stats.target_passes > 0)

    def show_figures(self, stats: Statistics, models: Models | None) -> None:
        """Show the figures of a run, as far as they are known."""
        for name, text in panel_figures(stats, models).items():
            show_value(self.values[name], self._names[name], text)
        explain(self.values["draft_model"], _(_DRAFT_TIP), *draft_parts(stats))
        self.meter.set_value(stats.acceptance if stats.compared else 0.0)
        self.bar.set_shares(list(time_shares(stats).items()))

    def _retint(self) -> None:
        for name, dot in self._dots.items():
            dot.setPixmap(icons.dot(self._theme.palette.color(name).name(), 8, self.devicePixelRatioF()))
