"""The look in one place: palettes, the spacing scale, the fonts, and the theme that follows the system.

Colours are chosen for contrast on the ground they stand on (WCAG): ink and muted at least 4.5 : 1, draft words, the
edges of controls and of hits at least 3 : 1; in high contrast all text 7 : 1, and whatever has to be seen 4.5 : 1.
tests/ui/test_theme.py measures it.
"""

from __future__ import annotations

import ctypes
import sys
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cache

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import (
    QAccessibilityHints,
    QColor,
    QFont,
    QFontDatabase,
    QGuiApplication,
    QPalette,
    QStyleHints,
)
from PySide6.QtWidgets import QApplication, QStyle

from desktop_app import resources
from desktop_app.app.settings.preferences import Preferences

# The spacing scale in device-independent pixels; nothing is set apart by another distance.
S1, S2, S3, S4, S5, S6, S7 = 4, 8, 12, 16, 24, 32, 48
RADIUS = 8
PAGE, GUTTER = 660, 58
"""What stands on a page has this width where there is room, a full line of text in its usual size, and at its left a
margin for times."""

SYSTEM, LIGHT, DARK, CONTRAST = "system", "light", "dark", "contrast"
CHOICES = (SYSTEM, LIGHT, DARK, CONTRAST)
FULL, REDUCED = "full", "reduced"
MOTIONS = (SYSTEM, FULL, REDUCED)
TEXT_SIZES = (14, 17, 20, 24, 30)
"""Of transcripts, in pixels."""
USUAL_TEXT_SIZE = 17
_CLIENT_AREA_ANIMATION = 0x1042  # SPI_GETCLIENTAREAANIMATION of Windows


def _color(light: str, dark: str) -> str:
    """A colour of both palettes."""
    return field(default=light, metadata={DARK: dark})


@dataclass(frozen=True)
class Palette:
    """Every colour that Galley paints with."""

    name: str = LIGHT
    page: str = _color("#ffffff", "#1b1b1a")  # the ground that is read on
    side: str = _color("#f7f6f3", "#151514")  # sidebar and panel
    raised: str = _color("#fbfaf8", "#222220")  # cards and fields
    hover: str = _color("#eeece7", "#292826")
    pressed: str = _color("#e5e2db", "#33312f")
    thumb: str = _color("#ffffff", "#3f3d39")  # the chosen part of a switch
    line: str = _color("#e8e6e1", "#2d2c2a")
    line_strong: str = _color("#c9c5bc", "#4b4945")
    edge: str = _color("#878279", "#7d7a73")  # of fields, buttons and what is chosen in a switch
    ink: str = _color("#1d1c1a", "#eceae5")
    muted: str = _color("#67635c", "#a5a19a")
    unsettled: str = _color("#5b5750", "#b7b3ab")  # live words of the target that may still change
    draft: str = _color("#8d8982", "#84807a")  # words that the target has not seen yet
    accent: str = _color("#2f5bd0", "#8caafa")
    accent_hover: str = _color("#2650bf", "#a2bbfc")
    accent_soft: str = _color("#ebf0fc", "#232a3d")
    on_accent: str = _color("#ffffff", "#0f1830")
    selection: str = _color("#cddcfb", "#33477d")
    spoken: str = _color("#dbe6fd", "#2b3a63")  # the ground of the word that is heard
    waveform: str = _color("#918d85", "#6f6c66")  # of what was not heard yet
    hit: str = _color("#fdeebb", "#55491f")
    hit_now: str = _color("#ffcf4d", "#ffcf4d")
    hit_edge: str = _color("#946f00", "#c2a04a")
    on_hit: str = _color("#1d1c1a", "#1d1c1a")
    edited: str = _color("#7b8fc9", "#6f86c4")  # the line under what a reader has written
    doubtful: str = _color("#b5791d", "#c79a45")  # the dots under what the target was not sure of
    warn: str = _color("#765006", "#e8c476")
    warn_ground: str = _color("#fdf6e4", "#2a2417")
    warn_line: str = _color("#f1e2b9", "#443a20")
    bad: str = _color("#b02a20", "#f2938a")
    bad_hover: str = _color("#98221a", "#f6aaa3")
    bad_ground: str = _color("#fdf1ef", "#2d1d1b")
    bad_line: str = _color("#f4d5d0", "#4d2c28")
    good: str = _color("#2b7a4b", "#7cc79a")
    encoder: str = _color("#dcb574", "#a98647")  # the three parts of the time bar
    drafting: str = _color("#a5b9ee", "#48588a")
    target: str = _color("#2f5bd0", "#8caafa")
    shadow: str = _color("#22000000", "#66000000")

    def color(self, role: str) -> QColor:
        """The colour of a role as Qt's own type."""
        return QColor(getattr(self, role))


LIGHT_PALETTE = Palette()
DARK_PALETTE = Palette(DARK, **{each.name: each.metadata[DARK] for each in fields(Palette) if each.metadata})

