"""A video's pictures: the right ones, small and few, from a process that may die or lie."""

from __future__ import annotations

import re
import struct
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
import soundfile

from desktop_app.audio import decoder_process
from desktop_app.audio.decoder_process import (
    END,
    PICTURE,
    PICTURE_HEADER,
    PICTURE_HEIGHT,
    PICTURE_WIDTH,
    PICTURES_A_SECOND,
    DecoderProcess,
)
from desktop_app.audio.pictures import Picture, PictureReader
from desktop_app.problems import Problem
from tests.videos import RATE, make_video
from tests.waiting import LONGEST, wait_until


def sent(path: Path, start: float = 0.0) -> list[Picture]:
    """All pictures of a file from a place on."""
    decoder, found = DecoderProcess(), []
    try:
        decoder.ask(path, start, pictures=True)
        while (message := decoder.receive())[0] == PICTURE:
            found.append(Picture(*message[1]))
        assert message[0] == END
    finally:
        decoder.close()
    return found


def second_of(picture: Picture) -> int:
    """In which second of the video this is seen, by its brightness."""
    return round((np.frombuffer(picture.rgb, np.uint8).mean() - 20) / 40)


def test_five_pictures_a_second_are_sent_from_a_place_on(tmp_path: Path) -> None:
    path = make_video(tmp_path / "talk.mkv")
    found = sent(path)
    assert len(found) == 4 * PICTURES_A_SECOND < 4 * RATE
    assert [second_of(each) for each in found] == [int(each.seconds + 0.01) for each in found]
    assert (found[0].seconds, found[0].width, found[0].height) == (0.0, 96, 64)
    later = sent(path, 2.55)
    assert later[0].seconds == 2.55 and second_of(later[0]) == 2, "the one that is seen then, not the next one"
    assert len(later) < 2 * PICTURES_A_SECOND
    assert [second_of(each) for each in sent(path, 60.0)] in ([3], []), "behind the end the last one at most"


def test_a_large_picture_is_made_small(tmp_path: Path) -> None:
    wide, high = (
        sent(make_video(tmp_path / "a.mkv", 0.4, (1280, 720))),
        sent(make_video(tmp_path / "b.mkv", 0.4, (320, 960))),
    )
    assert (wide[0].width, wide[0].height) == (PICTURE_WIDTH, 270)
    assert (high[0].width, high[0].height) == (107, PICTURE_HEIGHT)


def test_sound_has_no_pictures_and_what_is_no_video_is_a_problem(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "sound.wav", np.zeros(16_000), 16_000)
    assert sent(tmp_path / "sound.wav") == []
    (tmp_path / "text.mp4").write_bytes(b"not a video at all" * 100)
    with pytest.raises(Problem) as caught:
        sent(tmp_path / "text.mp4")
    assert caught.value.code == "file.not_media"
    with pytest.raises(Problem) as caught:
        sent(tmp_path / "none.mp4")
    assert caught.value.code == "file.missing"


def test_damaged_pictures_are_left_out(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """No traceback, whatever is wrong with the file; what can be seen is."""
    whole = make_video(tmp_path / "talk.mkv").read_bytes()
    drawn = np.random.default_rng(3)
    for attempt in range(12):
        damaged = bytearray(whole)
        for place in drawn.integers(600, len(whole), 60 * (attempt + 1)):
            damaged[place] = drawn.integers(256)
        path = tmp_path / f"damaged{attempt}.mkv"
        path.write_bytes(damaged[: len(damaged) // (1 + attempt % 3)])
        with suppress(Problem):
            assert all(len(each.rgb) == each.width * each.height * 3 for each in sent(path))
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.skipif(not decoder_process.FORKS, reason="only Linux has a fork server, and these limits")
def test_who_reads_pictures_can_open_and_write_nothing(tmp_path: Path) -> None:
    decoder = DecoderProcess()
    try:
        decoder.ask(make_video(tmp_path / "long.mkv", 30.0), pictures=True)
        assert decoder.receive()[0] == PICTURE
        server = decoder_process._server._process
        assert server is not None
        (child,) = Path(f"/proc/{server.pid}/task/{server.pid}/children").read_text("ascii").split()
        limits = dict(re.findall(r"^(Max .*?)  +(\w+)", Path(f"/proc/{child}/limits").read_text("ascii"), re.MULTILINE))
        assert limits["Max open files"] == limits["Max file size"] == limits["Max core file size"] == "0"
        assert limits["Max address space"] != "unlimited"
    finally:
        decoder.close()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\0" * 5,
        PICTURE_HEADER.pack(0.0, 2, 2) + b"\0" * 11,
        PICTURE_HEADER.pack(float("nan"), 2, 2) + b"\0" * 12,
        PICTURE_HEADER.pack(0.0, 0, 0),
        PICTURE_HEADER.pack(0.0, 2000, 1000) + b"\0" * 6_000_000,
    ],
)
def test_what_a_child_says_is_a_picture_may_be_none(content: bytes) -> None:
    with pytest.raises((ValueError, struct.error)):
        decoder_process._picture(content)


class Heard:
    """What a reader tells."""

    def __init__(self) -> None:
        self.pictures: list[Picture] = []
        self.ends: list[Problem] = []
        self.done = threading.Event()

    def came(self, path: str, picture: Picture) -> None:
        self.pictures.append(picture)

    def ended(self, path: str, problem: Problem) -> None:
        self.ends.append(problem)
        self.done.set()


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Where a process began to read."""
    found: list[float] = []
    ask = DecoderProcess.ask

    def note(it: DecoderProcess, path: str, start: float = 0.0, **others: bool) -> None:
        found.append(start)
        ask(it, path, start, **others)

    monkeypatch.setattr(DecoderProcess, "ask", note)
    return found


def test_one_process_follows_what_plays_and_another_begins_where_it_is_sought(
    tmp_path: Path, asked: list[float]
) -> None:
    path, heard = str(make_video(tmp_path / "talk.mkv")), Heard()
    reader = PictureReader(heard)
    try:
        for place in (0.0, 1.2, 2.1):
            reader.show(path, place)
            wait_until(lambda place=place: heard.pictures and second_of(heard.pictures[-1]) == int(place))
        assert asked == [0.0]
        reader.show(path, 0.9)
        wait_until(lambda: second_of(heard.pictures[-1]) == 0)
        assert asked == [0.0, 0.9]
        assert len(heard.pictures) == 4, "one for each place"
    finally:
        reader.stop()
    wait_until(lambda: reader._thread is None)


def test_a_file_that_cannot_be_read_is_told_once(tmp_path: Path, asked: list[float]) -> None:
    heard = Heard()
    reader = PictureReader(heard)
    for place in range(4):
        reader.show(str(tmp_path / "none.mp4"), float(place))
        assert heard.done.wait(LONGEST)
    reader.stop()
    wait_until(lambda: reader._thread is None)
    assert heard.ends == [Problem("file.missing")] and len(asked) == 1
