"""A model folder is read whatever its age and completeness, and every defect is told in one plain sentence."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models

from desktop_app.checkpoints import parts
from desktop_app.checkpoints.folder import read, same_encoder
from desktop_app.checkpoints.shape import read_shape
from desktop_app.problems import Problem
from tests import random_models


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A toy model that nothing is wrong with; tests change copies of it."""
    return random_models.toy(tmp_path_factory.mktemp("models") / "toy")


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "toy"))


def edit(path: Path, **changes: Any) -> None:
    """Change entries of a JSON file; None removes one."""
    known = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({key: value for key, value in known.items() if value is not None}))


def tokenizer_of(folder: Path, vocabulary: dict[str, int]) -> None:
    """Another tokenizer in place of the model's."""
    Tokenizer(models.BPE(vocabulary, [])).save(str(folder / "tokenizer.json"))


def split_tokenizer(folder: Path) -> None:
    """The files of older folders in place of tokenizer.json."""
    tokenizer = json.loads((folder / "tokenizer.json").read_text())
    (folder / "vocab.json").write_text(json.dumps(tokenizer["model"]["vocab"]))
    merges = [" ".join(pair) if isinstance(pair, list) else pair for pair in tokenizer["model"]["merges"]]
    (folder / "merges.txt").write_text("#version: 0.2\n" + "\n".join(merges))
    added = {token["content"]: token["id"] for token in tokenizer["added_tokens"]}
    (folder / "added_tokens.json").write_text(json.dumps(added))
    (folder / "tokenizer.json").unlink()


def test_reads_a_whole_folder(whole: Path) -> None:
    checkpoint = read(whole)
    found = checkpoint.vocabulary
    assert (checkpoint.name, checkpoint.notice, checkpoint.draft, checkpoint.mel_bins) == ("toy", "", None, 80)
    assert (found.size, found.end, found.start, found.no_timestamps, found.first_timestamp) == (
        1811,
        300,
        301,
        309,
        310,
    )
    assert dict(found.languages) == {"en": 302, "de": 303}
    assert (found.transcribe, found.translate, found.previous, found.no_speech) == (305, 304, 307, 308)
    assert found.suppress == (1, 2, 7, 301, 304, 305, 306, 307, 308)
    assert found.begin_suppress == (220, 300)
    assert found.max_initial_timestamp == 50 and found.seconds(found.size - 1) == pytest.approx(30)


def test_the_same_from_an_old_folder(whole: Path, folder: Path) -> None:
    """Without generation and preprocessor settings and with the slow tokenizer, special tokens are found by their
    names.
    """
    lists = json.loads((folder / "generation_config.json").read_text())
    edit(folder / "config.json", **{key: lists[key] for key in ("suppress_tokens", "begin_suppress_tokens")})
    edit(folder / "config.json", forced_decoder_ids=[[1, 302], [2, 305], [3, 309]])
    (folder / "generation_config.json").unlink()
    (folder / "preprocessor_config.json").unlink()
    split_tokenizer(folder)
    assert read(folder).vocabulary == read(whole).vocabulary
    assert read(folder).pieces == read(whole).pieces


def test_text_leaves_special_tokens_out(whole: Path, folder: Path) -> None:
    split_tokenizer(folder)
    vocabulary = json.loads((whole / "tokenizer.json").read_text())["model"]["vocab"]
    tokens = [vocabulary[letter] for letter in "GrÃ¼ÃŁe"]
    for checkpoint in (read(whole), read(folder)):
        written = [301, 302, 305, 310, *tokens, 400, 400, vocabulary["!"], 300]
        assert checkpoint.text(written) == "Grüße!"
        assert checkpoint.text(tokens[:3]) == "Gr\N{REPLACEMENT CHARACTER}"
        assert checkpoint.text([]) == ""


