"""The budget of every training: time and steps, seed, device, and the file that a killed run goes on from."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

from rigcast._extras import require
from rigcast._validate import Arguments, bad_argument
from rigcast.progress import ProgressCallback, ProgressOption, as_callback, silent
from rigcast.training._checkpoint import only_run

DEFAULT_STEPS = 8000


class Settings(Protocol):
    """The settings of any training: a data class."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


@dataclass(frozen=True)
class Budget:
    """The eight words of every training, checked; ``seed``, ``steps`` and ``minutes`` stand in its metadata.

    Attributes
    ----------
    function : str
        Named in errors.
    minutes : float or None
        Time for the whole call, preparation, measuring and writing included.
    steps : int or None
        Of the optimizer.
    seed : int
    device : str
        Where the networks are trained: "cpu" or "cuda".
    threads : int
        0 means all processors that this process may use; with ``minutes``, one or all of them, whichever is faster.
    checkpoint : Path or None
        A file that a killed run continues from; later stages add a number to its name.
    restart : bool
        Whether an earlier run's checkpoint is removed first.
    progress : callable
    started : float
        When the call began (``time.monotonic``).

    Raises
    ------
    ValueError
        If a number is none, or out of its range.
    """

    function: str
    minutes: float | None = None
    steps: int | None = None
    seed: int = 0
    device: str = "cpu"
    threads: int = 0
    checkpoint: Path | None = None
    restart: bool = False
    progress: ProgressCallback = silent
    started: float = field(default_factory=lambda: time.monotonic())

    def __post_init__(self) -> None:
        check = Arguments(self.function)
        checked: dict[str, Any] = {"seed": check.whole("seed", self.seed), "threads": check.threads(self.threads)}
        if self.minutes is not None:
            checked["minutes"] = check.number("minutes", self.minutes, least=0.0)
        if self.steps is not None:
            checked["steps"] = check.whole("steps", self.steps, least=1)
        if not isinstance(self.restart, bool):
            raise bad_argument(self.function, "restart", repr(self.restart), "True or False")
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def measures_threads(self) -> bool:
        """Return True if the number of threads is the faster of one and all, measured on the steps."""
        return self.minutes is not None and self.threads == 0

    def elapsed(self) -> float:
        """Seconds since the call began."""
        return time.monotonic() - self.started

    def record(self, settings: Settings) -> dict[str, object]:
        """Return everything that decides the result as plain values, for metadata and checkpoints.

        Its order is that of model files: the method, the seed, the other settings, the budget, the patience.
        """
        values = asdict(settings)
        method = {name: values.pop(name) for name in ("method", "recipe") if name in values}
        patience = {"patience": values.pop("patience")}
        return method | {"seed": self.seed} | values | {"steps": self.steps, "minutes": self.minutes} | patience

    def used(self) -> dict[str, Any]:
        """Return where the training ran, for the model's metadata."""
        torch = required_torch()
        return {"torch": torch.__version__, "device": self.device, "threads": self.threads}

    def files(self, stages: int = 1) -> list[Path | None]:
        """Return the checkpoint of each stage: ``checkpoint``, ``checkpoint.1``, ...; None without one."""
        if self.checkpoint is None:
            return [None] * stages
        name = self.checkpoint.name
        return [self.checkpoint, *(self.checkpoint.with_name(f"{name}.{stage}") for stage in range(1, stages))]

    @contextlib.contextmanager
    def at_work(self, stages: int = 1) -> Iterator[None]:
        """Keep other runs off the checkpoint for the block, and run PyTorch as :func:`torch_settings` says.

        The checkpoints of all stages are removed when the block ends, and before it if the run begins anew.

        Raises
        ------
        ValueError
            If another run is at work on the checkpoint.
        MemoryError
            If the device has too little memory.
        """
        torch, files = required_torch(), self.files(stages)
        alone = contextlib.nullcontext() if self.checkpoint is None else only_run(self.checkpoint, self.function)
        with alone, torch_settings(torch, self.threads, self.device):
            _remove(files if self.restart else [])
            try:
                yield
            except torch.cuda.OutOfMemoryError as error:
                raise MemoryError(f"{self.function}: {self.device} has too little memory for these networks") from error
            _remove(files)


def budget_of(
    function: str,
    minutes: float | None,
    steps: int | None,
    seed: int,
    device: str,
    threads: int,
    checkpoint: str | os.PathLike[str] | None,
    restart: bool,
    progress: ProgressOption,
) -> Budget:
    """Return the budget of a call: 8000 steps if neither ``minutes`` nor ``steps`` is given.

    Raises
    ------
    ValueError
        As :class:`Budget`; and if the device is not there, or progress is no callback.
    MissingExtra
        Without PyTorch.
    """
    check_device(function, required_torch(), device)
    steps = DEFAULT_STEPS if minutes is None and steps is None else steps
    file = None if checkpoint is None else Path(checkpoint)
    return Budget(function, minutes, steps, seed, device, threads, file, restart, as_callback(progress))


def check_published(function: str, minutes: float | None, steps: int | None, published: str) -> None:
    """Raise ValueError if the method of a paper is asked for without a budget: 8000 steps are no such training."""
    if minutes is None and steps is None:
        expected = f"given, or minutes, as the paper's training is a long one: {published}"
        raise bad_argument(function, "steps", "None without minutes", expected)


def required_torch() -> Any:
    """Return PyTorch; MissingExtra without it."""
    return require("torch", extra="training", purpose="training a model")


def check_device(function: str, torch: Any, device: str) -> None:
    """Raise ValueError unless the device is there."""
    usable = ["cpu", *(["cuda"] if torch.cuda.is_available() else [])]
    if not isinstance(device, str) or device.split(":")[0] not in usable:
        raise bad_argument(function, "device", repr(device), " or ".join(f'"{name}"' for name in usable) + " here")
    kind, colon, index = device.partition(":")
    count = torch.cuda.device_count() if kind == "cuda" else 1
    if colon and not (index.isdecimal() and int(index) < count):
        raise bad_argument(function, "device", repr(device), f'"{kind}:0" to "{kind}:{count - 1}" here')


@contextlib.contextmanager
def torch_settings(torch: Any, threads: int, device: str) -> Iterator[None]:
    """Deterministic algorithms and a number of threads for the block; restored afterwards.

    0 threads: PyTorch's own number, which is all processors of the process unless OMP_NUM_THREADS says otherwise.
    NumPy's factorizations run on one thread in the whole process meanwhile: theirs wait for each other in a loop, and
    on a machine with other work a budget of one minute became seven.
    """
    pools = require("threadpoolctl", extra="training", purpose="training a model")
    if device.startswith("cuda"):
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS is deterministic only with it
    before = torch.get_num_threads()
    strictness = torch.get_deterministic_debug_mode()
    filled = torch.utils.deterministic.fill_uninitialized_memory
    if threads:
        torch.set_num_threads(threads)
    torch.set_deterministic_debug_mode("error")  # use_deterministic_algorithms would load PyTorch's compiler first
    torch.utils.deterministic.fill_uninitialized_memory = False  # nothing reads it, and filling takes time
    try:
        with pools.threadpool_limits(limits=1, user_api="blas"):
            yield
    finally:
        torch.utils.deterministic.fill_uninitialized_memory = filled
        torch.set_deterministic_debug_mode(strictness)
        torch.set_num_threads(before)


def _remove(files: list[Path | None]) -> None:
    for file in files:
        if file is not None:
            file.unlink(missing_ok=True)
