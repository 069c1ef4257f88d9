"""Light and dark can be read."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import asdict

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontDatabase, QGuiApplication
from PySide6.QtWidgets import QLabel, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from desktop_app import resources
from desktop_app.ui.widgets import theme as look
from desktop_app.ui.widgets.sheet import Sheet
from desktop_app.ui.widgets.theme import (
    CONTRAST,
    DARK,
    DARK_PALETTE,
    HIGH_DARK_PALETTE,
    HIGH_LIGHT_PALETTE,
    LIGHT,
    LIGHT_PALETTE,
    SPEAKER_COLORS,
    SYSTEM,
    Palette,
    Theme,
    contrast,
    style_sheet,
)

BOTH = pytest.mark.parametrize("palette", [LIGHT_PALETTE, DARK_PALETTE], ids=lambda palette: palette.name)
PALETTES = [LIGHT_PALETTE, DARK_PALETTE, HIGH_LIGHT_PALETTE, HIGH_DARK_PALETTE]
HIGH = pytest.mark.parametrize("palette", [HIGH_LIGHT_PALETTE, HIGH_DARK_PALETTE], ids=lambda palette: palette.name)


@BOTH
def test_text_stands_out_from_its_ground(palette: Palette) -> None:
    for ink, grounds in {
        "ink": ("page", "side", "raised", "hover", "pressed", "selection", "bad_ground"),
        "muted": ("page", "side", "raised", "hover", "pressed"),
        "unsettled": ("page",),
        "accent": ("page", "side", "raised", "warn_ground"),
        "on_accent": ("accent", "accent_hover"),
        "warn": ("warn_ground",),
        "bad": ("bad_ground", "page", "side", "pressed"),
        "on_hit": ("hit_now",),
        "page": ("ink", "bad", "bad_hover"),
    }.items():
        for ground in grounds:
            assert contrast(getattr(palette, ink), getattr(palette, ground)) >= 4.5, (ink, ground)


@HIGH
def test_in_high_contrast_all_text_has_seven_to_one_and_every_mark_four_and_a_half(palette: Palette) -> None:
    for ink, grounds in {
        "ink": ("page", "side", "raised", "hover", "pressed", "selection", "spoken", "hit", "accent_soft"),
        "muted": ("page", "side", "raised", "hover", "pressed"),
        "unsettled": ("page",),
        "draft": ("page",),
        "accent": ("page", "side", "raised"),
        "on_accent": ("accent", "accent_hover"),
        "warn": ("warn_ground",),
        "bad": ("bad_ground", "page", "side"),
        "on_hit": ("hit_now",),
        "page": ("ink",),
    }.items():
        for ground in grounds:
            assert contrast(getattr(palette, ink), getattr(palette, ground)) >= 7, (ink, ground)
    for mark in ("line", "line_strong", "edited", "doubtful", "waveform", "encoder", "drafting", "target", "good"):
        assert contrast(getattr(palette, mark), palette.page) >= 4.5, mark
    for color in SPEAKER_COLORS[palette.name]:
        assert contrast(color, palette.page) >= 4.5, color
    assert contrast(palette.draft, palette.page) < contrast(palette.unsettled, palette.page)
    assert contrast(palette.unsettled, palette.page) < contrast(palette.ink, palette.page)


@BOTH
def test_draft_words_are_legible_and_clearly_not_final(palette: Palette) -> None:
    draft, ink = contrast(palette.draft, palette.page), contrast(palette.ink, palette.page)
    assert draft >= 3
    assert ink >= 3 * draft
    assert contrast(palette.ink, palette.hit) >= 4.5


@BOTH
def test_the_marks_of_words_are_seen(palette: Palette) -> None:
    assert contrast(palette.edited, palette.page) >= 3
    assert contrast(palette.doubtful, palette.page) >= 3


@pytest.mark.parametrize("palette", PALETTES)
def test_controls_and_hits_have_edges_that_are_seen(palette: Palette) -> None:
    for edge, grounds in {
        "edge": ("page", "side", "raised", "hover"),
        "accent": ("page", "side", "raised", "hover", "pressed"),
        "hit_edge": ("page", "side", "selection"),
        "waveform": ("page",),
        "muted": ("page",),
    }.items():
        for ground in grounds:
            assert contrast(getattr(palette, edge), getattr(palette, ground)) >= 3, (edge, ground)


def test_every_field_button_and_switch_is_drawn_with_that_edge() -> None:
    sheet = resources.path("resources", "styles", "galley.qss").read_text(encoding="utf-8")
    for control in (
        "QLineEdit {", "QPlainTextEdit {", 'QPushButton[kind="plain"] {', 'QPushButton[kind="segment"]:checked {',
    ):  # fmt: skip
        (rule,) = [part.partition("}")[0] for part in sheet.split("\n" + control)[1:]]
        assert "@edge" in rule, control
    focused = re.findall(r"(Q\w+)(?:\[kind=\"(\w+)\"\])?:focus[^{]*\{([^}]*)", sheet)
    assert len(focused) > 10
    for control in focused:
        assert "@accent" in control[2] or "@ink" in control[2], control


@BOTH
def test_live_words_that_may_change_stand_between_ink_and_draft(palette: Palette) -> None:
    draft, unsettled, ink = (contrast(c, palette.page) for c in (palette.draft, palette.unsettled, palette.ink))
    assert 1.8 * draft <= unsettled <= ink / 1.5


@pytest.mark.parametrize("palette", PALETTES)
def test_the_style_sheet_knows_every_colour_it_names(palette: Palette) -> None:
    sheet = style_sheet(palette)
    assert "@" not in sheet
    assert set(re.findall(r"#[0-9a-f]{6}\b", sheet)) <= set(asdict(palette).values())


def test_a_choice_is_kept_and_tells_everyone(theme: Theme) -> None:
    changes: list[str] = []
    theme.changed.connect(lambda: changes.append(theme.palette.name))
    theme.choose(DARK)
    theme.choose(LIGHT)
    assert changes == [DARK, LIGHT]


def test_the_system_is_followed_live(theme: Theme, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("desktop_app.ui.widgets.theme.system_is_dark", lambda: dark)
    dark = False
    theme.choose(SYSTEM)
    assert theme.palette is LIGHT_PALETTE
    dark = True
    QGuiApplication.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert theme.palette is DARK_PALETTE
    theme.choose(LIGHT)
    QGuiApplication.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert theme.palette is LIGHT_PALETTE  # who has chosen is not asked again


def test_high_contrast_is_light_or_dark_as_the_system_is_and_can_be_the_systems_wish(
    theme: Theme, monkeypatch: pytest.MonkeyPatch
) -> None:
    dark = wish = False
    monkeypatch.setattr("desktop_app.ui.widgets.theme.system_is_dark", lambda: dark)
    monkeypatch.setattr("desktop_app.ui.widgets.theme.system_asks_for_contrast", lambda: wish)
    theme.choose(CONTRAST)
    assert theme.palette is HIGH_LIGHT_PALETTE
    dark = True
    QGuiApplication.styleHints().colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert theme.palette is HIGH_DARK_PALETTE
    theme.choose(SYSTEM)
    assert theme.palette is DARK_PALETTE
    wish = True
    look._hints()[1].contrastPreferenceChanged.emit(Qt.ContrastPreference.HighContrast)
    assert theme.palette is HIGH_DARK_PALETTE
    theme.choose(LIGHT)
    assert theme.palette is LIGHT_PALETTE  # who has chosen is not asked again


class Told(QLabel):
    """A line. Attributes: changes (how often it was told what)."""

    def __init__(self) -> None:
        super().__init__("A line")
        self.changes: Counter[QEvent.Type] = Counter()

    def changeEvent(self, event: QEvent) -> None:
        self.changes[event.type()] += 1
        super().changeEvent(event)


def test_a_new_look_restyles_no_widget_for_each_around_it_and_lays_out_nothing(theme: Theme, qtbot: QtBot) -> None:
    """For "never blocked": Qt by itself restyles a widget once for each that it lies in, and measures pages anew."""
    depth = 12
    sheet, told = Sheet(), Told()
    qtbot.addWidget(sheet)
    sheet.resize(300, 200)
    box = sheet.first
    for _ in range(depth):
        inner = QWidget()
        box.addWidget(inner)
        box = QVBoxLayout(inner)
    box.addWidget(told)
    sheet.first.addSpacing(2000)
    sheet.show()
    bar = sheet.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 700)
    bar.setValue(700)
    before = told.geometry(), sheet.viewport().size(), bar.value()
    told.changes.clear()
    theme.choose(DARK)
    after, ink = (told.geometry(), sheet.viewport().size(), bar.value()), told.palette().windowText().color().name()
    changes = told.changes.copy()
    theme.choose(LIGHT)
    assert ink == DARK_PALETTE.ink
    assert after == before
    assert changes[QEvent.Type.PaletteChange] < depth
    assert changes[QEvent.Type.StyleChange] == 0


def test_the_fonts_and_their_licences_come_along(theme: Theme) -> None:
    families = QFontDatabase.families()
    assert {"Inter", "Inter Medium", "Inter SemiBold", "Literata", "Literata SemiBold"} <= set(families)
    folder = resources.path("resources", "fonts")
    assert all("Open Font License" in (folder / f"{name}-OFL.txt").read_text() for name in ("Inter", "Literata"))
    assert sum(file.stat().st_size for file in folder.iterdir()) < 1_000_000


def test_tooltips_look_like_everything_else() -> None:
    """The ground, the ink and the typeface of the window, with its line around them."""
    colors = DARK_PALETTE
    rule = style_sheet(colors).partition("QToolTip {")[2].partition("}")[0]
    for part in (f"background: {colors.raised}", f"color: {colors.ink}", colors.line_strong, '"Inter"'):
        assert part in rule
