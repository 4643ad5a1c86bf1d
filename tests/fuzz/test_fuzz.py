"""The search with damaged files: it opens good ones, is the same for a seed, and finds what a reader must not do."""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from rigcast._extras import MissingExtra
from tests.fuzz.__main__ import run
from tests.fuzz.mutations import damaged
from tests.fuzz.parent import Worker
from tests.fuzz.readers import readers_of
from tests.fuzz.seeds import write_seeds
from tests.fuzz.worker import finding

CASES = 300


@pytest.fixture(scope="module")
def seeds(tmp_path_factory) -> list[Path]:
    return write_seeds(tmp_path_factory.mktemp("good") / "seeds")


def opens(path: Path, reader) -> bool:
    try:
        reader(path)
    except MissingExtra:
        pytest.skip(f"the package that reads {path.suffix} files is not installed")
    except ValueError:
        return False
    return True


def test_every_good_file_is_opened_by_a_reader(seeds):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        refused = [path for path in seeds if sum(opens(path, reader) for reader in readers_of(path)) == 0]
    assert refused == []


def test_a_case_of_a_seed_is_the_same_each_time(seeds):
    for path in seeds:
        content = path.read_bytes()
        first, second, other = (damaged(path.name, content, np.random.default_rng([0, n])) for n in (1, 1, 2))
        assert first == second
        assert first != other or path.name == "layers.json"


def test_the_first_damaged_files_are_read_or_refused_as_promised(tmp_path):
    cases, findings = run(0, 1e9, CASES, kept=tmp_path)
    assert cases == CASES
    assert findings.counts == {}


def warns(path):
    warnings.warn("divide by zero", RuntimeWarning, stacklevel=1)


def raises(error):
    def reader(path):
        raise error

    return reader


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        (warns, "RuntimeWarning: divide by zero"),
        (raises(KeyError("x")), "KeyError"),
        (raises(MemoryError()), "MemoryError"),
        (raises(ValueError("load: weights is NaN")), "no file in the message"),
        (lambda path: {"a": (np.array([np.nan]),)}, "not finite"),
    ],
)
def test_what_a_reader_must_not_do_is_found(reader, said):
    assert said in finding(Path("place/a.glb"), reader)


@pytest.mark.parametrize("reader", [raises(ValueError("load: place/a.glb: no")), lambda path: np.zeros(3)])
def test_what_a_reader_may_do_is_no_finding(reader):
    assert finding(Path("place/a.glb"), reader) is None


def test_a_file_that_is_not_answered_in_time_ends_the_process(seeds):
    with Worker() as worker:
        worker.opened(seeds[0])
        begin = time.monotonic()
        said = worker.opened(seeds[0], patience=0.0)
        assert said == {"process": "no answer within 0 s"}
        assert time.monotonic() > begin
        assert worker.opened(seeds[0]) == {}
