"""Compares our motion graph with fairmotion's on one clip: ``python -m benchmarks.papers.synthesis.motion_graphs``.

    python -m benchmarks.papers.synthesis.motion_graphs --fairmotion PYTHON [--data ../shared/data] [--write]

PYTHON is the interpreter of an environment with fairmotion (``fairmotion_peer.py`` says how to make one). Both sides
compare the same windows of 12 frames of the clip zombie: fairmotion rotations of joints and positions of end effectors
of the captured skeleton, ours the mesh of Antonia, onto which the clip is retargeted. fairmotion's differences are kept
beside the test that compares them again.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.stats import spearmanr

import rigcast as rc
from benchmarks.systems.body.antonia import antonia
from benchmarks.marks import write_between_marks
from rigcast._atomic_files import atomic_write
from rigcast.baselines._motion.graph import window_distances

ROOT = Path(__file__).resolve().parents[3]
RECORD = ROOT / "tests" / "baselines" / "fairmotion_zombie.json"
CLIP = "zombie.bvh.gz"


def our_distances(data: Path, peer: dict[str, Any]) -> NDArray[np.float64]:
    """Distances of the peer's windows, (nodes, nodes)."""
    rig = antonia(data / "antonia_body")
    clips = rc.synthesis.read_clips(data / "body_motion_bvh" / CLIP, rig)
    small = {"dimensions": 2, "components": 2, "iterations": 1, "held_out": False}
    synth = rc.synthesis.fit({"zombie": clips}, fps=peer["fps"], rig=rig, **small)
    distances = window_distances(synth.mesh_features(synth.space("zombie").frames), peer["window"])
    return distances[np.ix_(np.array(peer["ends"]) - 1, peer["starts"])]


def agreement(ours: NDArray[np.float64], peer: dict[str, Any]) -> dict[str, float]:
    """Rank correlation, and what the same share of closest pairs has in common."""
    theirs = np.array(peer["differences"])
    share = peer["share of edges"]
    near_ours, near_theirs = ours <= np.quantile(ours, share), theirs <= np.quantile(theirs, share)
    count, part = sparse.csgraph.connected_components(sparse.csr_matrix(near_ours), connection="strong")
    sizes = np.bincount(part, minlength=count)
    return {
        "pairs": float(theirs.size),
        "rank correlation": float(spearmanr(ours.ravel(), theirs.ravel()).statistic),
        "common": float((near_ours & near_theirs).sum() / near_theirs.sum()),
        "kept by ours": float(sizes.max() / len(ours)),
        "kept by fairmotion": len(peer["kept"]) / len(ours),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fairmotion", help="an interpreter; without one, the differences that were recorded")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--write", action="store_true", help="into docs/benchmarks/experiments/latent_playing.md")
    options = parser.parse_args()
    if options.fairmotion:
        with tempfile.TemporaryDirectory() as folder:
            script, output = Path(__file__).with_name("fairmotion_peer.py"), Path(folder) / "out.json"
            clip = options.data / "body_motion_bvh" / CLIP
            subprocess.run([options.fairmotion, script, clip, output], check=True)
            atomic_write(RECORD, output.read_bytes())
    peer = json.loads(RECORD.read_text())
    found = agreement(our_distances(options.data, peer), peer)
    share, ours, theirs = (100 * found[key] for key in ("common", "kept by ours", "kept by fairmotion"))
    about = f"fairmotion {peer['fairmotion']} on {peer['clip']}, {len(peer['starts'])} windows"
    text = (
        f"{about}, {found['pairs']:.0f} pairs: rank correlation {found['rank correlation']:.2f}; "
        f"of its closest {peer['share of edges']:.0%}, {share:.0f} % are among our closest; with so many edges the "
        f"largest strongly connected part holds {theirs:.0f} % of its nodes and {ours:.0f} % of ours."
    )
    print(text)
    if options.write:
        write_between_marks("motion graphs", text)


if __name__ == "__main__":
    main()
