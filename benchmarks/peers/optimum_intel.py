"""optimum-intel: transformers' decoding over OpenVINO's graphs, greedy, with timestamps."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.peers.transformers import generating


def convert(target: Path, weights: Path, precision: str) -> None:
    """Its graphs, with the tokenizer's for openvino-genai. Matrices in int8 as `optimum-cli export openvino` makes
    them, or all in 32 bits.
    """
    import torch
    from optimum.exporters.openvino.convert import export_tokenizer
    from optimum.intel import OVModelForSpeechSeq2Seq
    from transformers import PreTrainedTokenizerFast

    model = OVModelForSpeechSeq2Seq.from_pretrained(
        target, export=True, compile=False, load_in_8bit=precision == "int8", dtype=torch.float32
    )
    model.save_pretrained(weights)
    export_tokenizer(PreTrainedTokenizerFast(tokenizer_file=str(target / "tokenizer.json")), weights)
    for name in ("tokenizer.json", "preprocessor_config.json", "generation_config.json"):
        shutil.copy(target / name, weights / name)


def load(weights: str, precision: str, threads: int) -> Callable[[Any, str], str]:
    """Ready to transcribe. What is not in int8 is computed in 32 bits, as in Galley."""
    from optimum.intel import OVModelForSpeechSeq2Seq

    config = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": str(threads), "PERFORMANCE_HINT": "LATENCY"}
    return generating(OVModelForSpeechSeq2Seq.from_pretrained(weights, ov_config=config), weights, {})