@pytest.mark.parametrize(
    "config",
    [
        {"is_multilingual": False},
        {"is_multilingual": None, "forced_decoder_ids": [[1, 309]]},
    ],
)
def test_english_only_folders_have_neither_language_nor_task(folder: Path, config: dict[str, Any]) -> None:
    """Although their tokenizers have those tokens."""
    edit(folder / "generation_config.json", **config)
    found = read(folder).vocabulary
    assert not found.languages and found.transcribe is None and found.translate is None


@pytest.mark.parametrize("forced", [None, [[1, 50_362]], [[1, 50_363]], [[1, None], [2, 50_358]]], ids=str)
@pytest.mark.parametrize("size", [51_864, 51_865])
def test_a_folder_that_does_not_say_it_is_english_only_if_its_vocabulary_is(
    tmp_path: Path, size: int, forced: list[list[int]] | None
) -> None:
    """What an older folder forces says something only where it names a language or a task, or leaves it open."""
    folder = random_models.write(tmp_path / "model", random_models.THREE_VOCABULARIES[size])
    edit(folder / "generation_config.json", is_multilingual=None, forced_decoder_ids=forced)
    says_so = forced is not None and len(forced) > 1
    assert bool(read(folder).vocabulary.languages) is (size == 51_865 or says_so)


def test_tokens_without_names_are_found_by_their_places(whole: Path, folder: Path) -> None:
    """In front of <|notimestamps|>: the prompt's start and no-speech. A language has no place of its own."""
    split_tokenizer(folder)
    (folder / "added_tokens.json").unlink()
    ids = ("previous", "no_speech")
    edit(folder / "generation_config.json", prev_sot_token_id=None, no_speech_token_id=None)
    found, known = (read(each).vocabulary for each in (folder, whole))
    assert [getattr(found, each) for each in ids] == [getattr(known, each) for each in ids] == [307, 308]


@pytest.mark.parametrize(("suppress", "expected"), [([-1], ()), ([-1, 5, 99_999], (5,)), ([], ()), (None, ())], ids=str)
def test_suppress_lists_of_every_form(folder: Path, suppress: list[int] | None, expected: tuple[int, ...]) -> None:
    """Those of config.json count only without a generation_config.json, as in transformers."""
    edit(folder / "config.json", suppress_tokens=[1, 2])
    edit(folder / "generation_config.json", suppress_tokens=suppress)
    assert read(folder).vocabulary.suppress == expected


def test_null_lists_are_none(folder: Path) -> None:
    settings = json.loads((folder / "generation_config.json").read_text())
    settings |= {"suppress_tokens": None, "begin_suppress_tokens": None, "max_initial_timestamp_index": None}
    (folder / "generation_config.json").write_text(json.dumps(settings))
    found = read(folder).vocabulary
    assert (found.suppress, found.begin_suppress, found.max_initial_timestamp) == ((), (), None)


def test_rows_that_only_pad_the_vocabulary_are_suppressed(tmp_path: Path) -> None:
    recipe = random_models.Recipe.of(32, 2, 1, 1, text=300, languages=("en",), padding=5)
    found = read(random_models.write(tmp_path / "padded", recipe)).vocabulary
    assert found.suppress[-5:] == tuple(range(found.size - 5, found.size))