HIGH_LIGHT_PALETTE = replace(
    LIGHT_PALETTE,
    side="#ffffff", raised="#ffffff", hover="#e6e6e6", pressed="#d4d4d4", line="#6e6e6e", line_strong="#000000",
    ink="#000000", muted="#2e2e2e", unsettled="#333333", draft="#4d4d4d",
    accent="#0a2f8f", accent_hover="#06226b", accent_soft="#dfe8ff", selection="#a9c6ff", spoken="#c3d6ff",
    waveform="#5a5a5a", edge="#000000", hit_edge="#7a5200",
    hit="#ffe680", edited="#24459f", doubtful="#7a4a00", warn="#4a3100", warn_line="#7a5200",
    bad="#8f0f08", bad_hover="#6e0904", bad_line="#8f0f08", good="#0f5a2e", encoder="#8a5a00", drafting="#5570c0",
    target="#0a2f8f",
)  # fmt: skip
HIGH_DARK_PALETTE = replace(
    DARK_PALETTE,
    page="#000000", side="#000000", raised="#000000", hover="#262626", pressed="#383838", thumb="#4a4a4a",
    line="#8c8c8c", line_strong="#ffffff", ink="#ffffff", muted="#dcdcdc", unsettled="#d6d6d6", draft="#b8b8b8",
    accent="#a9c4ff", accent_hover="#c6d8ff", accent_soft="#16213d", on_accent="#000000", selection="#234a9e",
    spoken="#20407f", waveform="#a8a8a8", edge="#ffffff", hit_edge="#e8c14e",
    hit="#5c4d00", edited="#9db4ff", doubtful="#ffc46b", warn="#ffd98a",
    warn_ground="#1c1500", warn_line="#b38b2e", bad="#ffaaa3", bad_hover="#ffc4bf", bad_ground="#200a08",
    bad_line="#ff8a80", good="#8fe3b0", encoder="#e0b460", drafting="#7f97e0", target="#a9c4ff",
)  # fmt: skip

SPEAKER_COLORS = {
    LIGHT: ("#2a62b8", "#a34c0c", "#26703b", "#8440a8", "#0c6f7c", "#b32f55", "#6b6410", "#556070"),
    DARK: ("#82b1f6", "#f0a468", "#7ecb97", "#cf9bee", "#66c8d2", "#f490ab", "#cfc765", "#b0bac9"),
}
"""What tells speakers apart, together with a shape and an initial; legible as text on every ground."""


def contrast(one: str, other: str) -> float:
    """The WCAG 2 contrast ratio of two colours, 1 to 21."""

    def luminance(name: str) -> float:
        color = QColor(name)
        parts = [
            v / 12.92 if v <= 0.04045 else ((v + 0.055) / 1.055) ** 2.4
            for v in (color.redF(), color.greenF(), color.blueF())
        ]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def load_fonts() -> None:
    """Register the bundled fonts; text in scripts they lack comes from the system's."""
    for file in sorted(resources.path("resources", "fonts").glob("*.ttf")):
        QFontDatabase.addApplicationFont(str(file))


def font(pixels: float, weight: str = "Regular", *, serif: bool = False, figures: bool = False) -> QFont:
    """A font of Galley's: Inter ("Regular", "Medium", "SemiBold") or Literata (`serif`, "Regular", "SemiBold").

    `figures` gives every digit the same width, for times and numbers that change in place.
    """
    base = "Literata" if serif else "Inter"
    made = QFont([base if weight == "Regular" else f"{base} {weight}", base])
    made.setPixelSize(round(pixels))
    made.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    made.setStyleStrategy(QFont.StyleStrategy.PreferAntialias)
    if figures:
        made.setFeature(QFont.Tag("tnum"), 1)
    return made


@cache
def _hints() -> tuple[QStyleHints, QAccessibilityHints]:
    """What the system asks for. Kept, because PySide forgets the second for ever with the first reference to its owner
    that goes."""
    hints = QGuiApplication.styleHints()
    return hints, hints.accessibility()


def system_asks_for_contrast() -> bool:
    """Whether the system asks programs for high contrast."""
    return _hints()[1].contrastPreference() == Qt.ContrastPreference.HighContrast


def system_asks_for_less_motion() -> bool:
    """Whether the system asks programs not to move things: by Windows' setting for animations, elsewhere by the
    duration that Qt has from the desktop, if that tells it one."""
    if sys.platform == "win32":
        moves = ctypes.c_int(1)
        ctypes.windll.user32.SystemParametersInfoW(_CLIENT_AREA_ANIMATION, 0, ctypes.byref(moves), 0)
        return not moves.value
    return QApplication.style().styleHint(QStyle.StyleHint.SH_Widget_Animation_Duration) == 0


def system_is_dark() -> bool:
    """Whether the system asks for dark programs."""
    return QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark


