"""Qt's own part in a language: the texts of its dialogs and menus, the direction of writing, numbers."""

from __future__ import annotations

from PySide6.QtCore import QLibraryInfo, QLocale, QTranslator
from PySide6.QtWidgets import QApplication


def use(app: QApplication, code: str) -> None:
    """Let Qt use this language from now on; where it has no texts in it, they are English."""
    locale = QLocale(code)
    QLocale.setDefault(locale)
    for old in app.findChildren(QTranslator):
        app.removeTranslator(old)
        old.deleteLater()
    translator = QTranslator(app)
    if translator.load(locale, "qtbase", "_", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)):
        app.installTranslator(translator)
    app.setLayoutDirection(locale.textDirection())
