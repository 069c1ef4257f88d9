"""Mutated model folders, each added, listed, verified and run as the program does it:
`python -m tests.chaos.models --count 800 --seed 1`.

Folders of every kind that Galley reads are changed by seeded random damage: bytes, values of JSON, tensors, XML, links
and pipes. Whatever becomes of one, nothing but the processes that work on models and the engine may crash, none may
take 3 GB or compute for 30 s, and what is wrong is said in a sentence, never by a traceback. Each folder has a number;
`--only NUMBER` makes and runs that one again.

The processes are forks of one that has the program loaded, which is much faster than starting it for each.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import pickle
import random
import resource
import selectors
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.chaos import mutated
from tests.chaos.mutated import Outcome

LONGEST = 30.0
"""Seconds of computing that adding, or running, one folder may take."""

PATIENCE = 120.0
"""Seconds after which it hangs: the computer may have other work."""

MOST = 3 << 30
"""Bytes that any process may hold."""

CLIP = Path(__file__).parents[1] / "data" / "clips" / "00.flac"
KINDS = ("target", "target", "target", "draft", "shared draft", "graphs", "graphs", "network")

_TEXTS = (
    *("config.json", "generation_config.json", "tokenizer.json", "preprocessor_config.json", "galley.json"),
    *("special_tokens_map.json", "tokenizer_config.json"),
)
_VALUES: tuple[Any, ...] = (
    *(-1, 0, 1, 2, 3, 50, 447, 448, 449, 1500, 2**15, 2**31 - 1, 2**31, 2**32, 2**53, 2**63, 2**64, 10**30, 10**400),
    *(-(2**31), -(2**63), 0.5, -0.0, 1e308, math.inf, -math.inf, math.nan, True, False, None),
    *(
        "",
        "x",
        "x" * 100_000,
        "\ud800",
        "\0",
        "../../x",
        "<|en|>",
        "whisper",
        [],
        {},
        [[]],
        [None],
        [-1],
        [0] * 100_000,
    ),
    *([[0, 0]] * 1000, {"a": {}}, {"": 0}, list(range(60_000))),
)


# The folders that are damaged


def make_seeds(folder: Path) -> None:
    """One of each kind, in folders of these names; "network" holds the tiny networks that tell speakers apart."""
    from desktop_app.checkpoints import shared_draft
    from desktop_app.checkpoints.folder import read
    from desktop_app.training import draft
    from desktop_app.training.ctc import Head
    from tests import tiny_ir
    from tests.small_pair import SMALL_PAIR
    from tests.unit.runtimes.test_speakers_openvino import tiny_embedder, tiny_segmenter

    shutil.copytree(SMALL_PAIR, folder / "target")
    shutil.copytree(SMALL_PAIR / "draft", folder / "draft")
    tiny_ir.write(SMALL_PAIR, folder / "graphs")
    target = read(SMALL_PAIR)
    end, size = target.vocabulary.end, target.vocabulary.size
    head = (*range(0, end, 2), *range(end, size))
    mark = shared_draft.fingerprint(target.tensors)
    ctc = shared_draft.Ctc(16, 1, 3, tuple(range(10)), ("en",))
    languages = tuple(target.vocabulary.languages)
    settings = shared_draft.SharedDraft(target.name, mark, 1, draft.POOLING, languages, head, ctc)
    (folder / "shared draft").mkdir()
    trained = draft.Trained(draft.beginning(target, settings).eval(), Head(ctc, target.shape.width))
    draft.write(target, trained, settings, "small", folder / "shared draft")
    (folder / "network").mkdir()
    tiny_segmenter(folder / "network" / "segmentation.onnx")
    tiny_embedder(folder / "network" / "embedding.onnx")


def copy(seed: Path, folder: Path) -> None:
    """A folder of links to the same files, of which each is replaced before it is changed."""
    shutil.copytree(seed, folder, copy_function=os.link)


def replace(path: Path, data: bytes) -> None:
    path.unlink(missing_ok=True)
    path.write_bytes(data)


# Damage


def files(folder: Path, *ends: str) -> list[Path]:
    found = sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
    found = [path for path in found if path.stat().st_size < 1 << 27]  # not those that have grown
    return [path for path in found if path.name.endswith(ends)] if ends else found


def _bytes(folder: Path, rng: random.Random) -> str:
    path = rng.choice(files(folder))
    data = bytearray(path.read_bytes())
    if not data:
        return "nothing"
    for _ in range(rng.choice((1, 1, 8, 200))):
        place = rng.randrange(min(len(data), 4000) if rng.random() < 0.5 else len(data))
        size = rng.choice((1, 1, 4, 64, 4096))
        data[place : place + size] = rng.choice((bytes(size), b"\xff" * size, rng.randbytes(size), b"["))
    replace(path, bytes(data))
    return f"bytes of {path.name}"


def _cut(folder: Path, rng: random.Random) -> str:
    path = rng.choice(files(folder))
    data = path.read_bytes()
    keep = rng.choice((0, 1, 7, 8, 9, len(data) // 2, max(len(data) - 1, 0)))
    replace(path, data[:keep] + rng.choice((b"", b"", rng.randbytes(100))))
    return f"{path.name} cut at {keep}"


def _grown(folder: Path, rng: random.Random) -> str:
    path = rng.choice(files(folder))
    data, size = path.read_bytes(), rng.choice((1 << 20, 1 << 28, 20 << 30))
    replace(path, data)
    with path.open("rb+") as file:
        file.truncate(len(data) + size)
    return f"{path.name} grown by {size}"


def _place(folder: Path, rng: random.Random) -> str:
    """Something else in the place of a file, or nothing."""
    path = rng.choice([*files(folder), *(folder / name for name in _TEXTS)])
    if path.is_dir():
        path.rmdir()
    path.unlink(missing_ok=True)
    how = rng.choice(("gone", "pipe", "folder", "/dev/zero", "/etc/passwd", path.name, "../outside", "config.json"))
    if how == "pipe":
        os.mkfifo(path)
    elif how == "folder":
        path.mkdir()
    elif how != "gone":
        path.symlink_to(how)
    return f"{path.name} is {how}"


def _moved(folder: Path, rng: random.Random) -> str:
    """A file of one name with the contents of another."""
    one, other = rng.choice(files(folder)), rng.choice(files(folder))
    replace(one, other.read_bytes())
    return f"{one.name} is {other.name}"


def _nodes(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every container with each of its keys."""
    steps = [value]
    while steps:
        step = steps.pop()
        inner = step.items() if isinstance(step, dict) else enumerate(step) if isinstance(step, list) else ()
        for key, each in inner:
            yield step, key
            if isinstance(each, dict | list):
                steps.append(each)


