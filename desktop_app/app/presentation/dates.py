"""The groups of days under which recordings are listed."""

from __future__ import annotations

from datetime import date, timedelta

from desktop_app.app.presentation.wording import MONTHS
from desktop_app.texts import N_, _

_DAYS = (*(N_("Monday"), N_("Tuesday"), N_("Wednesday"), N_("Thursday"), N_("Friday"), N_("Saturday"), N_("Sunday")),)


def group(day: date, today: date) -> str:
    """The heading over what was made on a day: Today, Yesterday, This week, or a month, with its year if that is
    another one."""
    if day >= today:
        return _("Today")
    if day == today - timedelta(days=1):
        return _("Yesterday")
    if day >= today - timedelta(days=today.weekday()):
        return _("This week")
    month = _(MONTHS[day.month - 1])
    return month if day.year == today.year else _("{month} {year}", month=month, year=day.year)


def weekday(day: date) -> str:
    """The name of a day of the week."""
    return _(_DAYS[day.weekday()])
