"""Changes the code on purpose, here and there, and looks whether a test notices: `python -m tools.mutants --seed 2`.

cosmic-ray makes the changes, one at a time, in a copy of the checkout. A fixed sample is tried, drawn by the seed: each
place that can be changed is as likely as any other, and so is each of its changes. The room's unit tests run once
without a change, and `tools.mutants_calls` notes which functions each of them calls. On a change only those run that
call the changed function, the quickest first and half a minute of them at most, until one fails. A test that takes five
times as long as without a change has noticed it.

Left out, because no test could notice or none has to: annotations, docstrings, protocols, code for type checkers, what
is logged, `__repr__`, `assert`, what only guards against mistakes of programmers (`frozen` data classes, `strict` in
zip, @abstractmethod), and `is` for `==`. `tools/MUTANTS.md` lists what else no test noticed, and why.
"""

from __future__ import annotations

import argparse
import ast
import difflib
import hashlib
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

import pytest
from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).resolve().parents[1]
ENOUGH = 0.85
"""The share of changes that tests have to notice."""

ROOMS = {
    "decoding/*.py": ("decoding/test_*.py",),
    "runtimes/*.py": ("runtimes/test_*.py",),
    "library/*.py": ("library/test_*.py", "test_power_cut.py"),
    "audio/recording.py": ("audio/test_recording*.py", "test_power_cut.py"),
}
"""Files of the package, and the unit tests that have to notice a change in them."""

_MOST = 30.0  # seconds, without the change, of the tests that run on it
_FACTOR = 5  # so many times as long as without a change a test may take
_SLACK = 20.0  # seconds on top of that: the machine may be busy
_NOT_NOTICED = (pytest.ExitCode.OK, pytest.ExitCode.INTERNAL_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED)
_MIXED = re.compile(r"ReplaceComparisonOperator_((Is|IsNot)_(?!Is)|(?!Is)\w+_(Is|IsNot)$)")

Place = tuple[Path, tuple[int, int], tuple[int, int]]
"""A file of the package; line and column where what is changed begins and ends."""


@dataclass(frozen=True)
class Mutant:
    """One change. Attributes: place; operator and occurrence (cosmic-ray's); tests (patterns of ROOMS)."""

    place: Place
    operator: str
    occurrence: int
    tests: tuple[str, ...]

    @property
    def file(self) -> Path:
        return self.place[0]

    @property
    def room(self) -> str:
        return self.file.parent.name

    @cached_property
    def code(self) -> str:
        """The file with the change."""
        source = self.file.read_text(encoding="utf-8")
        with suppress(AttributeError):  # cosmic-ray cannot replace an exception with a dotted name
            return mutate_code(source, get_operator(self.operator)(), self.occurrence) or source
        return source

    @property
    def changes(self) -> bool:
        """Whether anything that a test could notice is another."""
        return not _MIXED.search(self.operator) and _doing(self.code) != _doing(self.file.read_text(encoding="utf-8"))

    @property
    def function(self) -> str:
        """The innermost function around the change, as `tools.mutants_calls` names it; "" outside all functions."""
        line = self.place[1][0]
        name = ""
        found: list[tuple[ast.AST, str]] = [(ast.parse(self.file.read_text(encoding="utf-8")), "")]
        while found:
            node, inside = found.pop()
            for child in ast.iter_child_nodes(node):
                own = inside
                if isinstance(child, ast.FunctionDef | ast.ClassDef):
                    own = f"{inside}{child.name}"
                    if isinstance(child, ast.FunctionDef) and child.lineno <= line <= (child.end_lineno or 0):
                        name = own
                    own += ".<locals>." if isinstance(child, ast.FunctionDef) else "."
                found.append((child, own))
        return name

    def __str__(self) -> str:
        lines = difflib.unified_diff(self.file.read_text(encoding="utf-8").splitlines(), self.code.splitlines(), n=0)
        what = "\n".join(f"    {line}" for line in lines if line[:3] not in ("---", "+++"))
        return f"{self.file.relative_to(ROOT)}, {self.operator.partition('/')[2]}:\n{what}"


