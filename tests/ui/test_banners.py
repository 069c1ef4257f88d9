"""One banner is shown at most, the most important one; the others wait behind it."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from desktop_app.texts import ngettext
from desktop_app.ui.widgets.banner import NOTICE, PROBLEM, Banner, BannerQueue
from desktop_app.ui.widgets.layouts import column
from desktop_app.ui.widgets.theme import Theme


@pytest.fixture
def page(qtbot: QtBot) -> QWidget:
    made = QWidget()
    qtbot.addWidget(made)
    return made


def test_the_most_important_banner_stands_and_a_press_turns_to_the_next(page: QWidget, theme: Theme) -> None:
    queue = BannerQueue()
    problem, notice, news = (
        Banner(theme, PROBLEM, "problem"),
        Banner(theme, NOTICE, "warning"),
        Banner(theme, NOTICE, "warning"),
    )
    column(problem, notice, news, inside=page)
    queue.add(problem, notice, news)
    banners = (problem, notice, news)

    def shown() -> list[bool]:
        return [not banner.isHidden() for banner in banners]

    assert shown() == [False, False, False]
    notice.say("A notice.")
    assert shown() == [False, True, False] and not notice.buttons[-1].isVisibleTo(notice)
    problem.say("A problem.")
    assert shown() == [True, False, False]
    assert problem.buttons[-1].text() == ngettext("{n} more", "{n} more", 1)
    news.say("News.")
    problem.buttons[-1].click()
    assert shown() == [False, True, False]
    notice.say("")
    assert shown() == [True, False, False], "what is over goes, and the first one is back"
    queue.hold(True)
    assert shown() == [False, False, False]
    queue.hold(False)
    problem.say("")
    assert shown() == [False, False, True] and not news.buttons[-1].isVisibleTo(news)
