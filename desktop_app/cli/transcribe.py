"""`galley transcribe`: files through one engine, text to standard output or into a folder."""

from __future__ import annotations

import argparse
import json
import os
import queue
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop_app import atomic, printing, private
from desktop_app.app.library import media, standard_input
from desktop_app.app.presentation import problems, stages
from desktop_app.app.presentation.wording import clock, guard_report, models_in_use, size
from desktop_app.cli import export_arguments, model_arguments, results, unfinished
from desktop_app.cli.interrupts import INTERRUPTED
from desktop_app.cli.screen import Screen
from desktop_app.engine.client import Engine
from desktop_app.engine.file_keeper import FileKeeper
from desktop_app.export.formats import FORMATS
from desktop_app.export.json_format import json_object, statistics_object
from desktop_app.messages.jobs import Event, Failed, Finished, Preparing, Progress, SegmentReady, Started, Transcribe
from desktop_app.messages.options import OFF, TRANSCRIBE
from desktop_app.problems import Problem
from desktop_app.texts import _
from desktop_app.transcript.model import Models, Segment, Transcript
from desktop_app.transcript.paragraphs import follow, is_over
from desktop_app.transcript.so_far import TextSoFar
from desktop_app.transcript.statistics import Statistics

DONE, FAILED, USAGE, NO_ENGINE = 0, 1, 2, 3
_PIPED = "-"  # the argument that stands for standard input
_KEEP = 5.0  # seconds between two times that the state of a file is kept for a later run


def run(arguments: argparse.Namespace) -> int:
    """Transcribe the files; gives the exit status."""
    with Screen() as screen:
        if arguments.output and (problem := make_folder(Path(arguments.output))):
            screen.say(problem)
            return USAGE
        if FORMATS[arguments.format].is_binary and not arguments.output:
            screen.say(
                _(
                    "The format {format} cannot be shown in a terminal. Choose a folder with --output.",
                    format=arguments.format,
                )
            )
            return USAGE
        files = _files(arguments.files)
        if not files:
            folders = ", ".join(map(printing.one_line, arguments.files))
            screen.say(_("{folder}: There are no recordings in this folder. Choose another folder.", folder=folders))
            return USAGE
        if refusal := _piped_refused(files):
            screen.say(refusal)
            return USAGE
        run = _Run(arguments, files, screen)
        try:
            return run.refused() or run.all()
        except Problem as problem:  # with the copy of standard input
            screen.clear()
            screen.say(f"galley: {problems.sentence(problem)}")
            return FAILED