def sample(count: int, seed: int, room: str = "") -> list[Mutant]:
    """One change at each of so many places, of one room or of all."""
    at: dict[Place, list[Mutant]] = {}
    for mutant in _every():
        if room in ("", mutant.room):
            at.setdefault(mutant.place, []).append(mutant)
    chance = random.Random(seed)
    places = list(at)
    chance.shuffle(places)
    found: list[Mutant] = []
    for place in places:
        chance.shuffle(at[place])
        if len(found) < count:
            found += islice((mutant for mutant in at[place] if mutant.changes), 1)
    return found


def _every() -> Iterator[Mutant]:
    for pattern, tests in ROOMS.items():
        for file in sorted((ROOT / "desktop_app").glob(pattern)):
            nodes = list(ast_nodes(get_ast(file.read_text(encoding="utf-8"))))
            for name in sorted(operator_names()):
                operator = get_operator(name)
                if not operator.arguments():
                    made = operator()
                    positions = (position for node in nodes for position in made.mutation_positions(node))
                    for number, (begin, end) in enumerate(positions):
                        yield Mutant((file, begin, end), name, number, tests)


def _doing(code: str) -> str:
    """What of the code a test could notice; "" where it is no code."""
    try:
        return ast.dump(_Doing().visit(ast.parse(code)))
    except SyntaxError:
        return ""


