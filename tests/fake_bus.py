"""A message bus with the services that Galley asks, at a socket of its own; so that tests neither need a desktop nor
trouble one."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Any

from jeepney import Message, MessageType, new_error, new_method_return
from jeepney.low_level import HeaderFields, Parser


class FakeBus:
    """Answers one connection after the other.

    Attributes:
        address: for DBUS_SYSTEM_BUS_ADDRESS or DBUS_SESSION_BUS_ADDRESS.
        calls: the methods that were called, with their values.
        refused: values of calls that are refused, by their first one.
        locks: of each lock that was given, a pipe that ends when it is let go.
    """

    def __init__(self, path: Path) -> None:
        self.address = f"unix:path={path}"
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self.refused: set[str] = set()
        self.locks: list[int] = []
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen()
        self._thread = Thread(target=self._serve, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the bus."""
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(5.0)
        for lock in self.locks:
            os.close(lock)

    def is_held(self, number: int) -> bool:
        """Whether a lock that was given is still held."""
        os.set_blocking(self.locks[number], False)
        try:
            return os.read(self.locks[number], 1) != b""
        except BlockingIOError:
            return True

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _address = self._listener.accept()
                with connection, suppress(OSError):
                    self._welcome(connection)
                    self._answer(connection)

    @staticmethod
    def _welcome(connection: socket.socket) -> None:
        """The handshake of the D-Bus Specification, for a client of the same user."""
        lines = connection.makefile("rb", buffering=0)
        for line in iter(lines.readline, b""):
            if b"AUTH" in line:
                connection.sendall(b"OK 0123456789abcdef0123456789abcdef\r\n")
            elif line.startswith(b"NEGOTIATE"):
                connection.sendall(b"AGREE_UNIX_FD\r\n")
            elif line.startswith(b"BEGIN"):
                return

    def _answer(self, connection: socket.socket) -> None:
        parser, number = Parser(), 0
        while data := connection.recv(4096):
            parser.add_data(data)
            while (message := parser.get_next_message()) is not None:
                if message.header.message_type == MessageType.method_call:
                    number += 1
                    self._send(connection, self._reply(message), number)

    def _reply(self, message: Message) -> Message:
        method = message.header.fields[HeaderFields.member]
        if method == "Hello":
            return new_method_return(message, "s", (":1.1",))
        self.calls.append((method, message.body))
        if message.body[0] in self.refused:
            return new_error(message, "org.freedesktop.DBus.Error.AccessDenied", "s", ("no",))
        if method == "Inhibit":
            reader, writer = os.pipe()
            self.locks.append(reader)
            return new_method_return(message, "h", (writer,))
        return new_method_return(message, "u", (len(self.calls),))

    @staticmethod
    def _send(connection: socket.socket, message: Message, number: int) -> None:
        if message.header.fields.get(HeaderFields.signature) == "h":
            given = list(message.body)
            data = message.serialise(number, fds=(sent := list[int]()))  # type: ignore[arg-type]
            socket.send_fds(connection, [data], sent)
            for each in given:
                os.close(each)
        else:
            connection.sendall(message.serialise(number))


@contextmanager
def fake_bus(folder: Path) -> Iterator[FakeBus]:
    """A bus in a folder until the end of the block."""
    made = FakeBus(folder / "bus")
    try:
        yield made
    finally:
        made.close()