class _Run:
    """All files of one command, one after another."""

    def __init__(self, arguments: argparse.Namespace, files: list[str], screen: Screen) -> None:
        self._files = [standard_input.NAME if file == _PIPED else file for file in files]  # as they are called
        self._piped = files.index(_PIPED) if _PIPED in files else None
        self._copy = ""  # of standard input
        self._export = export_arguments.export(arguments)
        form = self._export.form
        self._stats_file: str | None = arguments.stats
        self._screen = screen
        words = arguments.speakers != OFF or form.needs_words if arguments.words is None else arguments.words
        self._options = model_arguments.options(arguments, TRANSCRIBE, words=words)
        folder = arguments.output
        self._targets = _targets(self._files, folder, form.extension, arguments.file_name) if folder else []
        # Whose words they are is known when the whole file is heard: then the text cannot come line by line.
        self._streams = form.name == "txt" and not (folder or arguments.times) and arguments.speakers == OFF
        self._finished: list[Transcript] = []
        self._failures: list[tuple[str, str]] = []
        self._keepers: list[FileKeeper] = []  # of each file
        self._kept_at = time.monotonic()
        self._started: Started | None = None
        self._text = TextSoFar("")  # of the file in work
        self._written = 0  # segments of the file that are on standard output
        self._before: Segment | None = None  # the last of them
        self._since, self._over = 0.0, False  # when the last paragraph began, and whether a sentence is over
        self._notices: set[str] = set()

    def refused(self) -> int:
        """Look whether the results can be written, before hours of work; gives the exit status, DONE where they can."""
        for target in self._targets:
            if refusal := results.place_refused(target):
                self._screen.say(refusal)
                return USAGE
        if self._stats_file and (error := results.refusal(Path(self._stats_file))):
            self._say_no_stats(error)
            return USAGE
        return DONE

    def all(self) -> int:
        """Transcribe; gives the exit status. Raises Problem where standard input cannot be copied."""
        if self._piped is None:
            return self._all()
        try:
            with standard_input.copied(sys.stdin.fileno(), self._show_copied) as copy:
                self._copy = str(copy)
                return self._all()
        except KeyboardInterrupt:  # before there was a copy
            return self._interrupted()

    def _show_copied(self, done: int) -> None:
        self._screen.show(_("Reading standard input"), note=size(done))

    def _all(self) -> int:
        events: queue.SimpleQueue[Event] = queue.SimpleQueue()
        engine = Engine(events.put)
        try:
            unfinished.forget_old()
            for number, name in enumerate(self._files):
                file = self._copy if number == self._piped else name
                before = unfinished.find(file, self._options) or ()
                self._keepers.append(FileKeeper(Transcribe(str(number), file, self._options, *before)))
                engine.transcribe(str(number), file, self._options, *before)
            status = DONE
            ended = 0
            while ended < len(self._files) and status != NO_ENGINE:
                event = events.get()
                ended += isinstance(event, (Finished, Failed))
                status = max(status, self._take(event))
        except KeyboardInterrupt:
            status = self._interrupted()
        finally:
            self._screen.clear()
            engine.close()
        return self._write_stats(status)

    def _take(self, event: Event) -> int:
        """Show what happened; gives the exit status as far as this event decides it."""
        number = int(event.job)
        self._keepers[number].note(event)
        match event:
            case Preparing():
                self._screen.show(stages.preparing(event))
                if event.stage == "restarting":
                    self._screen.say(f"{printing.one_line(self._files[number])}: {stages.preparing(event)}")
            case Started():
                self._resume(number, event)
                self._notice(models_in_use(event.models))
                self._notices_of(event.models)
                self._screen.show(self._place(number), 0.0, event.audio_seconds)
            case SegmentReady():
                self._text.add([event.segment])
                self._stream()
            case Progress():
                if time.monotonic() > self._kept_at + _KEEP:
                    self._keep_for_later(number)
                self._screen.show(self._place(number), event.done_seconds, event.audio_seconds, _speed(event.stats))
            case Finished():
                return self._finish(number, event.transcript)
            case Failed():
                return self._fail(number, event)
        return DONE

    def _finish(self, number: int, transcript: Transcript) -> int:
        file, transcript = printing.one_line(self._files[number]), replace(transcript, path=self._files[number])
        self._notices_of(transcript.models)
        if transcript.damage:
            self._screen.say(f"{file}: {problems.sentence(transcript.damage)}")
        if transcript.guarded:
            self._screen.say(f"{file}: {guard_report(transcript.guarded)}")
        if not transcript.segments:
            self._screen.say(f"{file}: {_('No speech was found in this recording.')}")
        try:
            self._write(number, transcript)
        except OSError as error:
            self._keep_for_later(number)
            self._close_file()
            reason = _("The transcript cannot be written ({error}).", error=error.strerror or error)
            self._note(file, reason)
            self._notice(_("Free some space or choose another folder, then repeat the command."))
            return FAILED
        except Problem as problem:  # the sound is to be in the file
            self._keep_for_later(number)
            self._close_file()
            self._note(file, *problems.describe(problem))
            return FAILED
        unfinished.forget(self._files[number], self._options)
        self._close_file()
        self._finished.append(transcript)
        return DONE

    def _write(self, number: int, transcript: Transcript) -> None:
        """Write or print the transcript of a file. Raises OSError where its place refuses it, and Problem."""
        copy = self._copy if number == self._piped else ""
        if self._targets:
            target = self._targets[number]
            atomic.write(target, self._export.render(transcript, target.parent, copy))
        elif self._streams:
            if number + 1 < len(self._files):
                self._screen.text("\n")
        else:
            self._screen.text(str(self._export.render(transcript, copy=copy)))

    def _resume(self, number: int, event: Started) -> None:
        """An engine begins with a file, or goes on behind what another one, or another run of the command, has done."""
        if self._started is None:
            before = self._keepers[number].request.written if event.kept else None
            self._text = TextSoFar(self._files[number], before)
            if before is not None:
                file, reached = printing.one_line(self._files[number]), clock(before.segments[-1].end)
                self._screen.say(_("{file}: Resumed at {time}.", file=file, time=reached))
        self._started, self._text.models = event, event.models
        self._text.keep(event.kept)
        self._stream()

    def _stream(self) -> None:
        """Print the segments that are not printed yet; another engine writes some once more."""
        if self._streams:
            for segment in self._text.segments[self._written :]:
                begins = False
                if self._before is None:
                    self._since = segment.speech_start
                else:
                    begins, self._since = follow(segment, self._before, self._since, self._over)
                self._before, self._over = segment, is_over(segment, self._over)
                self._screen.text(f"\n{segment.text}\n" if begins else f"{segment.text}\n")
            self._written = max(self._written, len(self._text.segments))

    def _keep_for_later(self, number: int) -> None:
        self._kept_at = time.monotonic()
        if number != self._piped:  # which no other run can resume
            unfinished.keep(self._keepers[number].resumed())

    def _close_file(self) -> None:
        self._started, self._written, self._before, self._over = None, 0, None, False

    def _notice(self, notice: str) -> None:
        """Say what the reader must know of all files, once."""
        if notice not in self._notices:
            self._notices.add(notice)
            self._screen.say(notice)

    def _notices_of(self, models: Models) -> None:
        for notice in models.notices:
            self._notice(problems.sentence(notice))

    def _fail(self, number: int, event: Failed) -> int:
        self._keep_for_later(number)
        reason, remedy = problems.describe(event.problem)
        if problems.concerns_every_file(event.problem):
            self._screen.say(f"galley: {reason} {remedy}".rstrip())
            self._failures.append((self._files[number], reason))
            return NO_ENGINE
        self._note(printing.one_line(self._files[number]), reason, remedy)
        self._keep_part(number)
        return FAILED

    def _note(self, file: str, reason: str, remedy: str = "") -> None:
        self._screen.say(f"{file}: {reason} {remedy}".rstrip())
        self._failures.append((file, reason))

    def _keep_part(self, number: int) -> None:
        """Write the segments of a file that will not be finished beside where its result would be, and say so."""
        started = self._started
        self._close_file()
        if started is None or not self._text.segments or not self._targets:
            return
        whole = self._targets[number]
        part = whole.with_name(f"{whole.stem}.part{whole.suffix}")
        end = self._text.segments[-1].end
        transcript = self._text.transcript(end)
        try:
            atomic.write(part, self._export.render(transcript, part.parent))
        except OSError as error:
            why = error.strerror or error
            self._screen.say(_("{file}: The unfinished transcript cannot be written ({error}).", file=part, error=why))
        else:
            self._screen.say(
                _(
                    "The transcript of the first {seconds} s of {file} was saved to {part}.",
                    seconds=f"{end:.0f}",
                    file=printing.one_line(self._files[number]),
                    part=part,
                )
            )

    def _interrupted(self) -> int:
        if len(self._files) > 1:
            done = len(self._finished)
            self._screen.say(_("Interrupted. Transcribed files: {done} of {total}", done=done, total=len(self._files)))
        elif self._streams and self._text.segments:
            self._screen.say(_("Interrupted. The text above is final, but incomplete."))
        else:
            self._screen.say(_("Interrupted. The file was not transcribed to its end."))
        if self._started is not None:
            self._keep_for_later(int(self._started.job))
            self._keep_part(int(self._started.job))
        return INTERRUPTED

    def _place(self, number: int) -> str:
        name = printing.one_line(Path(self._files[number]).name)
        short = name if len(name) <= 32 else f"{name[:18]}…{name[-13:]}"
        return f"{number + 1}/{len(self._files)} {short}" if len(self._files) > 1 else short

    def _write_stats(self, status: int) -> int:
        if self._stats_file is None:
            return status
        figures = {
            "files": [_figures(transcript) for transcript in self._finished],
            "failed": [{"path": file, "reason": reason} for file, reason in self._failures],
            "total": statistics_object(sum((one.stats for one in self._finished), Statistics())),
        }
        try:
            atomic.write(Path(self._stats_file), json.dumps(figures, indent=2, ensure_ascii=False) + "\n")
        except OSError as error:
            self._say_no_stats(error)
            return max(status, FAILED)
        return status

    def _say_no_stats(self, error: OSError) -> None:
        self._screen.say(
            _(
                "{file}: The statistics cannot be written ({error}). Choose another file.",
                file=printing.one_line(str(self._stats_file)),
                error=error.strerror or error,
            )
        )


