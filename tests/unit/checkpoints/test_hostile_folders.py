"""Model folders that mean harm: files of absurd size, links, pipes, headers and descriptions that lie, weights that are
no numbers. Each is one sentence, said before memory is spent.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tokenizers import Tokenizer

from desktop_app.checkpoints import installed, ir, parts
from desktop_app.checkpoints.folder import read, read_draft, read_target
from desktop_app.checkpoints.pieces import read_pieces
from desktop_app.checkpoints.tensors import LONGEST_HEADER, Tensors
from desktop_app.problems import Problem
from tests import tiny_ir
from tests.small_pair import SMALL_PAIR

WEIGHTS = parts.WEIGHTS
needs_links = pytest.mark.skipif(sys.platform == "win32", reason="makes links and pipes")


@pytest.fixture(scope="module")
def graphs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_ir.write(SMALL_PAIR, tmp_path_factory.mktemp("models") / "graphs")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The small pair, to be damaged."""
    return Path(shutil.copytree(SMALL_PAIR, tmp_path / "model"))


@pytest.fixture
def graphs_folder(graphs: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(graphs, tmp_path / "graphs"))


def quiet(what: str, done: int, total: int) -> None:
    """Nobody watches."""


def refused(folder: Path) -> Problem:
    """Why a folder cannot be added; nothing of it is kept, and saying so takes little memory."""
    tracemalloc.start()
    try:
        with pytest.raises(Problem) as caught:
            installed.add(folder, "hostile", quiet)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert list(installed.names()) == ["base"]
    assert peak < 300 << 20
    return caught.value


# Files that are too large, or none


@pytest.mark.parametrize("file", ["config.json", "tokenizer.json", "generation_config.json", "normalizer.json"])
def test_twenty_gigabytes_of_text_are_not_opened(folder: Path, file: str) -> None:
    with (folder / file).open("ab") as grown:
        grown.truncate(20 << 30)
    problem = refused(folder)
    assert (problem.code, problem.values["file"]) == ("model.file_too_large", file)


def test_nor_is_a_description_of_that_size(graphs_folder: Path) -> None:
    with (graphs_folder / parts.DECODER).open("ab") as grown:
        grown.truncate(20 << 30)
    assert refused(graphs_folder).code == "model.file_too_large"


def test_a_file_that_grows_while_it_is_read_is_not_read_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "config.json").write_text(" " * 5_000_000)
    monkeypatch.setattr(parts, "there", lambda path: True)
    with pytest.raises(ValueError, match="too large"):
        parts.read_text(folder / "config.json")


@needs_links
@pytest.mark.parametrize(
    "file", ["config.json", "tokenizer.json", "generation_config.json", "galley.json", WEIGHTS, "draft/config.json"]
)
def test_a_link_out_of_the_folder_is_not_followed(folder: Path, tmp_path: Path, file: str) -> None:
    outside = tmp_path / "outside"
    (folder / file).rename(outside)
    (folder / file).symlink_to(outside)
    problem = refused(folder)
    problem = problem.values.get("cause", problem)
    assert (problem.code, problem.values["file"]) == ("model.link", file.rpartition("/")[2])


@needs_links
def test_nor_is_one_that_only_other_programs_would_read(folder: Path) -> None:
    (folder / "normalizer.json").symlink_to("/etc/passwd")
    assert refused(folder).code == "model.link"


@needs_links
def test_nor_is_a_draft_that_lies_elsewhere(folder: Path, tmp_path: Path) -> None:
    (folder / "draft").rename(tmp_path / "elsewhere")
    (folder / "draft").symlink_to(tmp_path / "elsewhere")
    assert refused(folder).code == "model.link"


@needs_links
def test_a_link_to_itself_ends(folder: Path) -> None:
    (folder / "config.json").unlink()
    (folder / "config.json").symlink_to("config.json")
    assert refused(folder).code == "model.link"


@needs_links
def test_links_within_a_model_and_those_of_huggingface_hubs_cache_are_followed(tmp_path: Path) -> None:
    snapshot = tmp_path / "models--a--b" / "snapshots" / "main"
    shutil.copytree(SMALL_PAIR, snapshot)
    blobs = snapshot.parents[1] / "blobs"
    blobs.mkdir()
    for number, file in enumerate(sorted(each for each in snapshot.iterdir() if each.is_file())):
        file.rename(blobs / str(number))
        file.symlink_to(Path("..", "..", "blobs", str(number)))
    (snapshot / "draft" / "tokenizer.json").unlink()
    (snapshot / "draft" / "tokenizer.json").symlink_to("../tokenizer.json")
    assert installed.add(snapshot, "mine", quiet).bytes > 1000
    assert installed.verify("mine", quiet)


@needs_links
@pytest.mark.parametrize("make", [os.mkfifo if sys.platform != "win32" else os.mkdir, os.mkdir])
@pytest.mark.parametrize("file", ["config.json", "generation_config.json", "tokenizer.json", WEIGHTS])
def test_what_is_no_file_is_not_opened(folder: Path, file: str, make: Callable[[Path], None]) -> None:
    (folder / file).unlink()
    make(folder / file)
    problem = refused(folder)
    assert (problem.code, problem.values["file"]) == ("model.not_a_file", file)


