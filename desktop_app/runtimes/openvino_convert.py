"""Checkpoints written as OpenVINO's own graphs by optimum-intel and NNCF: the extra `convert`, which needs torch."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import numpy.typing as npt
import openvino as ov

from desktop_app.checkpoints.folder import Checkpoint
from desktop_app.problems import Problem

_PACKAGES = {"torch": "torch", "optimum": "optimum-intel", "nncf": "nncf"}


def check() -> None:
    """Raise Problem unless the extra is installed."""
    missing = [name for package, name in _PACKAGES.items() if find_spec(package) is None]
    if missing:
        raise Problem("model.no_converter", packages=", ".join(missing))


def export(checkpoint: Checkpoint, folder: Path) -> None:
    """Write the graphs of a safetensors folder with the numbers that it holds, and settings of the exporter's making.

    The decoder keeps its own memory and gives the scores of every token.
    """
    os.environ["HF_HUB_OFFLINE"] = "1"  # everything is in the folder
    from optimum.exporters.openvino import main_export
    from optimum.intel import OVConfig

    warnings.simplefilter("ignore")  # what tracing says of the exporter's own code
    halves = all(checkpoint.tensors[name].kind == "F16" for name in checkpoint.shape.tensors())
    try:
        main_export(
            model_name_or_path=str(checkpoint.folder),
            output=folder,
            task="automatic-speech-recognition-with-past",
            ov_config=OVConfig(dtype="fp16" if halves else "fp32"),
            stateful=True,
            convert_tokenizer=False,
            library_name="transformers",
            trust_remote_code=False,
        )
    except (ImportError, RuntimeError, TypeError, ValueError) as error:
        lines = str(error).strip().splitlines() or ["no reason is given"]
        raise Problem("model.not_converted", error=lines[0][:200]) from error


def quantise_encoder(path: Path, windows: Sequence[npt.NDArray[np.float32]], step: Callable[[], None]) -> None:
    """Make a written encoder int8 in weights and activations, by the ranges that windows of features [bins, frames]
    show (NNCF's static quantisation for transformers). `step` is called before each window.
    """
    import nncf

    def inputs(window: npt.NDArray[np.float32]) -> dict[str, npt.NDArray[np.float32]]:
        step()
        return {"input_features": window[None]}

    dataset = nncf.Dataset(windows, inputs)
    graph = nncf.quantize(
        ov.Core().read_model(path),
        dataset,
        model_type=nncf.ModelType.TRANSFORMER,
        subset_size=len(windows),
        # The convolutions read the features themselves. What the second matrix of each layer reads has a few huge
        # values: in int8 Whisper base recognised hardly a word.
        ignored_scope=nncf.IgnoredScope(types=["Convolution"], patterns=[".*fc2.*MatMul.*"]),
    )
    fresh = path.with_name(f"new_{path.name}")
    ov.save_model(graph, fresh)
    del graph
    for end in (".bin", ".xml"):
        fresh.with_suffix(end).replace(path.with_suffix(end))
