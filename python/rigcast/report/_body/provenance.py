"""The origin of a model, in facts that can be checked."""

from __future__ import annotations

from typing import Any

from rigcast._pages import words
from rigcast._pages.facts import Fact
from rigcast.report._body.assess import Assessment
from rigcast.report._body.heldout import HeldOutPoses
from rigcast.sampling import Dataset


def provenance(numbers: Assessment, training: Dataset | None) -> list[tuple[str, list[Fact]]]:
    """Groups of facts: the character, the data, the training, the model."""
    groups = [("Character", _character(numbers))]
    if training is not None:
        groups.append(("Training set", _dataset(training)))
    groups += [(f"Held-out {truth.title}", _held_out(truth)) for truth in numbers.truths]
    groups += [("Training", _training(numbers)), ("Model file", _model(numbers, training))]
    return [(title, facts) for title, facts in groups if facts]


def _character(numbers: Assessment) -> list[Fact]:
    model, dataset = numbers.subject.model, numbers.truths[0].dataset
    facts = [
        Fact("rig", dataset.name or model.metadata.get("name", "")),
        Fact("licence", dataset.licence or "not stated"),
        Fact("origin", dataset.origin or "not stated"),
        Fact("mesh", f"{words.plural(len(model.rest_vertices), 'vertex')}, {words.plural(len(model.faces), 'face')}"),
        Fact("channels", f"{len(dataset.channel_names):,} that an artist turns"),
        Fact("unit", f"1 unit = {model.meters_per_unit:g} m, {model.up_axis} up"),
        Fact("topology", dataset.manifest["topology_hash"], is_hash=True),
    ]
    return [*facts, *(Fact(name, text) for name, text in sorted(_notes(dataset).items()))]


def _notes(dataset: Dataset) -> dict[str, str]:
    """Further notes of the rig on itself, such as which of its parts are constructed."""
    notes: Any = dataset.manifest.get("notes", {})
    return {str(name): str(text) for name, text in notes.items()} if isinstance(notes, dict) else {}


def _dataset(dataset: Dataset) -> list[Fact]:
    sampler = dict(dataset.manifest["sampler"])
    kind = str(sampler.pop("kind", "unknown"))
    details = ", ".join(f"{name} {value}" for name, value in words.settings(sampler) if name != "sha256")
    probe = dataset.manifest["probe"]
    return [
        Fact("poses", f"{len(dataset):,}"),
        Fact("sampler", f"{kind}{f' ({details})' if details else ''}, seed {dataset.manifest['seed']}"),
        Fact("influence probe", f"{probe} base poses, every channel moved from each" if probe else "none"),
        Fact("hash", dataset.hash, is_hash=True),
    ]


def _held_out(truth: HeldOutPoses) -> list[Fact]:
    facts = [fact for fact in _dataset(truth.dataset) if fact.name != "influence probe"]
    if len(truth.rows) < len(truth.dataset):
        facts.insert(1, Fact("judged on", f"{len(truth.rows):,} of them, evenly spaced"))
    return facts


def _training(numbers: Assessment) -> list[Fact]:
    record = numbers.subject.model.metadata.get("training", {})
    return [Fact(name, value) for name, value in words.settings(record)]


def _model(numbers: Assessment, training: Dataset | None) -> list[Fact]:
    metadata = numbers.subject.model.metadata
    learned_from = metadata.get("data_hash", "")
    matches = ""
    if training is not None and learned_from:
        matches = "the training set above" if learned_from == training.hash else "another set than the one above"
    facts = [
        Fact("kind", f"{numbers.subject.model.kind}, version {metadata.get('version', '–')}"),
        Fact("size", words.size(numbers.subject.size)),
        Fact("licence", metadata.get("licence") or "not stated"),
        Fact("learned from", learned_from or "not stated", is_hash=bool(learned_from)),
    ]
    return facts + [Fact("which is", matches)] * bool(matches)
