"""What stands beside the artifacts: checksums, and a bill of the parts of others (CycloneDX 1.5)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from release.project import Part, commit_time, version


@dataclass(frozen=True)
class Artifact:
    """A file that is published, and the parts of others inside of it."""

    path: Path
    parts: Sequence[Part]

    @property
    def hash(self) -> str:
        """SHA-256 of its bytes."""
        return hashlib.sha256(self.path.read_bytes()).hexdigest()


def write_bill(artifacts: Sequence[Artifact], folder: Path) -> list[Path]:
    """Write ``SHA256SUMS`` and ``rigcast-VERSION.cdx.json``."""
    sums = folder / "SHA256SUMS"
    sums.write_text("".join(f"{artifact.hash}  {artifact.path.name}\n" for artifact in artifacts), encoding="ascii")
    parts = {part.name: part for artifact in artifacts for part in artifact.parts}
    bill = folder / f"rigcast-{version()}.cdx.json"
    content = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {
            "timestamp": datetime.fromtimestamp(commit_time(), timezone.utc).isoformat(),
            "component": {"type": "library", "name": "rigcast", "version": version()},
        },
        "components": [_component(part) for part in parts.values()],
        "dependencies": [{"ref": a.path.name, "dependsOn": sorted(part.name for part in a.parts)} for a in artifacts],
    }
    files = [
        {"type": "file", "bom-ref": a.path.name, "name": a.path.name, "hashes": [{"alg": "SHA-256", "content": a.hash}]}
        for a in artifacts
    ]
    content["components"] = [*files, *content["components"]]  # type: ignore[misc]
    bill.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    return [sums, bill]


def _component(part: Part) -> dict[str, object]:
    return {
        "type": "library",
        "bom-ref": part.name,
        "name": part.name,
        "version": part.version,
        "licenses": [{"expression": part.licence}],
        "externalReferences": [{"type": "website", "url": f"https://{part.home}"}],
        "properties": [{"name": "inside", "value": part.inside}],
    }
