"""Small engine programs that behave in one way each, for the tests of the client. The job's path says what to do."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import Connection

from desktop_app.engine.messages import (
    Cancel,
    Cancelled,
    Finished,
    LiveAudio,
    LiveUpdate,
    Preparing,
    SegmentReady,
    Shutdown,
    Started,
    StartLive,
    StopLive,
    Transcribe,
)
from desktop_app.transcript.model import Models, Segment, Transcript
from desktop_app.transcript.statistics import Statistics

SEGMENT = Segment(0, 0.0, 1.0, "Words")


def obliging(connection: Connection) -> None:
    """Does what the path says: "finish", "die" (by a signal), "leave" (without a word), "hang" (deaf to everything),
    "wait" (until it is cancelled). Tells its process id first.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        if isinstance(request, Shutdown):
            return
        if not isinstance(request, Transcribe):
            continue
        job = request.job
        connection.send(Preparing(job, str(os.getpid())))
        connection.send(SegmentReady(job, SEGMENT))
        match request.path:
            case "finish":
                models = Models("Target", "", "off", "CPU", "f32")
                connection.send(Finished(job, Transcript(request.path, 1.0, "en", 1.0, models, (SEGMENT,))))
            case "die":
                os.kill(os.getpid(), signal.SIGKILL)
            case "leave":
                os._exit(7)
            case "hang":
                time.sleep(60)
            case "wait":
                while not isinstance(connection.recv(), Cancel):
                    pass
                connection.send(Cancelled(job))


def listening(connection: Connection) -> None:
    """Writes a segment for each second of live audio, "0", "1" and so on by its place in the recording; half a second
    more is a word of the open line. The path of a session says when to "die": after 3 s of audio, the first time only
    or "die always"; or to be "deaf". A file finishes when a session has stopped, unless it is cancelled before.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    models = Models("Target", "", "off", "CPU", "f32")
    paused: list[str] = []
    while True:
        try:
            request = connection.recv()
        except EOFError:
            return
        match request:
            case Shutdown():
                return
            case Transcribe():
                connection.send(Preparing(request.job, str(os.getpid())))
                paused.append(request.job)
            case StartLive():
                session, said = request, request.resume.segments
                written: tuple[Segment, ...] = ()
                heard = request.resume.at
                connection.send(Preparing(request.job, f"{os.getpid()} from {heard} behind {request.resume.text!r}"))
                connection.send(Started(request.job, 0.0, models))
            case LiveAudio():
                assert request.start <= heard, "no block is missing"
                heard = request.start + len(request.samples) // 4
                if session.live.path == "deaf":
                    time.sleep(60)
                lines = []
                while (said + 1) * 16_000 <= heard:
                    lines.append(Segment(said, float(said), said + 1.0, str(said)))
                    said += 1
                written = (*written, *lines)
                ink = "half" if heard - said * 16_000 >= 8000 else ""
                seconds = heard / 16_000
                connection.send(
                    LiveUpdate(
                        request.job,
                        tuple(lines),
                        ink,
                        "",
                        "",
                        float(said),
                        seconds,
                        seconds,
                        0.0,
                        True,
                        Statistics(),
                        "en",
                    )
                )
                dies = session.live.path == "die always" or (session.live.path == "die" and not session.resume.at)
                if dies and heard >= session.resume.at + 3 * 16_000:
                    os.kill(os.getpid(), signal.SIGKILL)
            case StopLive():
                lines = (Segment(said, float(said), heard / 16_000, "rest"),)
                connection.send(
                    LiveUpdate(request.job, lines, "", "", "", heard / 16_000, 0.0, 0.0, 0.0, False, Statistics(), "en")
                )
                made = Transcript(session.live.path, heard / 16_000, "en", 1.0, models, (*written, *lines))
                connection.send(Finished(request.job, made))
                for job in paused:
                    connection.send(Finished(job, Transcript("file", 1.0, "en", 1.0, models)))
                paused.clear()
            case Cancel():
                connection.send(Cancelled(request.job))
                paused = [job for job in paused if job != request.job]
