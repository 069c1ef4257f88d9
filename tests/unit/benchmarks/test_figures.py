"""The figures that readers are shown: no table is typed, each figure says where it is from, and a benchmark's new
figure takes the place of the old one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from benchmarks import galley_bench
from benchmarks.figures import page, records
from benchmarks.figures.records import Claim, Figure, Topic
from benchmarks.peers import __main__ as peers
from benchmarks.peers.contestants import ALONE, WITH_DRAFT
from desktop_app.checkpoints import installed
from desktop_app.checkpoints.folder import read

TOP = Path(__file__).resolve().parents[3]
MOST = 12 * 1024
RUN = ("galley bench speed", "1234567", "2026-11-28")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A topic with one claim that was measured on two kinds of processor."""
    figures = {"AVX2": Figure((1.18,), *RUN), "Zen 5": Figure((1.46,), *RUN, "a note")}
    claim = Claim("as fast as alone", "×", "≥ 1.45", figures)
    records.write("draft", Topic("The draft", "", (claim, Claim("not measured yet"))), tmp_path)
    return tmp_path


@pytest.fixture(autouse=True)
def history(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GALLEY_COMMIT", "abcdef1")


def test_the_pages_are_what_the_figures_render_to() -> None:
    """After a change of figures: `make results`."""
    assert (TOP / "benchmarks" / "RESULTS.md").read_text("utf-8") == page.page()
    readme = (TOP / "README.md").read_text("utf-8")
    assert readme == page.with_table(readme)


def test_the_page_is_one_that_a_person_reads() -> None:
    assert len(page.page().encode()) <= MOST


def test_every_figure_says_where_it_is_from() -> None:
    assert {file.stem for file in records.HOME.glob("*.json")} == set(records.TOPICS)
    for name in records.TOPICS:
        topic = records.read(name)
        assert len({each.claim for each in topic.claims}) == len(topic.claims), name
        for claim in topic.claims:
            page.missed(claim.goal, (0.0,))
            for kind, figure in claim.figures.items():
                assert kind in records.PROCESSORS and figure.values and figure.command, (claim.claim, kind)
                assert re.fullmatch(r"[0-9a-f]{7,40}(, changed)?|not recorded", figure.commit), figure.commit
                date.fromisoformat(figure.date)


def test_a_new_figure_takes_the_place_of_the_old_one(home: Path) -> None:
    before = records.read("draft", home)
    records.record("draft", "as fast as alone", 1.23456, processor="AVX2", command="galley new", home=home)
    changed, *others = records.read("draft", home).claims
    today = changed.figures["AVX2"]
    assert (today.values, today.command, today.commit) == ((1.235,), "galley new", "abcdef1")
    assert (changed.unit, changed.goal) == ("×", "≥ 1.45")
    assert changed.figures["Zen 5"] == before.claims[0].figures["Zen 5"] and others == [*before.claims[1:]]


def test_a_claim_that_is_new_is_added(home: Path) -> None:
    records.record("draft", "accepted", (0.9, 2.8), unit="%", goal="≥ 0.85 / 2.7", processor="GPU", home=home)
    added = records.read("draft", home).claims[-1]
    assert (added.claim, added.unit, added.goal) == ("accepted", "%", "≥ 0.85 / 2.7")
    assert added.figures["GPU"].values == (0.9, 2.8)


def test_a_table_has_a_column_for_each_processor_and_names_each_run_once(home: Path) -> None:
    assert page.section(records.read("draft", home), "2026").splitlines() == [
        "",
        "## The draft",
        "",
        "|claim|goal|AVX2|Zen 5|",
        "|---|---|---|---|",
        "|as fast as alone, ×|≥ 1.45|1.18¹ missed|1.46²|",
        "|not measured yet||not run||",
        "",
        "- `galley bench speed`: ¹ 1234567, 11-28; ² 1234567, 11-28 (a note)",
    ]


@pytest.mark.parametrize(
    ("goal", "values", "missed"),
    [
        ("", (1.0,), False),
        ("≥ 1.45", (1.45,), False),
        ("≥ 1.6 / 1.15", (1.7, 1.1), True),
        ("≥ 1.6 / –", (1.7, 0.1), False),
        ("≤ 2 / 3.5", (1.9,), False),
        ("≤ 0", (1.0,), True),
    ],
)
def test_a_goal_is_compared_value_by_value(goal: str, values: tuple[float, ...], missed: bool) -> None:
    assert page.missed(goal, values) is missed


def test_a_goal_that_cannot_be_compared_is_refused() -> None:
    with pytest.raises(ValueError, match="under two seconds"):
        page.missed("under two seconds", (1.0,))


@pytest.mark.parametrize(
    ("vendor", "flags", "kind"),
    [
        ("AuthenticAMD", "avx2 fma", "AVX2"),
        ("GenuineIntel", "avx2 avx512f avx512_vnni avx_vnni", "AVX-512 VNNI"),
        ("AuthenticAMD", "avx2 avx512f avx512_vnni avx512_bf16", "AVX-512 VNNI"),
        ("AuthenticAMD", "avx2 avx512f avx512_vnni avx_vnni", "Zen 5"),
        ("GenuineIntel", "avx2 avx512f avx512_vnni avx_vnni amx_tile", "AMX"),
    ],
)
def test_a_processor_is_known_by_its_instructions(vendor: str, flags: str, kind: str) -> None:
    assert records.kind_of_processor(f"vendor_id\t: {vendor}\nflags\t\t: fpu {flags}\n") == kind


@pytest.mark.parametrize("about", ["", "flags\t: avx2 avx512f\n", "Features\t: asimd\n"])
def test_a_processor_that_was_never_met_is_not_guessed(about: str) -> None:
    with pytest.raises(ValueError, match="give it a name"):
        records.kind_of_processor(about)


def test_a_command_names_no_folder_of_this_machine(tmp_path: Path) -> None:
    given = [str(tmp_path / "read"), "--record", "beside other work", "--precision", "int8"]
    assert records.command_line(given).endswith(" read --precision int8")
    assert records.command_line(["--record", "--rounds", "3"]).endswith(" --rounds 3")


def test_a_note_may_be_given_with_the_option() -> None:
    parser = argparse.ArgumentParser()
    records.add_argument(parser)
    given = ([], ["--record"], ["--record", "busy"])
    assert [parser.parse_args(each).record for each in given] == [None, "", "busy"]


def test_a_commit_with_changes_says_so(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where there is no history, the commit is not recorded."""
    monkeypatch.delenv("GALLEY_COMMIT")
    monkeypatch.setattr(records, "TOP", tmp_path)
    assert records.commit() == records.UNKNOWN
    person = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for command in (("init", "--quiet"), (*person, "commit", "--quiet", "--allow-empty", "--message", "First")):
        subprocess.run(("git", *command), cwd=tmp_path, check=True)
    assert re.fullmatch(r"[0-9a-f]{7}", records.commit())
    (tmp_path / "desktop_app").mkdir()
    (tmp_path / "desktop_app" / "new.py").touch()
    assert re.fullmatch(r"[0-9a-f]{7}, changed", records.commit())


def test_a_readme_without_marks_stays_as_it_is() -> None:
    assert page.with_table("# Galley\n") == "# Galley\n"


def test_the_readme_shows_the_processors_on_which_the_programs_were_measured(tmp_path: Path) -> None:
    """One program may be missing on one. The rates are those of all kinds of processor."""

    def figures(value: float, *kinds: str) -> dict[str, Figure]:
        return {kind: Figure((value, 9.0), f"on {kind}", "1234567", "2026-11-27") for kind in kinds}

    kinds = {"openai-whisper f32": ("AVX2",), "faster-whisper f32": ("AVX2", "AMX")}
    measured = {claim: figures(12.3, *kinds.get(claim, ("AVX2", "Zen 5", "AMX"))) for _, claim, _, _ in page.PROGRAMS}
    records.write(
        "peers", Topic("", "", tuple(Claim(claim, "", "", each) for claim, each in measured.items())), tmp_path
    )
    rates = dict.fromkeys(f"{corpus}: {program}" for corpus in page.CORPORA for *_, program in page.PROGRAMS)
    claims = [Claim(claim, "%", "", figures(5.96, "AMX", "Zen 5")) for claim in rates]
    records.write("accuracy", Topic("", "", tuple(claims)), tmp_path)
    records.record("accuracy", "read: Galley, int8", 6.07, processor="AVX2", home=tmp_path)
    shown = page.with_table(f"before\n{page.BEGIN}\nold\n{page.END}\nafter\n", tmp_path).splitlines()
    assert shown[:2] == ["before", page.BEGIN] and shown[-2:] == [page.END, "after"] and "old" not in shown
    assert {
        "|program|AVX2|AMX|WER, audiobooks|WER, volunteers|",
        "|Galley, int8|12.3|12.3|5.96 to 6.07%|5.96%|",
        "|without its draft, int8|9|9|5.96 to 6.07%|5.96%|",
        "|openai-whisper, f32|12.3|–|5.96%|5.96%|",
    } < set(shown)
    assert "\n".join(shown).count(page.MEASURED) == 1


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Topic, claim, values and command of what is recorded; nothing is written."""
    found: list[tuple[Any, ...]] = []
    monkeypatch.setattr(
        records,
        "record",
        lambda topic, claim, values, *, command="", **others: found.append((topic, claim, values, command)),
    )
    return found


def test_speeds_and_ratios_are_recorded(recorded: list[tuple[Any, ...]]) -> None:
    times = {ALONE: 2.0, WITH_DRAFT: 3.0}
    found = {
        ALONE: {"precision": "int8", "seconds": 30.0, "times_as_fast": {}},
        WITH_DRAFT: {"precision": "int8", "seconds": 20.0, "times_as_fast": {}},
        "faster-whisper": {"precision": "int8", "seconds": 60.0, "times_as_fast": times},
        "openai-whisper": {"precision": "f32", "seconds": 100.0, "times_as_fast": times},
    }
    peers.record(found, {"precision": "int8", "seconds": 300.4}, "", "command", "")
    assert [(claim, values) for _topic, claim, values, _command in recorded] == [
        ("Galley int8, with draft / alone", (300.4 / 20, 300.4 / 30)),
        ("int8 with draft against alone", pytest.approx(1.5)),
        ("faster-whisper int8", 300.4 / 60),
        ("int8 against faster-whisper int8", (3.0, 2.0)),
        ("openai-whisper f32", 300.4 / 100),
        ("int8 against openai-whisper f32", (3.0, 2.0)),
    ]
    assert {each[-1] for each in recorded} == {"command"}


DELAYS = {"p50": 1.0, "p95": 2.0}
BENCHES: dict[str, dict[str, Any]] = {
    "accuracy": {"models": {"target": "base", "precision": "int8"}, "folder": "data/read", "total": {"wer": 0.06}},
    "speed": {
        "models": {"target": "base", "precision": "int8"},
        "drafters": {
            "alone": {"times_alone": 1.0, "elsewhere": 1.0, "wall": 5.0},
            "base-draft": {"times_alone": 1.5, "elsewhere": 1.0, "wall": 4.0},
        },
    },
    "live": {
        "models": {"target": "base"},
        "clock": "wall",
        "real": {
            "shown_aware": DELAYS,
            "final_aware": DELAYS,
            "wer_final": 0.07,
            "wer_file": 0.075,
            "computing_share": 0.4,
        },
        "without_speech": {"noise": {"words": 0}, "sounds": {"words": 1}},
    },
    "memory": {"shape": "small", "precision": "int8", "next_start": {"peak_bytes": 0.94e9}},
    "speakers": {
        "mixed_sessions": False,
        "made": {
            "collar_0": {"der": 0.06},
            "count_right": 0.96,
            "count_at_most_one_off": 1.0,
            "cpwer_of_attribution": 0.044,
            "real_time_factor": 0.025,
        },
        "real": [{"name": "sample", "collar_0": {"der": 0.049}}],
    },
}


@pytest.mark.parametrize("name", BENCHES)
def test_what_galley_bench_measures_belongs_to_claims_of_the_page(
    name: str, recorded: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A claim under another name would stand twice."""

    def call(command: list[str]) -> int:
        Path(command[-1]).write_text(json.dumps(BENCHES[name]), "utf-8")
        return 0

    assert read(installed.bundled()).name == "base"
    monkeypatch.setattr(galley_bench.subprocess, "call", call)
    monkeypatch.setattr(galley_bench.sys, "argv", ["galley_bench", name, str(tmp_path / "read"), "--record"])
    assert galley_bench.main() == 0 and recorded
    for topic, claim, values, command in recorded:
        known = {each.claim: each for each in records.read(topic).claims}
        assert claim in known and command == f"galley bench {name} read"
        page.missed(known[claim].goal, values if isinstance(values, tuple) else (values,))


def test_figures_of_another_model_are_not_recorded(
    recorded: list[tuple[Any, ...]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found = BENCHES["accuracy"] | {"models": {"target": "small", "precision": "int8"}}

    def call(command: list[str]) -> int:
        Path(command[-1]).write_text(json.dumps(found), "utf-8")
        return 0

    monkeypatch.setattr(galley_bench.subprocess, "call", call)
    monkeypatch.setattr(galley_bench.sys, "argv", ["galley_bench", "accuracy", "read"])
    assert galley_bench.main() == 1 and not recorded and "small" in capsys.readouterr().err
