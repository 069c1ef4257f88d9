"""What Galley asks of a Linux desktop over D-Bus: not to sleep, and to show a notification.

The interfaces are those of https://systemd.io/INHIBITOR_LOCKS and of the Desktop Notifications Specification 1.2. Every
call may wait some seconds for an answer; none of them leaves this computer.
"""

from __future__ import annotations

import html
import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from desktop_app import NAME

if TYPE_CHECKING:
    from jeepney import Message

_PATIENCE = 3.0  # seconds
_LOCKS = ("sleep:idle", "idle")  # the second one for who may not forbid the computer to sleep, as over ssh


def keep_awake(why: str) -> Callable[[], None] | None:
    """Let the computer not go to sleep by itself; gives what ends that, as does the end of the program however it
    comes. None where the system has no such service, or refuses."""
    for what in _LOCKS:
        call = partial(
            _call, "org.freedesktop.login1", "/org/freedesktop/login1", "Manager", "Inhibit", "ssss",
            (what, NAME, why, "block"),
        )  # fmt: skip
        answer = _asked("SYSTEM", call)
        if answer:
            return partial(os.close, answer[0].to_raw_fd())
    return None


def notify(title: str, text: str, replaces: int = 0) -> int:
    """Show a notification, in the place of the one with the number `replaces`; gives its number, 0 where none can be
    shown."""
    hints = {"desktop-entry": ("s", "galley")}  # whose window a click brings to the front
    text = html.escape(text, quote=False)
    values: tuple[Any, ...] = (NAME, replaces, "galley", title, text, [], hints, -1)
    name, path = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"
    answer = _asked("SESSION", partial(_call, name, path, "", "Notify", "susssasa{sv}i", values))
    return int(answer[0]) if answer else 0


def _call(name: str, path: str, interface: str, method: str, signature: str, values: tuple[Any, ...]) -> Message:
    from jeepney import DBusAddress, new_method_call  # not at the start of the program, which it would hold up

    address = DBusAddress(path, name, f"{name}.{interface}" if interface else name)
    return new_method_call(address, method, signature, values)


def _asked(bus: str, call: Callable[[], Message]) -> tuple[Any, ...]:
    """The answer to a call; nothing where there is none."""
    from jeepney import AuthenticationError, DBusErrorResponse
    from jeepney.io.blocking import open_dbus_connection
    from jeepney.wrappers import unwrap_msg

    try:
        with open_dbus_connection(bus, enable_fds=True, auth_timeout=_PATIENCE) as connection:
            found: tuple[Any, ...] = unwrap_msg(connection.send_and_get_reply(call(), timeout=_PATIENCE))
            return found
    except (OSError, EOFError, KeyError, RuntimeError, ValueError, AuthenticationError, DBusErrorResponse):
        return ()  # no bus, no such service, no answer in time, or a refusal