def test_shards_and_other_numbers(whole: Path, folder: Path) -> None:
    """Two shards are one model; the same encoder stored in more bits still is the same."""
    checkpoint = read(whole)
    numbers = {f"model.{name}": checkpoint.tensors[name].read() for name in checkpoint.tensors}
    (folder / "model.safetensors").unlink()
    parts = {"encoder": "model-00001-of-00002.safetensors", "decoder": "model-00002-of-00002.safetensors"}
    for part, file in parts.items():
        random_models.write_tensors(
            folder / file, {name: each for name, each in numbers.items() if part in name.split(".")}, "F32"
        )
    index = {"weight_map": {name: parts[name.split(".")[1]] for name in numbers}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert same_encoder(checkpoint, read(folder))
    (folder / parts["decoder"]).unlink()
    with pytest.raises(Problem, match="model-00002-of-00002"):
        read(folder)


def test_a_draft_of_its_own(folder: Path) -> None:
    random_models.toy(folder / "draft", seed=3)
    (folder / "galley.json").write_text('{"name": "Toy", "notice": "Only noise."}')
    target = read(folder)
    assert (target.name, target.notice) == ("Toy", "Only noise.")
    assert target.draft == folder / "draft"
    draft = read(target.draft)
    assert not same_encoder(target, draft)


def test_one_changed_number_is_another_encoder(whole: Path, folder: Path) -> None:
    assert same_encoder(read(whole), read(folder))
    tensor = read(folder).tensors["encoder.layers.1.fc2.weight"]
    with (folder / "model.safetensors").open("r+b") as file:
        file.seek(tensor.file.start + tensor.end - 2)
        file.write(b"\x00\x3c")
    assert not same_encoder(read(whole), read(folder))


DEFECTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "no folder": (shutil.rmtree, "model.no_folder"),
    "a file": (lambda folder: (shutil.rmtree(folder), folder.write_text("")), "model.is_file"),
    "no config": (lambda folder: (folder / "config.json").unlink(), "incomplete file='config.json'"),
    "damaged config": (lambda folder: (folder / "config.json").write_text("{"), "damaged file='config.json'"),
    "config of another form": (lambda folder: (folder / "config.json").write_text("[]"), "damaged file='config.json'"),
    "another model": (lambda folder: edit(folder / "config.json", model_type="llama"), "llama"),
    "no width": (lambda folder: edit(folder / "config.json", d_model=None), "config key='d_model'"),
    "odd heads": (lambda folder: edit(folder / "config.json", decoder_attention_heads=3), "decoder_attention_heads"),
    "another activation": (lambda folder: edit(folder / "config.json", activation_function="relu"), "relu"),
    "other features": (lambda folder: edit(folder / "preprocessor_config.json", hop_length=80), "hop_length 80"),
    "no weights": (lambda folder: (folder / "model.safetensors").unlink(), "incomplete file='model.safetensors'"),
    "a pickle": (
        lambda folder: (folder / "model.safetensors").rename(folder / "pytorch_model.bin"),
        "pickle file='pytorch_model.bin'",
    ),
    "empty weights": (
        lambda folder: (folder / "model.safetensors").write_bytes(b""),
        "damaged file='model.safetensors'",
    ),
    "cut weights": (
        lambda folder: (folder / "model.safetensors").write_bytes((folder / "model.safetensors").read_bytes()[:-9]),
        "damaged file='model.safetensors'",
    ),
    "not safetensors": (
        lambda folder: (folder / "model.safetensors").write_text("<!doctype html><title>404</title>"),
        "damaged file='model.safetensors'",
    ),
    "damaged index": (
        lambda folder: (folder / "model.safetensors").rename(folder / "model.safetensors.index.json"),
        "damaged file='model.safetensors.index.json'",
    ),
    "more layers": (
        lambda folder: edit(folder / "config.json", decoder_layers=3),
        "tensor_missing name='decoder.layers.2.self_attn.q_proj.weight'",
    ),
    "another size": (
        lambda folder: edit(folder / "config.json", vocab_size=1900),
        "found='1811 x 32' wanted='1900 x 32'",
    ),
    "a pickle that is called nearly as the tensors": (
        lambda folder: (folder / "model.safetensors").rename(folder / "model.safetensors.pt"),
        "pickle file='model.safetensors.pt'",
    ),
    "no tokenizer": (lambda folder: (folder / "tokenizer.json").unlink(), "incomplete file='tokenizer.json'"),
    "damaged tokenizer": (
        lambda folder: (folder / "tokenizer.json").write_text('{"model": 3}'),
        "model.tokenizer",
    ),
    "another tokenizer": (
        lambda folder: edit(folder / "generation_config.json", no_timestamps_token_id=50_363),
        "other_tokenizer",
    ),
    "another language": (
        lambda folder: edit(folder / "generation_config.json", lang_to_id={"<|en|>": 302, "<|de|>": 50_261}),
        "other_tokenizer",
    ),
    "another task": (
        lambda folder: edit(folder / "generation_config.json", task_to_id={"transcribe": 50_359}),
        "other_tokenizer",
    ),
    "a tokenizer without text": (
        lambda folder: tokenizer_of(folder, {"a": 400}),
        "other_tokenizer",
    ),
    "a large tokenizer": (
        lambda folder: tokenizer_of(folder, {"a": 5000}),
        "other_tokenizer",
    ),
}


