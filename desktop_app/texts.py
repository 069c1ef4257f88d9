"""Every text that a person sees, in the language that the person chose: gettext's functions over one .po file each.

    _("Save")                                          a text
    _("{name} is installed.", name=entry.title)        a text with values, filled in by str.format
    ngettext("{n} speaker", "{n} speakers", count)     one or several; {n} is the number unless a value n is given
    pgettext("a button", "Open")                       the same English word with another translation
    N_("Queued")                                       marks a constant of a module; `_(CONSTANT)` translates it in use

    use("de")                 changes the language while running; what is looked up from then on is German
    use_preferred(language)   what a program calls at its start: GALLEY_LANGUAGE, or the user's choice, or the system's
    current(), languages(), system_language()

The messages are the English texts themselves, as literals in the call, never f-strings and never glued from parts:
`make texts` collects them. A language is one file, `resources/translations/<code>.po`, read when it is first used.
Without one, or where it lacks a message or has a broken one, the text is English.
"""

from __future__ import annotations

import gettext
import io
import locale
import logging
import os
import sys
from functools import cache
from typing import Any

from desktop_app import resources

ENGLISH = "en"

_log = logging.getLogger(__name__)
_code = ENGLISH
_NO_TRANSLATIONS = gettext.NullTranslations()
_catalogue = _NO_TRANSLATIONS


def _(message: str, /, **values: Any) -> str:
    """The text in the language in use, with the values filled in."""
    return _filled("gettext", message, values=values) if message else ""  # "" is the key of a file's header


def ngettext(singular: str, plural: str, n: float, /, **values: Any) -> str:
    """The text for `n` things. Which forms a language has is said by its file."""
    return _filled("ngettext", singular, plural, n, values={"n": n, **values})


def pgettext(context: str, message: str, /, **values: Any) -> str:
    """The text of a message that other places use with another meaning."""
    return _filled("pgettext", context, message, values=values)


def N_(message: str, /) -> str:  # noqa: N802 - gettext's name
    """The message as it is: marked to be collected, and translated when it is used."""
    return message


def use(code: str) -> None:
    """Look texts up in this language from now on: a code of `languages()`, others mean English."""
    global _code, _catalogue
    _code = code if code in languages() else ENGLISH
    _catalogue = _NO_TRANSLATIONS if _code == ENGLISH else _read(_code)


def use_preferred(language: str | None = None) -> None:
    """Use what GALLEY_LANGUAGE says, else this language, else the system's."""
    use(_available(os.environ.get("GALLEY_LANGUAGE", "")) or _available(language or "") or system_language())


def current() -> str:
    """The code of the language in use."""
    return _code


def languages() -> list[str]:
    """The codes of all languages, English first."""
    return [ENGLISH, *sorted(file.stem for file in resources.path("resources", "translations").glob("*.po"))]


def system_language() -> str:
    """The first language of the system's settings that Galley knows, or English."""
    variables = (os.environ.get(name, "") for name in ("LC_ALL", "LC_MESSAGES", "LANG"))
    preferred = next(filter(None, variables), "") or _system_locale()
    wanted = [preferred]
    if preferred.partition(".")[0] not in ("C", "POSIX"):  # as in gettext, LANGUAGE refines a locale that is set
        wanted = [*os.environ.get("LANGUAGE", "").split(":"), preferred]
    return next(filter(None, map(_available, wanted)), ENGLISH)


def _system_locale() -> str:
    if sys.platform == "win32":
        import ctypes

        return locale.windows_locale.get(ctypes.windll.kernel32.GetUserDefaultUILanguage(), "")
    return locale.getlocale()[0] or ""


def _available(name: str) -> str | None:
    """The code of `languages()` for a locale's name: "pt_BR.UTF-8" is pt_BR where there is one, else pt."""
    name = name.partition(".")[0].partition("@")[0].replace("-", "_")
    return next((code for code in (name, name.partition("_")[0]) if code in languages()), None)


@cache
def _read(code: str) -> gettext.NullTranslations:
    """The translations of one file; none where the file cannot be read."""
    import polib  # here, because English needs none

    try:
        file = polib.pofile(str(resources.path("resources", "translations", f"{code}.po")), encoding="utf-8")
        return gettext.GNUTranslations(io.BytesIO(file.to_binary()))
    except (OSError, ValueError, LookupError, SyntaxError):  # polib raises OSError for its syntax errors
        _log.exception("The translations of %s cannot be read", code)
        return _NO_TRANSLATIONS


def _filled(method: str, *message: Any, values: dict[str, Any]) -> str:
    def text(catalogue: gettext.NullTranslations) -> str:
        found: str = getattr(catalogue, method)(*message)
        return found.format(**values) if values else found

    try:
        return text(_catalogue)
    except (LookupError, ValueError, AttributeError, TypeError):
        if _catalogue is _NO_TRANSLATIONS:
            raise
        return text(_NO_TRANSLATIONS)
