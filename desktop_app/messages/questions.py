"""Questions about this computer, each answered by a process of its own, and what they are answered with."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import takewhile

from desktop_app.transcript.model import Models
from desktop_app.transcript.statistics import Statistics


@dataclass(frozen=True)
class InferenceDevices:
    """What OpenVINO can compute on."""


@dataclass(frozen=True)
class CudaDevices:
    """What PyTorch can compute on by CUDA."""


@dataclass(frozen=True)
class AudioInputs:
    """What can be recorded."""


@dataclass(frozen=True)
class TryBundled:
    """Load the bundled model and its draft, and run them on a second of silence."""


@dataclass(frozen=True)
class TryDevice:
    """Transcribe the beginning of the sample on a device, as `--device` names it, and on the CPU."""

    device: str


@dataclass(frozen=True)
class ProcessorFeatures:
    """The instructions that this processor has besides those that every one of its kind has."""


@dataclass(frozen=True)
class VerifyFiles:
    """Read every byte of a model or speaker network again."""

    name: str


@dataclass(frozen=True)
class NewestVersion:
    """Ask the server at an address which version of Galley is the newest."""

    address: str


Question = (
    InferenceDevices
    | CudaDevices
    | AudioInputs
    | TryBundled
    | TryDevice
    | ProcessorFeatures
    | VerifyFiles
    | NewestVersion
)


@dataclass(frozen=True)
class TrialRun:
    """The beginning of the sample conversation, transcribed once."""

    tokens: tuple[int, ...]
    statistics: Statistics


@dataclass(frozen=True)
class Trial:
    """The outcome of a trial.

    Attributes:
        models: what was tried, and where.
        ready: seconds until it was compiled.
        with_draft: None where the model has no draft.
        alone: the target without a draft; `reference` is that on the processor in f32.
        is_exact: whether passes of one and of many tokens agree to the last bit.
    """

    models: Models
    ready: float
    with_draft: TrialRun | None
    alone: TrialRun
    reference: TrialRun
    is_exact: bool

    @property
    def draft_changes_nothing(self) -> bool:
        """Whether the draft changes nothing."""
        return self.with_draft is None or self.with_draft.tokens == self.alone.tokens

    @property
    def agreed(self) -> int:
        """How many tokens from the beginning on are those of the reference."""
        pairs = zip(self.alone.tokens, self.reference.tokens, strict=False)
        return sum(1 for _ in takewhile(lambda two: two[0] == two[1], pairs))

    @property
    def good(self) -> bool:
        """Whether the draft changes nothing and the text begins as the processor's does: in half precision a near tie
        may part them later."""
        return self.draft_changes_nothing and self.agreed > len(self.reference.tokens) / 10


@dataclass(frozen=True)
class Latest:
    """The newest version, such as "1.2.0", and the address of the page that tells of it."""

    version: str
    page: str
