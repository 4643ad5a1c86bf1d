"""Differences of windows by fairmotion in a Python of its own: ``PYTHON fairmotion_peer.py CLIP.bvh.gz OUT.json``.

See motion_graphs.py. fairmotion 0.0.4 installs with ``pip install --no-deps fairmotion`` beside numpy, scipy, networkx,
matplotlib and tqdm.
"""

import gzip
import json
import sys
import tempfile
from importlib.metadata import version

import numpy as np
from fairmotion.core.motion import Joint
from fairmotion.core.velocity import MotionWithVelocity
from fairmotion.data import bvh
from fairmotion.tasks.motion_graph.motion_graph import MotionGraph

WINDOW, STRIDE = 12, 24  # frames that are compared, and between nodes
KEPT = 0.1  # of the pairs become edges
AXES = {
    "v_up_skel": np.array([0.0, 0.0, 1.0]),
    "v_face_skel": np.array([0.0, -1.0, 0.0]),
    "v_up_env": np.array([0.0, 0.0, 1.0]),
}  # of the clip: z is up, and toes point along -y; with others, the way walked is not taken out of positions
SHORT = 1e-3  # seconds, against rounding down

# Release 0.0.4 asks joints for a name that they do not have.
Joint.child_joint = property(lambda joint: joint.child_joints)


def main(clip, output):
    with gzip.open(clip) as packed, tempfile.NamedTemporaryFile(suffix=".bvh") as file:
        file.write(packed.read())
        file.flush()
        motion = bvh.load(file.name, **AXES)
    motion = MotionWithVelocity.from_motion(motion)
    fps = round(motion.fps)
    graph = MotionGraph(
        [motion],
        [clip],
        motion.skel,
        fps=fps,
        base_length=STRIDE / fps + SHORT,
        stride_length=STRIDE / fps + SHORT,
        blend_length=(WINDOW - 1) / fps + SHORT,
        compare_length=(WINDOW - 1) / fps + SHORT,
    )
    positions = {"w_joint_vel": 0.0, "w_root_vel": 0.0, "w_ee_vel": 0.0, "w_trajectory": 0.0}
    graph.construct(diff_threshold=np.inf, num_comparison=WINDOW, **positions)
    nodes = [dict(graph.graph.nodes[n]) for n in graph.graph.nodes]
    found = np.zeros((len(nodes), len(nodes)))
    for a, b, about in graph.graph.edges(data=True):
        found[a, b] = about["weights"]
    limit = np.quantile(found, KEPT)
    graph.graph.remove_edges_from([edge for edge in graph.graph.edges if found[edge] > limit])
    graph.reduce("scc")
    about = {
        "clip": clip.rsplit("/", 1)[-1],
        "fairmotion": version("fairmotion"),
        "fps": fps,
        "window": WINDOW,
        "starts": [int(node["frame_start"]) for node in nodes],
        "ends": [int(node["frame_end"]) for node in nodes],
        "share of edges": KEPT,
        "kept": sorted(map(int, graph.graph.nodes)),
        "differences": found.round(6).tolist(),
    }
    with open(output, "w") as file:
        json.dump(about, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
