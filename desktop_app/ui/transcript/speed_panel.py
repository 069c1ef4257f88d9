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
from desktop_app.ui.widgets.buttons import button, icon_button, set_icon
from desktop_app.ui.widgets.labels import NONE, explain, label, show_value, value_rows
from desktop_app.ui.widgets.layouts import STRETCH, add, column, row
from desktop_app.ui.widgets.meters import Bar, ShareBar
from desktop_app.ui.widgets.sheet import ScrollArea, quiet, rule
from desktop_app.ui.widgets.theme import S1, S2, S3, S4, S5, Theme

WIDTH, WIDEST = 252, 340
_SHARE = 0.16  # of the window
_INSET = 6  # pixels from the edge of a button to its icon
_PARTS = (("encoder", N_("Encoder")), ("drafting", N_("Draft model")), ("target", N_("Main model")))
_MODELS = (
    ("target_model", N_("Main model")),
    ("draft_model", N_("Draft model")),
    ("device", N_("Device")),
    ("precision", N_("Precision")),
)
_MORE = (("per_pass", N_("Tokens per pass")), ("near_ties", N_("Re-checked tokens")))
_REAL_TIME = N_("× real time")
_TERMS = (
    (_REAL_TIME, N_("Seconds of audio transcribed per second.")),
    (N_("Time taken"), N_("What the transcription took from its start to its end.")),
    (N_("Main model"), N_("Decides every word of the text.")),
    (N_("Draft model"), N_("A smaller model that saves time. It cannot change the text.")),
    (N_("Tokens"), N_("Words and parts of words: what the models write, one after the other.")),
    (
        N_("Draft tokens accepted"),
        N_("Share of the draft tokens verified by the main model that it accepted. It wrote the others itself."),
    ),
    (N_("Look-ahead"), N_("Tokens that the draft model proposes before the main model verifies them.")),
    (
        N_("Tokens per pass"),
        N_("Tokens per forward pass of the main model. Without a draft model it is one at most."),
    ),
    (N_("Device"), N_("The processor that runs the models.")),
    (N_("Encoder"), N_("Turns the sound of each window into the features that the models read.")),
    (N_("Precision"), N_("Number format of the model's weights.")),
    (
        N_("Re-checked tokens"),
        N_("Tokens whose two best candidates were so close that rounding could decide. They were computed again."),
    ),
)


class SpeedPanel(ScrollArea):
    """The figures of the recording that is looked at: how fast it was, what the draft model did for that, and behind a
    question mark the rest, with what all of it means.

    Attributes: values (the labels, by name, for tests); chart; comparison; help, save (buttons); terms (what the
    question mark shows). Signals: save_asked().
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
        self._course, self._timed = QWidget(), QWidget()
        self.bar = ShareBar(theme)
        self._dots: dict[str, QLabel] = {}
        self.setWidget(inner := QWidget())
        inner.setObjectName("panelInner")
        self.live = LivePanel()
        self.chart, self.comparison = SpeedChart(theme), SpeedComparison(store)
        self.help = icon_button(_("What these figures mean"), self._toggle, 16)
        self.help.setCheckable(True)
        set_icon(self.help, theme, "help")
        self.save = button(_("Save figures…"), "link", self.save_asked.emit)
        self.save.setProperty("flush", True)
        self.terms = QWidget()
        self.terms.hide()
        models = value_rows(*((_(text), self._value(name, text, "value"), "") for name, text in _MODELS))
        head = row((label(_("SPEED"), "section"), 1), self.help, margins=(0, 0, -_INSET, 0))
        promise = quiet(_("Every word comes from the main model. The draft only saves time."))
        self._lay_out_chart()
        self._lay_out_terms()
        column(
            self.live, head, S2, self._speed(), S3, self.comparison, S5,
            self._acceptance(), S3, self._course, S4, rule(), S4, models, self.terms, S4, row(self.save, STRETCH),
            STRETCH, S5, promise,
            inside=inner, margins=(S4 + S1, S4 + S1, S4 + S1, S4),
        )  # fmt: skip
        theme.changed.connect(self._retint)
        self._retint()
        self.show_figures(Statistics(), None)

    def fit(self, room: int) -> None:
        """Take the share that it may have of a window so many pixels wide."""
        self.setFixedWidth(min(max(WIDTH, round(room * _SHARE)), WIDEST))

    def _value(self, name: str, spoken: str, role: str, term: str = "") -> QLabel:
        """A figure; `term` is the one that explains it, where that is not as it is `spoken`."""
        made = label(NONE, role, _(dict(_TERMS)[term or spoken]))
        self.values[name], self._names[name] = made, _(spoken)
        return made

    def _speed(self) -> QWidget:
        took = row(label(_("took"), "quiet"), self._value("took", N_("Time taken"), "value"), STRETCH, spacing=S1)
        value = self._value("real_time", N_("Times real time"), "figure", _REAL_TIME)
        column(value, label(_(_REAL_TIME), "quiet"), S1, took, inside=self._timed)
        return self._timed

    def _acceptance(self) -> QLayout:
        value = self._value("acceptance", N_("Draft tokens accepted"), "figure2")
        return column(value, label(_("draft tokens accepted"), "quiet"), S2, self.meter)

    def _lay_out_chart(self) -> None:
        legend = row(spacing=S2)
        for role, text in ((ACCEPTANCE, _("accepted")), (LOOK_AHEAD, _("look-ahead"))):
            dot = self._dots[role] = QLabel()
            add(legend, dot, label(text, "quiet"), S1)
        legend.addStretch(1)
        column(self.chart, legend, inside=self._course, spacing=S2)

    def _lay_out_terms(self) -> None:
        """What few ask for, and what each word means."""
        more = value_rows(*((_(text), self._value(name, text, "value"), "") for name, text in _MORE))
        meanings = (column(label(_(term), "strong"), quiet(_(text)), spacing=2) for term, text in _TERMS)
        column(S2 + 1, more, S5, self._shares(), S4, rule(), S4, column(*meanings, spacing=S3), inside=self.terms)

    def _shares(self) -> QLayout:
        box = column(label(_("Processing time"), "strong"), S2 + 2, self.bar, S3)
        for name, words in _PARTS:
            dot = self._dots[name] = QLabel()
            value = self._value(name, words, "number")
            add(box, row(dot, (label(_(words), "quiet"), 1), value, spacing=S2), S1 + 2)
        return box

    def _toggle(self) -> None:
        self.terms.setVisible(self.help.isChecked())

    def show_entry(self, entry: Entry) -> None:
        """Show the figures of a recording, and while it is recorded how far the text is."""
        self.live.setVisible(entry.state == RECORDING)
        self._timed.setVisible(entry.state != RECORDING)  # it takes as long as somebody speaks
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
        explain(self.values["draft_model"], _(dict(_TERMS)["Draft model"]), *draft_parts(stats))
        self.meter.set_value(stats.acceptance if stats.compared else 0.0)
        self.bar.set_shares(list(time_shares(stats).items()))

    def _retint(self) -> None:
        for name, dot in self._dots.items():
            dot.setPixmap(icons.dot(self._theme.palette.color(name).name(), 8, self.devicePixelRatioF()))