@needs_links
def test_nor_is_a_device(folder: Path) -> None:
    (folder / "tokenizer.json").unlink()
    (folder / "tokenizer.json").symlink_to("/dev/zero")
    assert refused(folder).code == "model.link"


# JSON


@pytest.mark.parametrize("file", ["config.json", "generation_config.json", "preprocessor_config.json", "galley.json"])
@pytest.mark.parametrize(
    "text",
    ["[" * 900_000, '{"a":' * 300_000, "[]", "7", '"x"', "{", '{"a": 1' + "0" * 5000 + "}", "\ud800"],
    ids=["deep", "deep objects", "list", "number", "text", "cut", "long number", "half a character"],
)
def test_json_of_another_shape(folder: Path, file: str, text: str) -> None:
    (folder / file).write_bytes(text.encode("utf-8", "surrogatepass"))
    if file == "galley.json" and text == "7":
        (folder / "draft" / file).write_text("[]")
        with pytest.raises(Problem, match=r"damaged file='galley\.json'"):
            read_draft(folder / "draft", read(SMALL_PAIR))
    assert refused(folder).values["file"] == file


def change(path: Path, **values: Any) -> None:
    found = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(found | values), "utf-8")


def test_long_texts_are_cut(folder: Path) -> None:
    change(folder / "galley.json", name="n" * 1_000_000, notice=["x"] * 1000)
    found = read_target(folder)
    assert (len(found.name), found.notice) == (1000, "")


def test_a_head_that_is_named_a_million_times_is_one(folder: Path) -> None:
    change(folder / "generation_config.json", alignment_heads=[[0, 0]] * 100_000)
    assert read_target(folder).alignment_heads == ((0, 0),)


# Tokenizers


@pytest.mark.parametrize("key", ["normalizer", "pre_tokenizer", "decoder"])
def test_a_tokenizer_with_a_pattern_of_its_own_is_refused(folder: Path, key: str) -> None:
    """`(a+)+$` takes years for forty letters."""
    pattern = {"type": "Replace", "pattern": {"Regex": "(a+)+$"}, "content": ""}
    kinds = {
        "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "(a+)+$"}, "behavior": "Isolated", "invert": False}
    }
    step = {"type": "Sequence", "pretokenizers" if key in kinds else f"{key}s": [kinds.get(key, pattern)]}
    change(folder / "tokenizer.json", **{key: step})
    assert refused(folder).code == "model.tokenizer"


def test_a_tokenizer_that_lacks_all_merges_is_refused_soon(folder: Path) -> None:
    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    letters = [chr(0x4E00 + number) for number in range(400)]
    pieces = letters + [one + other for one in letters for other in letters]
    tokenizer["model"] |= {"vocab": {piece: number for number, piece in enumerate(pieces)}, "merges": []}
    (folder / "tokenizer.json").write_text(json.dumps(tokenizer), "utf-8")
    assert refused(folder).code == "model.tokenizer"


