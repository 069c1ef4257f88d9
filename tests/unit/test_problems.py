"""Every problem has a sentence that names what it is given, and crosses processes and the library unharmed."""

from __future__ import annotations

import ast
import json
import pickle
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop_app import problems as root
from desktop_app.app.presentation import problems, stages
from desktop_app.problems import Problem

PACKAGE = Path(__file__).resolve().parents[2] / "desktop_app"


def calls(*names: str) -> Iterator[tuple[str, ast.Call]]:
    """Every call of these functions in the program, with its place."""
    for file in sorted(PACKAGE.rglob("*.py")):
        if file == PACKAGE / "problems.py":
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
                if name in names:
                    yield f"{file.relative_to(PACKAGE)}:{node.lineno}", node


def codes(argument: ast.expr) -> list[str]:
    """The codes that an argument may be: a literal, or one of two."""
    either = [argument.body, argument.orelse] if isinstance(argument, ast.IfExp) else [argument]
    return [one.value for one in either if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def fields(*texts: str) -> set[str]:
    return {name for text in texts for _text, name, _format, _conversion in string.Formatter().parse(text) if name}


def test_every_problem_has_a_sentence_with_its_values() -> None:
    used = set[str]()
    for place, call in calls("Problem"):
        assert len(call.args) == 1, f"{place}: a code and named values"
        assert codes(call.args[0]), f"{place}: the code is a literal"
        for code in codes(call.args[0]):
            assert code in problems._SENTENCES, f"{place}: {code} has no sentence"
            assert {each.arg for each in call.keywords} == fields(*problems._SENTENCES[code]), f"{place}: {code}"
            used.add(code)
    assert used == set(problems._SENTENCES)


def test_every_stage_has_a_sentence_with_its_values() -> None:
    used = set()
    for place, call in calls("announce", "say", "Preparing"):
        first = call.args[1:] if isinstance(call.func, ast.Name) and call.func.id == "Preparing" else call.args
        stage = first[0].value if first and isinstance(first[0], ast.Constant) else ""
        if stage in stages._SENTENCES:
            assert {each.arg for each in call.keywords} == fields(stages._SENTENCES[stage]), place
            used.add(stage)
    assert used == set(stages._SENTENCES)


def test_sentences_are_whole() -> None:
    """A reason or a remedy begins and ends like a sentence, so that two of them can follow each other."""
    whole = [text for pair in problems._SENTENCES.values() for text in pair if text and text != "{text}"]
    assert [text for text in whole if not (text[0].isupper() or text[0] == "{")] == []
    assert [text for text in whole if not text.endswith((".", "{cause}"))] == []


@pytest.mark.parametrize("code", problems._SENTENCES)
def test_every_problem_can_be_described(code: str) -> None:
    values = {
        name: Problem("disk.full") if name == "cause" else f"<{name}>" for name in fields(*problems._SENTENCES[code])
    }
    reason, remedy = problems.describe(Problem(code, **values))
    assert reason
    assert "{" not in reason + remedy
    for name in values:
        assert (f"<{name}>" if name != "cause" else "The disk is full.") in f"{reason} {remedy}"


def test_a_problem_has_the_remedy_of_its_cause() -> None:
    problem = Problem("model.no_speakers", cause=Problem("model.no_network", name="voices"))
    assert problems.describe(problem) == (
        "The speakers could not be identified. The speaker network voices is not installed.",
        "Download voices.",
    )
    own = Problem("model.draft_unusable", draft="a", target="b", cause=Problem("disk.full"))
    assert problems.sentence(own) == "a cannot draft for b. The disk is full. Choose another draft, or none."


NESTED = Problem("model.own_draft", cause=Problem("model.layers", model="base", found=2, wanted=3))


def test_it_crosses_a_pipe_and_json() -> None:
    assert pickle.loads(pickle.dumps(NESTED)) == NESTED
    assert root.from_plain(json.loads(json.dumps(root.plain(NESTED)))) == NESTED
    assert Problem("model.own_draft", cause=Problem("disk.full")) != NESTED
    assert (NESTED.kind, str(Problem("disk.low", minutes=3))) == ("model", "disk.low minutes=3")