def _json(folder: Path, rng: random.Random) -> str:
    texts = files(folder, ".json")
    if not texts:
        return _bytes(folder, rng)
    path = rng.choice(texts)
    try:
        found = json.loads(path.read_text("utf-8"))
    except ValueError:
        return "nothing"
    nodes = [(holder, key) for holder, key in _nodes(found) if len(holder) < 300] or list(_nodes(found))
    done = []
    for holder, key in rng.sample(nodes, min(rng.choice((1, 1, 2, 5)), len(nodes))):
        how = rng.choice(("value", "value", "value", "gone", "deep", "other"))
        if isinstance(holder, list) and key >= len(holder):
            continue
        if how == "gone":
            holder.pop(key, None) if isinstance(holder, dict) else holder.pop(key)
        elif how == "other":
            holder[key] = rng.choice(nodes)[0].copy()
        elif how == "deep":
            deep: Any = 0
            for _ in range(rng.choice((10, 300))):
                deep = [deep] if rng.random() < 0.5 else {"a": deep}
            holder[key] = deep
        else:
            holder[key] = rng.choice(_VALUES)
        done.append(f"{key} {how}")
    replace(path, json.dumps(found).encode("utf-8", "surrogatepass"))
    return f"{path.name}: {', '.join(done)}"


def _tensors(folder: Path, rng: random.Random) -> str:
    paths = files(folder, ".safetensors")
    if not paths:
        return _bytes(folder, rng)
    path = rng.choice(paths)
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    header, body = json.loads(data[8 : 8 + length]), bytearray(data[8 + length :])
    names = [name for name in header if name != "__metadata__"]
    name, other = rng.choice(names), rng.choice(names)
    how = rng.choice(("dropped", "renamed", "swapped", "overlapping", "moved", "kind", "sides", "numbers", "numbers"))
    about = header[name]
    if how == "dropped":
        del header[name]
    elif how == "renamed":
        header[rng.choice((f"{name}x", f"model.{name}", "", other))] = header.pop(name)
    elif how == "swapped":
        header[name], header[other] = header[other], header[name]
    elif how == "overlapping":
        about["data_offsets"] = header[other]["data_offsets"]
    elif how == "moved":
        shift = rng.choice((-1, 1, 4, 1 << 20, 1 << 62))
        about["data_offsets"] = [each + shift for each in about["data_offsets"]]
    elif how == "kind":
        about["dtype"] = rng.choice(("F16", "BF16", "F64", "I8", "I64", "F4", "", "F8_E4M3", 7))
    elif how == "sides":
        sides = about["shape"]
        changed = (sides[::-1], [*sides, 1], [math.prod(sides)], [1 << 40, *sides], [-1], [2**64], [1.0], [])
        about["shape"] = rng.choice(changed)
    else:
        begin, end = about["data_offsets"]
        pattern = rng.choice(
            (b"\x00\x00\xc0\x7f", b"\x00\x00\x80\x7f", b"\xff\xff\x7f\x7f", b"\xff", b"\0", b"\x00\x7c")
        )
        size = end - begin if rng.random() < 0.7 else len(pattern)
        body[begin : begin + size] = (pattern * (size // len(pattern) + 1))[:size]
    head = json.dumps(header).encode()
    replace(path, len(head).to_bytes(8, "little") + head + body)
    return f"{path.name}: {name} {how}"


def _xml(folder: Path, rng: random.Random) -> str:
    paths = files(folder, ".xml")
    if not paths:
        return rng.choice((_tensors, _json))(folder, rng)
    path = rng.choice(paths)
    lines = path.read_text("utf-8").splitlines()
    done = []
    for _ in range(rng.choice((1, 1, 2, 6))):
        at = rng.randrange(len(lines))
        how = rng.choice(("value", "value", "value", "gone", "twice", "swapped", "declared", "many"))
        if how == "value" and '="' in lines[at]:
            pieces = lines[at].split('"')
            which = rng.randrange(1, len(pieces), 2)
            pieces[which] = rng.choice(
                ("-1", "0", "99999999", "1" * 30, "", "f16", "i64", "Result", "-1,-1", "a&amp;b")
            )
            lines[at] = '"'.join(pieces)
        elif how == "gone":
            del lines[at]
        elif how == "twice":
            lines.insert(at, lines[at])
        elif how == "swapped":
            to = rng.randrange(len(lines))
            lines[at], lines[to] = lines[to], lines[at]
        elif how == "declared":
            lines.insert(1, '<!DOCTYPE net [<!ENTITY a "aaaa">]>')
        else:
            lines[at:at] = ["<a/>"] * 100_000
        done.append(how)
    replace(path, "\n".join(lines).encode())
    return f"{path.name}: {', '.join(done)}"


_Damage = Callable[[Path, random.Random], str]
_DAMAGES: tuple[_Damage, ...] = (_bytes, _cut, _grown, _place, _moved, *[_json] * 4, *[_tensors] * 3, *[_xml] * 2)


def mutate(folder: Path, rng: random.Random) -> str:
    """Damage a folder; says how."""
    done = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        with contextlib.suppress(ValueError, LookupError, TypeError, AttributeError):  # it is too damaged for more
            done.append(rng.choice(_DAMAGES)(folder, rng))
    return "; ".join(done)


# What is done with them


@cache
def _sound() -> npt.NDArray[np.float32]:
    from desktop_app.audio.files import AudioFile

    with AudioFile(CLIP) as audio:
        return np.concatenate(list(audio))[: 6 * 16_000]


class _Audio:
    """In the place of an AudioFile: decoding the same file again is no part of this."""

    damage = None

    def __init__(self, path: str, start: float) -> None:
        self.seconds = len(_sound()) / 16_000

    def __enter__(self) -> _Audio:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    def __iter__(self) -> Iterator[npt.NDArray[np.float32]]:
        return iter([_sound()])


def _add(folder: Path) -> list[tuple[str, str]]:
    """List, verify and add it as the window's and the terminal's processes do: a code and a sentence each."""
    from desktop_app.engine import model_list
    from desktop_app.messages.model_work import Add, Done, Refused, Verify
    from desktop_app.worker import model_tasks

    model_list.read()
    found = []
    for work in (Verify(folder.name), Add(str(folder), "added")):
        outcome = model_tasks._outcome(work, lambda what, done, total: None, lambda stage, **values: None)
        assert isinstance(outcome, Done | Refused)
        found.append(("done", "") if isinstance(outcome, Done) else _spoken(outcome.problem))
    model_list.read()
    return found


def _run(folder: Path, kind: str, number: int) -> list[tuple[str, str]]:
    """Load it and transcribe one window, as the engine's process does."""
    from desktop_app.messages.jobs import Failed, Transcribe
    from desktop_app.messages.options import Options
    from desktop_app.worker import file_job, main
    from desktop_app.worker.loaded_models import ModelCache
    from tests.small_pair import SMALL_PAIR

    sent: list[Any] = []

    class Outbox:
        send = staticmethod(sent.append)
        tentative = staticmethod(lambda make: sent.append(make()))

    drafts = kind in ("draft", "shared draft")
    precision = "auto" if kind == "graphs" else ("auto", "auto", "int8", "int4")[number % 4]
    options = Options(
        target=str(SMALL_PAIR if drafts or kind == "network" else folder),
        draft=str(folder) if drafts else "auto",
        precision=precision,
        words=number % 3 == 0,
        prompt="Mr. Quilter, " * (number % 5 == 0),
        speakers="auto" if kind == "network" else "off",
    )
    file_job.AudioFile = _Audio  # type: ignore[assignment, misc]
    try:
        file_job.run(Transcribe("job", str(CLIP), options), ModelCache(), Outbox(), lambda: False)  # type: ignore[arg-type]
        last = sent[-1]
    except BaseException as error:
        last = Failed("job", main.explained(error))
        if last.problem.code == "engine.mistake":
            return [("engine.mistake", traceback.format_exc())]
    if isinstance(last, Failed):
        return [_spoken(last.problem)]
    return [("done", ""), *(_spoken(each) for each in last.transcript.models.notices)]


def _spoken(problem: Any) -> tuple[str, str]:
    from desktop_app.app.presentation import problems

    return problem.code, problems.sentence(problem)


def _forked(
    work: Callable[[], list[tuple[str, str]]], before: Callable[[], None] | None
) -> tuple[list[tuple[str, str]], float, int]:
    """What some work says in a process of its own; how long it computed, or hung, and its peak of memory."""
    ours, theirs = os.pipe()
    began = time.monotonic()
    pid = os.fork()
    if pid == 0:
        os.close(ours)
        try:
            resource.setrlimit(resource.RLIMIT_DATA, (3 * MOST, 3 * MOST))
            if before:
                before()
            found = work()
        except BaseException:
            found = [("traceback", traceback.format_exc())]
        with os.fdopen(theirs, "wb") as out:
            pickle.dump(found, out)
        os._exit(0)
    os.close(theirs)
    said, waiting = b"", selectors.DefaultSelector()
    waiting.register(ours, selectors.EVENT_READ)
    while waiting.select(began + PATIENCE - time.monotonic()):
        block = os.read(ours, 1 << 16)
        if not block:
            break
        said += block
    os.close(ours)
    waited = time.monotonic() - began
    if waited >= PATIENCE:
        os.kill(pid, signal.SIGKILL)
    _, status, usage = os.wait4(pid, 0)
    seconds = waited if waited >= PATIENCE else usage.ru_utime + usage.ru_stime
    found = pickle.loads(said) if said else [("died", f"signal {os.waitstatus_to_exitcode(status)}")]
    return found, seconds, 1024 * usage.ru_maxrss


def run_one(seeds: Path, seed: int, scratch: Path, number: int) -> Outcome:
    """Make one damaged folder among the installed models, and do all with it that a user might."""
    home = scratch / str(number)
    (home / "cache").mkdir(parents=True)
    (home / "cache" / "compiled").touch()  # so that nothing is kept: every folder is another one
    os.environ["GALLEY_HOME"] = str(home)
    (home / "outside").write_text("{}")
    rng = random.Random(f"{seed} {number}")
    kind = rng.choice(KINDS)
    folder = home / "data" / "models" / "model"
    folder.parent.mkdir(parents=True)
    _prepare(seeds)
    copy(seeds / kind, folder)
    what = mutate(folder, rng)
    codes, findings, longest, peak = list[str](), list[str](), 0.0, 0
    for work in (partial(_add, folder), partial(_run, folder, kind, number)):
        said, seconds, most = _forked(work, partial(_use_networks, seeds, folder) if kind == "network" else None)
        longest, peak = max(longest, seconds), max(peak, most)
        codes += [code for code, _ in said]
        findings += [f"{code}: {text}" for code, text in said if not _plain(code, text)]
    if longest > LONGEST:
        findings.append(f"took {longest:.0f} s")
    if peak > MOST:
        findings.append(f"took {peak >> 20} MiB")
    if not findings:
        shutil.rmtree(home)
    return Outcome(number, f"{kind}: {what}", tuple(codes), longest, peak, tuple(findings))


def _plain(code: str, text: str) -> bool:
    """Whether that is a sentence for a person. A process that died is spoken of by the one that had started it."""
    if code in ("done", "died"):
        return True
    ends = text.rstrip('"”').endswith((".", "!", "?")) or code == "model.notice"
    return code not in ("engine.mistake", "traceback") and ends and "\n" not in text


@cache
def _prepare(seeds: Path) -> None:
    """Load what forks need; nothing that starts threads."""
    _sound()
    from desktop_app.engine import model_list, model_work  # noqa: F401
    from desktop_app.runtimes import openvino, openvino_folder, speakers_openvino  # noqa: F401
    from desktop_app.worker import file_job, loaded_models, main  # noqa: F401


def _use_networks(seeds: Path, folder: Path) -> None:
    """Let the catalogue know the sound networks, and the program find the damaged ones."""
    import dataclasses

    from desktop_app.checkpoints import parts, speaker_networks

    known = []
    for entry in speaker_networks.entries():
        file = f"{entry.part}.onnx"
        about = {"bytes": (seeds / "network" / file).stat().st_size, "sha256": parts.digest(seeds / "network" / file)}
        known.append(dataclasses.replace(entry, file=file, name="model", **about))
    speaker_networks.entries = lambda: tuple(known)  # type: ignore[assignment]
    speaker_networks.bundled = lambda entry: folder / "none"


def run(count: int, seed: int, scratch: Path, jobs: int, first: int = 0) -> list[Outcome]:
    """Try so many damaged folders."""
    seeds = scratch / "seeds"
    seeds.mkdir(parents=True, exist_ok=True)
    context = get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:  # it loads PyTorch, whose threads no fork survives
        pool.submit(make_seeds, seeds).result()
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        return list(pool.map(partial(run_one, seeds, seed, scratch), range(first, first + count)))


if __name__ == "__main__":
    sys.exit(mutated.main("tests.chaos.models", __doc__, run, 100))