class _Hush(QObject):
    """Keeps from widgets that their style changes, so that none is laid out again; their palettes still change."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        return event.type() == QEvent.Type.StyleChange


class Theme(QObject):
    """Light or dark, with high contrast or not, as the user chose or the system says; changes live.

    Attributes: choice (one of CHOICES); palette (the one in use); motion (one of MOTIONS); text_size (one of
    TEXT_SIZES).
    Signals: changed() after the palette is another one; text_resized() after the text of transcripts is.
    """

    changed = Signal()
    text_resized = Signal()

    def __init__(self, app: QApplication, preferences: Preferences) -> None:
        super().__init__(app)
        self._app = app
        self._hush = _Hush(self)
        self._preferences = preferences
        kept = preferences.text("appearance", SYSTEM)
        self.choice = kept if kept in CHOICES else SYSTEM
        kept = preferences.text("motion", SYSTEM)
        self.motion = kept if kept in MOTIONS else SYSTEM
        sizes = {str(size): size for size in TEXT_SIZES}
        self.text_size = sizes.get(preferences.text("text_size"), USUAL_TEXT_SIZE)
        self.palette = self._wanted()
        self._apply()
        self._tell_system()
        hints, accessibility = _hints()
        hints.colorSchemeChanged.connect(self._refresh)
        accessibility.contrastPreferenceChanged.connect(self._refresh)

    def choose(self, choice: str) -> None:
        """Look as one of CHOICES says, now and at the next start."""
        self.choice = choice
        self._preferences.set("appearance", choice)
        self._tell_system()
        self._refresh()

    def choose_motion(self, motion: str) -> None:
        """Move things as one of MOTIONS says."""
        self.motion = motion
        self._preferences.set("motion", motion)

    @property
    def moves(self) -> bool:
        """Whether things glide to where they go; else they are there at once."""
        return self.motion == FULL or (self.motion == SYSTEM and not system_asks_for_less_motion())

    def choose_text_size(self, pixels: int) -> None:
        """Show transcripts in one of TEXT_SIZES, now and at the next start."""
        if pixels != self.text_size:
            self.text_size = pixels
            self._preferences.set("text_size", str(pixels))
            self.text_resized.emit()

    def step_text_size(self, step: int) -> None:
        """The next larger size (1) or the next smaller one (-1), if there is one."""
        at = TEXT_SIZES.index(self.text_size) + step
        if 0 <= at < len(TEXT_SIZES):
            self.choose_text_size(TEXT_SIZES[at])

    def _wanted(self) -> Palette:
        dark = system_is_dark() if self.choice in (SYSTEM, CONTRAST) else self.choice == DARK
        if self.choice == CONTRAST or (self.choice == SYSTEM and system_asks_for_contrast()):
            return HIGH_DARK_PALETTE if dark else HIGH_LIGHT_PALETTE
        return DARK_PALETTE if dark else LIGHT_PALETTE

    def _tell_system(self) -> None:
        """Let the title bar and the system's own dialogs look the same."""
        scheme = Qt.ColorScheme
        wanted = {LIGHT: scheme.Light, DARK: scheme.Dark}.get(self.choice, scheme.Unknown)
        QGuiApplication.styleHints().setColorScheme(wanted)

    def _refresh(self) -> None:
        wanted = self._wanted()
        if wanted is not self.palette:
            self.palette = wanted
            self._apply()
            self.changed.emit()

    def _apply(self) -> None:
        colors = self.palette
        qt = QPalette()
        for role, name in (
            (QPalette.ColorRole.Window, "page"),
            (QPalette.ColorRole.Base, "page"),
            (QPalette.ColorRole.WindowText, "ink"),
            (QPalette.ColorRole.Text, "ink"),
            (QPalette.ColorRole.Button, "raised"),
            (QPalette.ColorRole.ButtonText, "ink"),
            (QPalette.ColorRole.Highlight, "selection"),
            (QPalette.ColorRole.HighlightedText, "ink"),
            (QPalette.ColorRole.ToolTipBase, "raised"),
            (QPalette.ColorRole.ToolTipText, "ink"),
            (QPalette.ColorRole.PlaceholderText, "muted"),
            (QPalette.ColorRole.Link, "accent"),
        ):
            qt.setColor(role, colors.color(name))
        self._app.setPalette(qt)
        sheet = style_sheet(colors)
        # When a sheet takes the place of another, Qt restyles a widget once for every widget around it; when there was
        # none before, once. The look without one is never seen, and both sheets differ in nothing but colours.
        self._app.installEventFilter(self._hush)
        self._app.setStyleSheet("")
        self._app.setStyleSheet(sheet)
        self._app.removeEventFilter(self._hush)


def style_sheet(colors: Palette) -> str:
    """resources/styles/galley.qss with the colours of a palette for its `@role` names."""
    text = resources.path("resources", "styles", "galley.qss").read_text(encoding="utf-8")
    for role in sorted(asdict(colors), key=len, reverse=True):  # longest first: @line_strong before @line
        text = text.replace(f"@{role}", getattr(colors, role))
    return text
