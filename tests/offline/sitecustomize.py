"""A network guard for the tests. Python runs this file at its start in every child process that finds it on its path.

Only this computer may be reached: a connection or a name look-up that leads out raises, whoever tries. It is also
written down in the file that GALLEY_NETWORK_ATTEMPTS names, because who tries may swallow the error.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from typing import Any

_connect = socket.socket.connect
_connect_ex = socket.socket.connect_ex
_sendto = socket.socket.sendto
_getaddrinfo = socket.getaddrinfo


class NetworkForbidden(RuntimeError):
    """Something tried to leave the computer during a test."""


def _check(host: object) -> None:
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "localhost"):
        return
    try:
        if ipaddress.ip_address(str(name).partition("%")[0]).is_loopback:
            return
    except ValueError:
        pass
    attempts = os.environ.get("GALLEY_NETWORK_ATTEMPTS")
    if attempts:
        with open(attempts, "a", encoding="utf-8") as file:
            file.write(f"{name}, asked for by {_asker()}\n")
    raise NetworkForbidden(f"the tests reach no network, but something asked for {name}")


def _asker() -> str:
    """The nearest module on the stack that is not the standard library's."""
    frame = sys._getframe(1)
    while frame:
        module = str(frame.f_globals.get("__name__"))
        if module != __name__ and module.partition(".")[0] not in sys.stdlib_module_names:
            return module
        frame = frame.f_back  # type: ignore[assignment]
    return "the standard library"


def _check_address(sock: socket.socket, address: Any) -> None:
    if sock.family in (socket.AF_INET, socket.AF_INET6):
        _check(address[0])


def _guarded_connect(self: socket.socket, address: Any) -> None:
    _check_address(self, address)
    _connect(self, address)


def _guarded_connect_ex(self: socket.socket, address: Any) -> int:
    _check_address(self, address)
    return _connect_ex(self, address)


def _guarded_sendto(self: socket.socket, data: Any, *rest: Any) -> int:
    _check_address(self, rest[-1])
    return _sendto(self, data, *rest)


def _guarded_getaddrinfo(host: Any, *arguments: Any, **options: Any) -> Any:
    _check(host)
    return _getaddrinfo(host, *arguments, **options)


socket.socket.connect = _guarded_connect  # type: ignore[method-assign, assignment]
socket.socket.connect_ex = _guarded_connect_ex  # type: ignore[method-assign, assignment]
socket.socket.sendto = _guarded_sendto  # type: ignore[method-assign, assignment]
socket.getaddrinfo = _guarded_getaddrinfo