def _files(given: list[str]) -> list[str]:
    """The files as they were given, and instead of a folder the recordings in it, as the window takes them."""
    return [file for each in given for file in (media.expand([each]) if os.path.isdir(each) else [each])]


def _piped_refused(files: list[str]) -> str:
    """Why standard input cannot be transcribed, as far as that can be told before it is read; "" where it can."""
    if _PIPED in files and (sys.stdin is None or sys.stdin.isatty()):
        return _("Nothing is piped into the command. Pipe a recording into it, or name a file.")
    if files.count(_PIPED) > 1:
        return _("There is one standard input. Write - once.")
    return ""


def _targets(files: list[str], folder: str, extension: str, template: str) -> list[Path]:
    if template:
        return results.named(files, Path(folder), extension, template)
    return results.destinations(files, Path(folder), extension)


def _speed(stats: Statistics) -> str:
    factor = stats.real_time_factor
    return _("{factor} × real time", factor=f"{1 / factor:.1f}") if factor else ""


def make_folder(folder: Path) -> str:
    """Make the folder of the results; a sentence about why it cannot be, or ""."""
    try:
        with private.as_user():
            folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        return _(
            "{folder}: This is a file, not a folder. Choose another folder.", folder=printing.one_line(str(folder))
        )
    except OSError as error:
        why = error.strerror or error
        return _(
            "{folder}: The folder cannot be created ({error}). Choose another folder.",
            folder=printing.one_line(str(folder)),
            error=why,
        )
    return ""


def _figures(transcript: Transcript) -> dict[str, Any]:
    whole = json_object(transcript)
    return {"path": transcript.path, "models": whole["models"], "stats": whole["stats"]}
