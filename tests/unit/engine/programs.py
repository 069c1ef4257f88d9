"""Small engine programs that behave in one way each, for the tests of the client. The job's path says what to do."""

from __future__ import annotations

import os
import signal
import time
from multiprocessing.connection import Connection

from desktop_app.engine.messages import Cancel, Cancelled, Finished, Preparing, SegmentReady, Shutdown, Transcribe
from desktop_app.transcript.model import Models, Segment, Transcript

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