class _Doing(ast.NodeTransformer):
    """Takes away what the module's docstring says is left out."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST | None:
        node.returns = None
        node.decorator_list = [one for one in node.decorator_list if ast.unparse(one) != "abstractmethod"]
        return None if node.name == "__repr__" else self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST | None:
        return None if "Protocol" in map(ast.unparse, node.bases) else self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        node.annotation = ast.Constant(None)
        return self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | None:
        return None if ast.unparse(node.test) == "TYPE_CHECKING" else self.generic_visit(node)

    def visit_Assert(self, node: ast.Assert) -> None:
        return None

    def visit_Expr(self, node: ast.Expr) -> ast.AST | None:
        is_idle = isinstance(node.value, ast.Constant) or ast.unparse(node).startswith("logging.")
        return None if is_idle else self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        idle = {"zip": ("strict",), "dataclass": ("frozen",)}.get(ast.unparse(node.func), ())
        node.keywords = [keyword for keyword in node.keywords if keyword.arg not in idle]
        return self.generic_visit(node)


class Copy:
    """A copy of the checkout in which one file at a time is changed."""

    def __init__(self, folder: Path, notes: Path | None = None) -> None:
        self._root = folder / "checkout"
        self._root.mkdir()
        for entry in ROOT.iterdir():
            if entry.name in ("desktop_app", "tests"):
                shutil.copytree(entry, self._root / entry.name, ignore=shutil.ignore_patterns("__pycache__"))
            elif not entry.name.startswith("."):
                (self._root / entry.name).symlink_to(entry)
        self._notes = notes or folder / "notes.json"
        self._known = json.loads(self._notes.read_text(encoding="utf-8")) if self._notes.exists() else {}

    def is_noticed(self, mutant: Mutant) -> bool:
        """Whether a test fails, or never ends, with the change."""
        every = {test: note for file in self._files(mutant) for test, note in self._tests(file).items()}
        path = mutant.file.relative_to(ROOT / "desktop_app").as_posix()
        function = f"{path}:{mutant.function}"
        calling = [
            test for test in every if any(f"{called}.".startswith(f"{function}.") for called in every[test]["calls"])
        ]
        if not mutant.function:  # a constant or a class: whoever uses the file, or imports it
            calling = [
                test for test in every if any(called.startswith(path) for called in every[test]["calls"])
            ] or list(every)
        calling.sort(key=lambda test: every[test]["seconds"])
        until = accumulate(every[test]["seconds"] for test in calling)
        calling = [test for test, seconds in zip(calling, until, strict=True) if seconds <= _MOST] or calling[:1]
        if not calling:
            return False
        place = self._root / mutant.file.relative_to(ROOT)
        before = place.read_text(encoding="utf-8")
        place.write_text(mutant.code, encoding="utf-8")
        try:
            slowest = _FACTOR * every[calling[-1]]["seconds"] + _SLACK
            total = _FACTOR * sum(every[test]["seconds"] for test in calling) + 2 * _SLACK
            code = self._run(calling, slowest, total)
            if code == pytest.ExitCode.USAGE_ERROR:  # a test of that name is no more: values in it are other ones
                code = self._run(sorted({test.partition("::")[0] for test in calling}), slowest, total)
            return code not in _NOT_NOTICED
        finally:
            place.write_text(before, encoding="utf-8")

    def _files(self, mutant: Mutant) -> list[Path]:
        folder = self._root / "tests" / "unit"
        return [file for pattern in mutant.tests for file in sorted(folder.glob(pattern))]

    def _tests(self, file: Path) -> dict[str, dict[str, Any]]:
        """The file's tests without a change: seconds and calls of each."""
        digest = f"{file.name} {hashlib.sha256(file.read_bytes()).hexdigest()}"
        if digest not in self._known:
            noted = self._root / "calls.json"
            code = self._run([str(file.relative_to(self._root))], None, None, GALLEY_MUTANTS_CALLS=str(noted))
            if code != pytest.ExitCode.OK:
                raise RuntimeError(f"{file.name} fails without any change")
            self._known[digest] = json.loads(noted.read_text(encoding="utf-8"))
            self._notes.write_text(json.dumps(self._known), encoding="utf-8")
        found: dict[str, dict[str, Any]] = self._known[digest]
        return found

    def _run(self, tests: list[str], each: float | None, limit: float | None, **environment: str) -> int:
        """pytest's exit code of the tests in this order, at most `each` seconds for one and `limit` for all of them."""
        path = os.pathsep.join(filter(None, (str(self._root), os.environ.get("PYTHONPATH"))))
        own = {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", "QT_QPA_PLATFORM": "offscreen"}
        options = "-q -x -p no:randomly -p no:cacheprovider -p tools.mutants_calls --timeout-method=thread".split()
        if each:
            options.append(f"--timeout={each:.0f}")
        out = subprocess.DEVNULL if limit else None  # what fails without a change is to be seen
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *options, *tests],
            cwd=self._root,
            env={**os.environ, **own, "HYPOTHESIS_PROFILE": "mutants", **environment},
            stdout=out,
            stderr=out,
            start_new_session=True,
        )
        try:
            return process.wait(limit)
        except subprocess.TimeoutExpired:
            return pytest.ExitCode.INTERRUPTED
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # with all that the tests started
            process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=100, help="how many changes (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=2, help="which ones (default: %(default)s)")
    parser.add_argument("--room", default="", help="only changes in this folder of the package")
    parser.add_argument("--notes", type=Path, help="keep here what the tests call, for the next time")
    given = parser.parse_args()
    tried: list[Mutant] = []
    survivors: list[Mutant] = []
    mutants = sample(given.count, given.seed, given.room)
    with tempfile.TemporaryDirectory(prefix="galley-mutants-") as folder, suppress(KeyboardInterrupt):
        copy = Copy(Path(folder), given.notes)
        for mutant in mutants:
            noticed = copy.is_noticed(mutant)
            tried.append(mutant)
            survivors += [mutant] if not noticed else []
            print(f"{len(tried)}/{len(mutants)} {'noticed' if noticed else 'NOT NOTICED'}: {mutant}", flush=True)
    missed = Counter(mutant.room for mutant in survivors)
    for room, count in Counter(mutant.room for mutant in tried).items():
        print(f"{room}: {count - missed[room]} of {count} noticed")
    share = 1 - len(survivors) / max(1, len(tried))
    print(f"{share:.0%} of {len(tried)} changes noticed (seed {given.seed}, {given.count} drawn); not noticed:")
    for mutant in survivors:
        print(mutant)
    return 0 if share >= ENOUGH else 1


if __name__ == "__main__":
    sys.exit(main())
