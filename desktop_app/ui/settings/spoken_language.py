"""The menu in which the language of recordings is chosen."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtWidgets import QMenu, QWidget

from desktop_app.app.presentation import wording
from desktop_app.app.settings.preferences import Preferences
from desktop_app.messages.options import AUTO
from desktop_app.texts import _
from desktop_app.ui.widgets.menus import choice_menu

_USED = "used_languages"
_MOST = 5  # that stand first


def language_menu(
    parent: QWidget | None,
    preferences: Preferences,
    chosen: str,
    then: Callable[[str], object],
    known: tuple[str, ...] = (),
) -> QMenu:
    """The languages of `known`, which the model knows (every one of Whisper's where that is empty or has "*"), those
    that were chosen before first; `then` gets the code."""
    named = [(name, code) for code, name in wording.languages() if not known or "*" in known or code in known]
    used = preferences.text(_USED).split()
    named.sort(key=lambda each: used.index(each[1]) if each[1] in used else len(used))  # others keep their order

    def choose(code: str) -> None:
        if code != AUTO:
            preferences.set(_USED, " ".join([code, *(each for each in used if each != code)][:_MOST]))
        then(code)

    choices = [(_("Automatic"), AUTO), *named]
    return choice_menu(parent, _("Spoken language"), choices, chosen, choose, _("Search languages"))
