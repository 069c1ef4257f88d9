"""Models are found by name or folder, a pair that does not fit is refused, and what is loaded stays loaded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from desktop_app import folders
from desktop_app.app.presentation import stages
from desktop_app.checkpoints import choice
from desktop_app.decoding.drafter_names import DRAFTERS
from desktop_app.decoding.lookahead import HEAD_ALONE
from desktop_app.messages.options import Options
from desktop_app.problems import Problem
from desktop_app.runtimes import openvino_place
from desktop_app.texts import _
from desktop_app.worker import loaded_models
from desktop_app.worker.loaded_models import ModelCache, find
from tests import tiny_ir
from tests.random_models import TOY, Recipe, toy, write


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A toy with a draft that is its equal."""
    made = toy(tmp_path_factory.mktemp("models") / "target")
    toy(made / "draft")
    return made


class Announced(list[str]):
    """The stages that were announced."""

    def add(self, stage: str, **values: str) -> None:
        self.append(stage)


def test_a_model_is_found_by_its_name_or_its_folder(home: Path, folder: Path) -> None:
    installed = home / "data" / "models" / "mine"
    installed.mkdir(parents=True)
    (installed / "config.json").write_text("{}", encoding="utf-8")
    (home / "data" / "models" / "unfinished").mkdir()
    assert find("mine") == installed
    assert find("base").parts[-2:] == ("models", "whisper-base")
    assert find(str(folder)) == folder


