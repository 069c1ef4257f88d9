"""Small engine programs that behave in one way each, for the tests of the client. The job's path says what to do."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import Connection

from desktop_app.messages.jobs import (
    Cancel,
    Cancelled,
    Finished,
    LiveAudio,
    LiveUpdate,
    Preparing,
    Progress,
    SegmentReady,
    Shutdown,
    Started,
    StartLive,
    StopLive,
    Transcribe,
)
from desktop_app.transcript.model import Models, ResumePoint, Segment, Transcript
from desktop_app.transcript.statistics import Statistics
from desktop_app.worker.heartbeat import Heartbeat

HANGS = 3600.0  # seconds: longer than any test waits
SEGMENT = Segment(0, 0.0, 1.0, "Words")
ENDS = {"die": signal.SIGKILL, "die always": signal.SIGKILL, "stop": signal.SIGSTOP}


def obliging(connection: Connection) -> None:
    """Does what the path says: "finish", "die" (by a signal), "leave" (without a word), "hang" (deaf to everything),
    "wait" (until it is cancelled), "work" (for three seconds), "leave while loading". Tells its process id first.

    "stop" stops the process, and "stand still" beats on without coming further. The job "windows" writes one window and
    a part of the next one before that, and finishes when it is asked to go on.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    heartbeat, models = Heartbeat(connection.send), Models("Target", "", "off", "CPU", "f32")
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
        if request.written is not None and request.place is not None:
            connection.send(Started(job, 2.0, models, len(request.written.segments)))
            text = f"went on from {request.place.samples} of {len(request.written.segments)}"
            segments = (*request.written.segments, Segment(1, 1.0, 2.0, text))
            connection.send(Finished(job, Transcript(request.path, 2.0, "en", 1.0, models, segments)))
            continue
        connection.send(Preparing(job, str(os.getpid())))
        connection.send(SegmentReady(job, SEGMENT))
        if job == "windows":
            connection.send(Started(job, 2.0, models))
            connection.send(SegmentReady(job, SEGMENT))
            connection.send(Progress(job, 1.0, 2.0, Statistics(), place=ResumePoint(16_000, 1, "en", 1.0)))
            connection.send(SegmentReady(job, Segment(1, 1.0, 1.5, "the next")))
        match request.path:
            case "stop":
                os.kill(os.getpid(), signal.SIGSTOP)
            case "stand still":
                heartbeat.run()
                time.sleep(HANGS)
            case "work":
                heartbeat.run()
                connection.send(Started(job, 2.0, models))
                for _ in range(30):
                    heartbeat.step()
                    time.sleep(0.1)
                heartbeat.pause()
                connection.send(Finished(job, Transcript(request.path, 2.0, "en", 1.0, models)))
            case "leave while loading":
                connection.send(Preparing(job, "loading", {"name": "Target"}))
                os._exit(7)
            case "finish":
                connection.send(Finished(job, Transcript(request.path, 1.0, "en", 1.0, models, (SEGMENT,))))
            case "die":
                os.kill(os.getpid(), signal.SIGKILL)
            case "leave":
                os._exit(7)
            case "hang":
                time.sleep(HANGS)
            case "wait":
                while not isinstance(connection.recv(), Cancel):
                    pass
                connection.send(Cancelled(job))


def listening(connection: Connection) -> None:
    """Writes a segment for each second of live audio, "0", "1" and so on by its place in the recording; half a second
    more is a word of the open line. The path of a session says when to "die": after 3 s of audio, the first time only
    or "die always"; or to "stop" there in place of that; or to be "deaf". A file finishes
    when a session has stopped, unless it is cancelled before.
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
                received = request.resume.at
                connection.send(Preparing(request.job, f"{os.getpid()} from {received} behind {request.resume.text!r}"))
                connection.send(Started(request.job, 0.0, models))
            case LiveAudio():
                assert request.start <= received, "no block is missing"
                received = request.start + len(request.samples) // 4
                if session.live.path == "deaf":
                    time.sleep(HANGS)
                lines = []
                while (said + 1) * 16_000 <= received:
                    lines.append(Segment(said, float(said), said + 1.0, str(said)))
                    said += 1
                written = (*written, *lines)
                final = "half" if received - said * 16_000 >= 8000 else ""
                seconds = received / 16_000
                connection.send(
                    LiveUpdate(
                        request.job,
                        tuple(lines),
                        final,
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
                ends = session.live.path == "die always" or not session.resume.at
                if ends and session.live.path in ENDS and received >= session.resume.at + 3 * 16_000:
                    os.kill(os.getpid(), ENDS[session.live.path])
            case StopLive():
                lines = (Segment(said, float(said), received / 16_000, "rest"),)
                connection.send(
                    LiveUpdate(
                        request.job, lines, "", "", "", received / 16_000, 0.0, 0.0, 0.0, False, Statistics(), "en"
                    )
                )
                made = Transcript(session.live.path, received / 16_000, "en", 1.0, models, (*written, *lines))
                connection.send(Finished(request.job, made))
                for job in paused:
                    connection.send(Finished(job, Transcript("file", 1.0, "en", 1.0, models)))
                paused.clear()
            case Cancel():
                connection.send(Cancelled(request.job))
                paused = [job for job in paused if job != request.job]