def test_a_library_that_panics_is_a_sentence(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What tokenizers raises then is no Exception."""
    panic = type("PanicException", (BaseException,), {})

    class Panicking:
        @staticmethod
        def from_str(text: str) -> Tokenizer:
            raise panic("index out of bounds")

    monkeypatch.setattr("desktop_app.checkpoints.pieces.Tokenizer", Panicking)
    with pytest.raises(Problem, match=r"model\.tokenizer"):
        read_pieces(folder)


# Tensors


def write(path: Path, header: dict[str, Any] | str, data: bytes) -> None:
    head = (header if isinstance(header, str) else json.dumps(header)).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)


def tensor(begin: int, end: int, *shape: int, kind: str = "F32") -> dict[str, Any]:
    return {"dtype": kind, "shape": list(shape or (((end - begin) // 4),)), "data_offsets": [begin, end]}


@pytest.mark.parametrize(
    "header",
    [
        pytest.param({"a": tensor(0, 8), "b": tensor(0, 8)}, id="the same numbers"),
        pytest.param({"a": tensor(0, 8), "b": tensor(4, 8)}, id="overlapping"),
        pytest.param({"a": tensor(0, 4)}, id="not all of the file"),
        pytest.param({"a": tensor(4, 8)}, id="not from its start"),
        pytest.param({"a": tensor(0, 4), "model.a": tensor(4, 8)}, id="two of one name"),
        pytest.param({"a": tensor(0, 8, 1 << 62, 1 << 62, 0)}, id="sides"),
        pytest.param({"a": tensor(0, 8, *[1] * 9, 2)}, id="many sides"),
        pytest.param({"a": tensor(0, 8, 2) | {"shape": ["2"]}}, id="a text as a side"),
        pytest.param({"a": tensor(0, 8, 2) | {"shape": [2.0]}}, id="a half as a side"),
        pytest.param({"a": tensor(0, 8, 2) | {"dtype": ["F32"]}}, id="a list of kinds"),
        pytest.param({"a": tensor(0, 8, 2, kind="I64")}, id="another kind's size"),
        pytest.param({"a": tensor(0, 8)} | {f"{number}": tensor(8, 8, 0) for number in range(70_000)}, id="long"),
        pytest.param(f'{{"a": {json.dumps(tensor(0, 4))}, "a": {json.dumps(tensor(4, 8))}}}', id="named twice"),
    ],
)
def test_a_header_that_lies_is_not_believed(tmp_path: Path, header: dict[str, Any] | str) -> None:
    write(tmp_path / WEIGHTS, header, bytes(8))
    with pytest.raises(Problem, match=r"damaged file='model\.safetensors'"):
        Tensors(tmp_path)


def test_many_shards_with_long_headers_are_not_all_read(tmp_path: Path) -> None:
    for number in range(9):
        write(tmp_path / f"{number}.safetensors", {f"{number}": tensor(0, 8)}, bytes(8))
        with (tmp_path / f"{number}.safetensors").open("rb+") as file:
            head = json.dumps({f"{number}": tensor(0, 8)}).encode().ljust(LONGEST_HEADER // 8)
            file.write(len(head).to_bytes(8, "little") + head + bytes(8))
    names = {f"{number}": f"{number}.safetensors" for number in range(9)}
    (tmp_path / parts.INDEX).write_text(json.dumps({"weight_map": names}))
    with pytest.raises(Problem, match=r"damaged file='\d\.safetensors'"):
        Tensors(tmp_path)


@pytest.mark.parametrize(
    ("kind", "bad", "good"),
    [
        *(("F32", np.float32(each).tobytes(), np.float32(-3e38).tobytes()) for each in (np.nan, np.inf, -np.inf)),
        *(("F16", np.float16(each).tobytes(), np.float16(-65504).tobytes()) for each in (np.nan, np.inf, -np.inf)),
        *(("BF16", np.float32(each).tobytes()[2:], b"\x7f\xff") for each in (np.nan, np.inf, -np.inf)),
    ],
)
def test_one_number_that_is_none_is_found(
    tmp_path: Path, kind: str, bad: bytes, good: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("desktop_app.checkpoints.tensors._BLOCK", 16)
    for number, finite in ((bad, False), (good, True)):
        data = bytes(len(number)) * 30 + number + bytes(len(number)) * 2
        write(tmp_path / WEIGHTS, {"a": tensor(0, len(data), 33, kind=kind)}, data)
        assert Tensors(tmp_path)["a"].is_finite() is finite


@pytest.mark.parametrize("name", ["model", "draft"])
def test_weights_that_are_no_numbers_are_not_added(folder: Path, name: str) -> None:
    file = folder / ("draft" if name == "draft" else "") / WEIGHTS
    place = Tensors(file.parent)["decoder.layer_norm.weight"]
    with file.open("rb+") as weights:
        weights.seek(place.file.start + place.begin)
        weights.write(b"\xff" * (place.end - place.begin))
    assert (refused(folder).code, place.shape) == ("model.not_finite", place.shape)


# OpenVINO's descriptions


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE net [<!ENTITY a "aaaa">]><net><layers/></net>',
        "<net><layers>" + "<a>" * 200 + "</a>" * 200 + "</layers></net>",
        "<net><layers><layer><data offset='1e9' size='1'/></layer></layers></net>",
        "<net></net>",
        "<layers/>",
    ],
    ids=["entities", "deep", "no number", "no layers", "no net"],
)
def test_a_description_of_another_shape(graphs_folder: Path, text: str) -> None:
    (graphs_folder / parts.ENCODER).write_text(text)
    problem = refused(graphs_folder)
    assert (problem.code, problem.values["file"]) == ("model.damaged", parts.ENCODER)


def test_a_description_of_endless_elements_is_left_before_its_end(
    graphs_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ir, "_MOST_ELEMENTS", 100_000)
    (graphs_folder / parts.ENCODER).write_text("<net><layers>" + "<a/>" * 5_000_000)
    problem = refused(graphs_folder)
    assert (problem.code, problem.values["file"]) == ("model.damaged", parts.ENCODER)


def test_a_description_may_not_speak_of_more_numbers_than_there_are(graphs_folder: Path) -> None:
    text = (graphs_folder / parts.ENCODER).read_text()
    assert 'offset="0"' in text
    (graphs_folder / parts.ENCODER).write_text(text.replace('offset="0"', 'offset="99999999999"', 1))
    assert refused(graphs_folder).values["file"] == parts.ENCODER.replace(".xml", ".bin")


def test_numbers_of_which_the_description_does_not_speak_are_not_copied(graphs_folder: Path) -> None:
    numbers = parts.DECODER.replace(".xml", ".bin")
    with (graphs_folder / numbers).open("ab") as grown:
        grown.truncate(20 << 30)
    problem = refused(graphs_folder)
    assert (problem.code, problem.values["file"]) == ("model.damaged", numbers)