@pytest.mark.parametrize(
    ("key", "size"),
    [
        ("encoder_layers", 10**9),
        ("decoder_layers", 1001),
        ("d_model", 10**9),
        ("num_mel_bins", 10**9),
        ("max_source_positions", 10**9),
        ("vocab_size", 10**9),
        ("decoder_attention_heads", 10**30),
    ],
)
def test_absurd_sizes_are_refused_before_anything_follows_from_them(folder: Path, key: str, size: int) -> None:
    """A model of 10^9 layers would fill the memory with the names of its tensors."""
    shape = json.loads((folder / "config.json").read_text()) | {key: size}
    with pytest.raises(Problem, match=f"model.config key='{key} > 10+"):
        read_shape(shape)


@pytest.mark.parametrize(
    "name",
    [
        *("x.pkl", "x.pickle", "model.bin", "weights.bin", "training_args.bin", "x.joblib", "x.ckpt", "x.pth"),
        *("whisper.PT", "PYTORCH_MODEL.BIN", "sub/pytorch_model.bin", "sub/deeper/x.pkl"),
    ],
)
def test_every_kind_of_pickle_is_refused_by_name(folder: Path, name: str) -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").rename(folder / name)
    with pytest.raises(Problem, match=rf"model.pickle file='{re.escape(name)}'"):
        read(folder)
    with pytest.raises(Problem, match=re.escape(name)):  # as a download of such a repository says
        parts.weights(["config.json", name], dict)


def test_the_numbers_of_openvinos_graphs_are_no_pickles() -> None:
    assert not any(map(parts.is_pickle, [*parts.GRAPHS, "openvino_tokenizer.bin", "model.safetensors", "vocab.json"]))


@pytest.mark.parametrize(
    "name",
    ["config.json", "generation_config.json", "preprocessor_config.json", "galley.json", "tokenizer.json"],
)
def test_settings_nested_endlessly_are_damaged(folder: Path, name: str) -> None:
    (folder / name).write_text("[" * 5000)
    with pytest.raises(Problem, match=f"model.damaged file='{name}'"):
        read(folder)


def test_numbers_that_are_infinite_or_no_tokens_are_no_mistake_of_galley(folder: Path) -> None:
    settings = json.loads((folder / "generation_config.json").read_text()) | {"is_multilingual": None}
    settings |= {"alignment_heads": [[float("inf"), 0]], "forced_decoder_ids": [[1, [2]]]}
    (folder / "generation_config.json").write_text(json.dumps(settings))
    assert read(folder).alignment_heads == ((1, 0), (1, 1))


def test_a_name_that_no_terminal_could_print(folder: Path) -> None:
    (folder / "galley.json").write_text('{"name": "\\ud800x"}')
    assert read(folder).name == "?x"


@pytest.mark.parametrize("defect", DEFECTS)
def test_defects_are_told_with_a_remedy(folder: Path, defect: str) -> None:
    damage, reason = DEFECTS[defect]
    damage(folder)
    with pytest.raises(Problem) as caught:
        read(folder)
    assert reason in str(caught.value)
    assert str(folder.parent) not in str(caught.value)


def test_numbers_that_are_not_plain_are_refused(folder: Path) -> None:
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes().replace(b'"F16"', b'"I16"'))
    with pytest.raises(Problem, match=r"tensor_type .*'I16'"):
        read(folder)