def test_an_unknown_model_is_said_with_those_there_are(home: Path, tmp_path: Path) -> None:
    installed = home / "data" / "models" / "mine"
    installed.mkdir(parents=True)
    (installed / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(Problem) as caught:
        find("yours")
    assert caught.value == Problem("model.unknown", name="yours", names="base, mine")
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(Problem, match="is_file"):
        find(str(tmp_path / "file"))


def test_what_is_loaded_stays_loaded_until_something_else_is_asked_for(folder: Path) -> None:
    model_cache, message = ModelCache(), Announced()
    both = model_cache.pair(Options(str(folder)), message.add)
    assert message == ["loading_on", "loading_draft"]
    assert both.draft and both.draft.shares_encoder
    assert model_cache.pair(Options(str(folder)), message.add) == both
    alone = model_cache.pair(Options(str(folder), draft="off"), message.add)
    assert (alone.target, alone.draft, alone.drafter()) == (both.target, None, None)
    assert model_cache.pair(Options(str(folder), draft=str(folder / "draft")), message.add) == both
    assert len(message) == 2
    assert both.look_ahead() is model_cache.pair(Options(str(folder)), message.add).look_ahead()  # it goes on learning
    assert alone.look_ahead() is None
    other = model_cache.pair(Options(str(folder), precision="int8"), message.add)
    assert len(message) == 4
    assert other.target.model is not both.target.model
    assert other.look_ahead() is not both.look_ahead()
    assert [each.described().precision.partition(",")[0] for each in (other, both)] == ["int8", "f32"]


def test_a_device_that_takes_long_is_prepared_in_a_step_of_its_own(
    folder: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The CPU stands in. It is shown once, in words that name model and device; the watchdog gives it time."""
    monkeypatch.setattr(openvino_place, "QUICK", ())
    monkeypatch.setattr(loaded_models, "_cache", lambda: tmp_path)
    said: list[str] = []

    def announce(stage: str, **values: str) -> None:
        assert stage.startswith("loading"), "Limits of loading hold"
        said.append(stages.describe(stage, **values))

    ModelCache().pair(Options(str(folder)), announce)
    first = [
        _("Preparing the model for this {device}, once. This can take a minute…", device="CPU"),
        _("Preparing the draft for this {device}, once. This can take a minute…", device="CPU"),
    ]
    assert [said[1], said[3]] == first and len(said) == 4
    said.clear()
    ModelCache().pair(Options(str(folder)), announce)
    assert len(said) == 2 and not set(first) & set(said)


def test_a_model_that_changed_on_the_disk_is_loaded_again(tmp_path: Path) -> None:
    model_cache, message = ModelCache(), Announced()
    toy(tmp_path / "model")
    first = model_cache.pair(Options(str(tmp_path / "model")), message.add)
    toy(tmp_path / "model", seed=1)
    assert model_cache.pair(Options(str(tmp_path / "model")), message.add).target is not first.target


def test_auto_without_a_draft_in_the_folder_is_the_target_alone(tmp_path: Path) -> None:
    pair = ModelCache().pair(Options(str(toy(tmp_path / "alone"))), lambda stage, **values: None)
    described = pair.described()
    assert (described.target, described.draft, described.drafter) == ("alone", "", "off")


@pytest.mark.parametrize("name", DRAFTERS)
def test_a_drafter_without_a_model_is_taken_by_its_name(folder: Path, name: str) -> None:
    stages = list[str]()
    pair = ModelCache().pair(Options(str(folder), draft=name), lambda stage, **values: stages.append(stage))
    assert "loading_draft" not in stages
    assert type(pair.drafter()) is type(DRAFTERS[name]()) and pair.drafter() is not pair.drafter()
    assert (pair.draft, pair.described().draft, pair.described().drafter) == (None, "", name)
    assert loaded_models.checked(str(folder), name)[1] is None


def test_a_way_to_draft_is_that_of_the_targets_own_draft(folder: Path) -> None:
    """Nothing that is measured of a way that was named is kept for others."""
    cache = ModelCache()
    auto = cache.pair(Options("base"), lambda stage, **values: None)
    pair = cache.pair(Options("base", draft="head"), lambda stage, **values: None)
    assert (pair.draft, pair.described().drafter, auto.described().drafter) == (auto.draft, "head", "model")
    ahead, again = pair.look_ahead(), pair.look_ahead()
    assert ahead is not again and ahead is not auto.look_ahead()
    assert ahead and ahead.confidence == HEAD_ALONE
    pair.keep_measurements()
    assert not (folders.cache() / "look-ahead.json").exists()
    with pytest.raises(Problem) as refused:
        cache.pair(Options(str(folder), draft="layers"), lambda stage, **values: None)
    assert refused.value == Problem("model.no_head", target="target", way="layers")


def test_a_draft_with_another_encoder_gets_its_own(tmp_path: Path) -> None:
    target = toy(tmp_path / "target")
    toy(target / "draft", seed=1)
    pair = ModelCache().pair(Options(str(target)), lambda stage, **values: None)
    assert pair.draft and not pair.draft.shares_encoder
    assert pair.drafter() is not None


def test_a_target_whose_windows_are_not_whispers_is_refused(tmp_path: Path) -> None:
    short, reason = str(write(tmp_path / "short", SHORT)), "model.window seconds='15'"
    with pytest.raises(Problem, match=reason):
        ModelCache().pair(Options(short), lambda stage, **values: None)
    with pytest.raises(Problem, match=reason):
        loaded_models.checked(short, "off")


SHORT = replace(TOY, shape=replace(TOY.shape, audio_positions=750))
WIDER = replace(TOY, shape=replace(TOY.shape, mel_bins=128))
FRENCH, ENGLISH = replace(TOY, languages=("en", "fr")), replace(TOY, english=True)


@pytest.mark.parametrize("recipe", [WIDER, FRENCH, ENGLISH], ids=["mel bins", "languages", "English only"])
def test_a_draft_may_be_any_other_model(tmp_path: Path, recipe: Recipe) -> None:
    target = toy(tmp_path / "target")
    write(target / "draft", recipe)
    pair = ModelCache().pair(Options(str(target), language="en"), lambda stage, **values: None)
    assert pair.drafter() is not None
    described = pair.described()
    assert (described.draft, described.drafter) == ("draft", "model")


@pytest.mark.parametrize(
    ("recipe", "options", "code"),
    [
        (SHORT, {}, "model.draft_window"),
        (FRENCH, {"language": "de"}, "model.draft_language"),
        (ENGLISH, {"language": "de"}, "model.draft_language"),
        (ENGLISH, {"task": "translate"}, "model.draft_translation"),
    ],
)
def test_a_draft_that_does_not_fit_is_refused_if_it_was_named_and_left_out_if_not(
    tmp_path: Path, recipe: Recipe, options: dict[str, str], code: str
) -> None:
    target = toy(tmp_path / "target")
    draft = write(target / "draft", recipe)
    alone = ModelCache().pair(Options(str(target), **options), lambda stage, **values: None)
    assert alone.draft is None
    with pytest.raises(Problem) as caught:
        ModelCache().pair(Options(str(target), str(draft), **options), lambda stage, **values: None)
    assert (caught.value.code, caught.value.values["draft"]) == (code, "draft")
    assert alone.described().notices == (Problem("model.without_draft", target="target", cause=caught.value),)


def test_a_loaded_draft_is_refused_for_what_it_cannot_do(tmp_path: Path) -> None:
    target, model_cache = toy(tmp_path / "target"), ModelCache()
    draft = str(write(target / "draft", FRENCH))
    both = model_cache.pair(Options(str(target)), lambda stage, **values: None)
    with pytest.raises(Problem, match=r"draft_language .*'de'"):
        model_cache.pair(Options(str(target), draft, language="de"), lambda stage, **values: None)
    assert model_cache.pair(Options(str(target), language="de"), lambda stage, **values: None).draft is None
    assert model_cache.pair(Options(str(target)), lambda stage, **values: None) == both


def test_a_draft_that_is_damaged_is_said_to_be_the_draft(tmp_path: Path) -> None:
    target = toy(tmp_path / "target")
    draft = toy(target / "draft")
    (draft / "tokenizer.json").unlink()
    with pytest.raises(Problem) as caught:
        ModelCache().pair(Options(str(target), str(draft)), lambda stage, **values: None)
    cause = Problem("model.incomplete", file="tokenizer.json")
    assert caught.value == Problem("model.draft_unusable", draft="draft", target="target", cause=cause)
    alone = ModelCache().pair(Options(str(target)), lambda stage, **values: None)
    assert alone.remark == Problem("model.without_draft", target="target", cause=caught.value)


def test_a_draft_that_is_refused_leaves_the_target_usable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = toy(tmp_path / "target")
    draft = str(write(target / "draft", FRENCH))
    model_cache = ModelCache()
    with pytest.raises(Problem):
        model_cache.pair(Options(str(target), draft, language="de"), lambda stage, **values: None)
    monkeypatch.setattr(loaded_models.runtime, "load", None)
    assert model_cache.pair(Options(str(target), draft="off"), lambda stage, **values: None).draft is None


def install(home: Path, name: str, **changes: object) -> Path:
    return write(home / "data" / "models" / name, replace(TOY, **changes))


def test_auto_takes_the_installed_draft_that_the_catalogue_recommends_and_that_can_be_used(home: Path) -> None:
    target, model_cache = install(home, "large-v3"), ModelCache()
    (install(home, "tiny") / "model.safetensors").unlink()
    assert model_cache.pair(Options("large-v3"), lambda stage, **values: None).draft is None
    install(home, "distil-large-v3", seed=1)
    for language, draft in (("en", "distil-large-v3"), ("auto", "distil-large-v3"), ("nl", "")):
        assert (
            model_cache.pair(Options("large-v3", language=language), lambda stage, **values: None).described().draft
            == draft
        )
    assert model_cache.pair(Options(str(target)), lambda stage, **values: None).draft is not None
    assert model_cache.pair(Options("large-v3", draft="off"), lambda stage, **values: None).draft is None


def test_a_draft_that_the_user_gave_comes_before_the_recommended_one(home: Path) -> None:
    install(home, "large-v3")
    install(home, "large-v3-turbo", seed=1)
    install(home, "mine", seed=2)
    choice.register_draft("large-v3", "mine")
    assert ModelCache().pair(Options("large-v3"), lambda stage, **values: None).described().draft == "mine"


def test_auto_goes_on_to_the_recommended_drafts_where_the_users_own_cannot_do_what_is_asked(home: Path) -> None:
    install(home, "large-v3")
    install(home, "large-v3-turbo", seed=1)
    install(home, "mine", languages=("en", "fr"))
    choice.register_draft("large-v3", "mine")
    german = ModelCache().pair(Options("large-v3", language="de"), lambda stage, **values: None).described()
    assert german.draft == "large-v3-turbo"
    cause = Problem("model.draft_language", draft="mine", target="large-v3", language="de")
    assert german.notices == (Problem("model.other_draft", draft="large-v3-turbo", cause=cause),)
    english = ModelCache().pair(Options("large-v3", language="en"), lambda stage, **values: None).described()
    assert (english.draft, english.notices) == ("mine", ())


def test_a_target_that_pays_for_rewinds_drafts_only_when_asked_to(tmp_path: Path) -> None:
    """OpenVINO's own graphs: by default alone, and the reason is told; a draft that is named is used."""
    source = toy(tmp_path / "toy")
    folder = tiny_ir.write(source, tmp_path / "graphs")
    assert ModelCache().pair(Options(str(folder)), lambda stage, **values: None).described().notices == ()
    toy(folder / "draft", seed=1)
    model_cache, message = ModelCache(), Announced()
    alone = model_cache.pair(Options(str(folder)), message.add)
    described = alone.described()
    assert (alone.draft, described.drafter) == (None, "off")
    assert described.notices == (Problem("model.graphs_without_draft", target="graphs", draft="draft"),)
    assert model_cache.pair(Options(str(folder), draft="off"), message.add).described().notices == ()
    both = model_cache.pair(Options(str(folder), draft=str(folder / "draft")), message.add)
    assert both.draft and not both.draft.shares_encoder
    assert (both.described().drafter, both.described().notices) == ("model", ())
