"""The linear part under the networks of a body, chosen by brief trainings on some of the rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rigcast.progress import Progress, silent
from rigcast.training._body.learned_body import Networks, model_of
from rigcast.training._body.linear_part import Skinnings
from rigcast.training._body.preparation import prepare
from rigcast.training._body.settings import BodySettings
from rigcast.training._budget import Budget, required_torch, torch_settings
from rigcast.training._export import errors_of

OWN = "the rig's own weights"
CANDIDATES = {  # in the order of the trials: short of time, the last ones are left out
    OWN: ("own", 4),
    "skinning, K = 4": ("skinning", 4),
    "rigid": ("rigid", 4),
    "skinning, K = 2": ("skinning", 2),
}
SHARE = 0.15  # of the minutes
CLEAR = (
    0.5  # of the error of rigid parts in a trial: skinning has its lead early, rigid parts gain more by long training
)
TRIAL_STEPS = 100  # at most, and at most a tenth of those of the training
STEPS_PER_MINUTE = 25  # of a trial, where minutes are the budget
TRIAL_ROWS = 500  # that a trial learns from
TRIAL_HELD_OUT = 150


class Excerpt:
    """Some training and held-out rows of a data set."""

    def __init__(self, ds: Any, settings: BodySettings, seed: int) -> None:
        self.ds = ds
        training, held_out = ds.split(settings.holdout, seed)
        rng = np.random.default_rng([seed, 11])
        kept = rng.permutation(training)[:TRIAL_ROWS], rng.permutation(held_out)[:TRIAL_HELD_OUT]
        self.rows = np.concatenate([np.sort(part) for part in kept])
        self._training = len(kept[0])
        self.poses, self.channels = np.asarray(ds.poses)[self.rows], np.asarray(ds.channels)[self.rows]
        self.vertex_rows = self

    def __len__(self) -> int:
        return len(self.rows)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.ds, name)

    def __getitem__(self, rows: slice) -> NDArray[np.float32]:
        """Vertices of a run of rows."""
        return self.take(np.arange(len(self))[rows])[2]

    def take(self, rows: NDArray[np.integer[Any]]) -> tuple[NDArray[np.float32], ...]:
        """Channels, poses and vertices of rows of the excerpt."""
        return self.ds.take(self.rows[rows])  # type: ignore[no-any-return]

    def split(self, _holdout: float, _seed: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Rows to learn from and held-out rows."""
        return np.arange(self._training), np.arange(self._training, len(self))


def chosen_linear(
    ds: Any, settings: BodySettings, skinnings: Skinnings, budget: Budget
) -> tuple[BodySettings, dict[str, Any]]:
    """The settings with the linear part that learns best, and the metadata entry ``linear_trials``.

    Each candidate is trained for a fixed number of steps on the same rows, so that a choice does not depend on the load
    of the machine. The smallest mean error on held-out rows wins, but skinning only if it is below :data:`CLEAR` times
    that of rigid parts. With a budget of minutes no trial begins after :data:`SHARE` of it: the best of those that
    were made wins. Settings that name a linear part are kept.
    """
    if settings.linear != "auto":
        return settings, {}
    some = Excerpt(ds, settings, budget.seed)
    steps = _steps_of_trial(budget)
    errors: dict[str, float] = {}
    has_own = getattr(ds, "skin", None) is not None
    candidates = {name: part for name, part in CANDIDATES.items() if name != OWN or has_own}
    for number, (name, (linear, influences)) in enumerate(candidates.items()):
        if errors and budget.minutes is not None and budget.elapsed() > SHARE * 60.0 * budget.minutes:
            break
        budget.progress(Progress("choosing the linear part", number, len(candidates), name))
        tried = replace(settings, linear=linear, influences=influences)
        brief = replace(budget, steps=steps, minutes=None, checkpoint=None, progress=silent)
        ready = prepare(some, tried, brief, skinnings=skinnings)
        with torch_settings(required_torch(), 1, budget.device):  # two threads wait for each other on a busy machine
            learned, _ = Networks(some, ready, tried, brief).train()
        errors[name] = float(errors_of(model_of(some, ready, learned), some, ready.held_out)[1]["mean"])
    chosen = best(errors)
    linear, influences = CANDIDATES[chosen]
    trials = {
        "chosen": chosen,
        "left_out": [name for name in candidates if name not in errors],
        "steps": steps,
        "rows": some.split(0.0, 0)[0].size,
        "held_out_mean": errors,
    }
    return replace(settings, linear=linear, influences=influences), {"linear_trials": trials}


def best(errors: dict[str, float]) -> str:
    """The candidate to take by the errors of the trials."""
    first = min(errors, key=lambda name: errors[name])
    return first if errors[first] < CLEAR * errors.get("rigid", np.inf) else "rigid"


def _steps_of_trial(budget: Budget) -> int:
    most = [TRIAL_STEPS]
    if budget.steps is not None:
        most.append(budget.steps // 10)
    if budget.minutes is not None:
        most.append(round(STEPS_PER_MINUTE * budget.minutes))
    return max(1, min(most))
