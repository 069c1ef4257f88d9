"""A recording that is written in two runs loses nothing of the first."""

from dataclasses import replace

from desktop_app.problems import Problem
from desktop_app.transcript.continued import continued
from desktop_app.transcript.model import GuardReport, Models, Segment, Speaker, Transcript
from desktop_app.transcript.statistics import Statistics

NOTICE = Problem("model.notice", text="A notice.")
MODELS = Models("Small", "", "off", "CPU", "f32", (NOTICE,))


def run(first: int, *texts: str) -> Transcript:
    """A run whose lines begin at the second `first`."""
    lines = tuple(Segment(n, float(first + n), first + n + 1.0, text) for n, text in enumerate(texts))
    act = GuardReport(first, first + 1.0, "silence", "Thanks.")
    figures = Statistics(audio_seconds=first + 9.0, wall_seconds=2.0, tokens=5)
    return Transcript("talk.flac", first + 20.0, "en", 0.9, MODELS, lines, (), figures, guarded=(act,))


def test_lines_acts_and_figures_of_both_runs_are_there() -> None:
    before, after = run(0, "one", "two"), run(60, "three")
    before = replace(before, speakers=(Speaker("S1", "Ann"),))
    whole = continued(before, after)
    assert whole.segments[:2] == before.segments
    assert [(line.id, line.start, line.text) for line in whole.segments[2:]] == [(2, 60.0, "three")]
    assert whole.guarded == before.guarded + after.guarded
    assert (whole.stats.tokens, whole.stats.wall_seconds, whole.stats.audio_seconds) == (10, 4.0, 80.0)
    assert (whole.seconds, whole.speakers) == (80.0, before.speakers)
    assert whole.models == MODELS, "nobody else has written"


def test_who_wrote_the_first_part_is_named_where_it_was_another_model() -> None:
    after = replace(run(75, "two"), models=replace(MODELS, target="Large"))
    assert continued(run(74, "one"), after).models.notices == (
        Problem("model.continued", model="Small", time="1:15"),
        NOTICE,
    )
    assert continued(run(0), after).models.notices == (NOTICE,), "it wrote nothing"


def test_the_language_of_the_first_run_is_known_where_the_second_hears_nothing() -> None:
    silent = replace(run(60), language="", language_probability=0.0)
    assert continued(run(0, "one"), silent).language == "en"
