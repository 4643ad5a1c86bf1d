"""Sphinx settings of the documentation: ``./run docs`` builds it into build/docs."""

import sys
from pathlib import Path

import rigcast

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_ext"))

project = "rigcast"
author = "the rigcast authors"
project_copyright = "the rigcast authors, Apache Licence 2.0"
release = rigcast.__version__

extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "data_comments",
    "live_characters",
    "mathml",
    "public_names",
    "repository_links",
    "search_words",
    "stub_signatures",
    "written_pages",
]
exclude_patterns = ["_ext", "_static"]
nitpicky = True
# Types of the standard library and of other packages, whose documentation is not at hand without a network.
nitpick_ignore_regex = [
    (r"py:.*", r"(builtins|collections|typing|os|pathlib|numpy|np|npt|torch|pyvista|matplotlib|types)\..*"),
    (
        r"py:class",
        "ArrayLike|NDArray|u?int[0-9]*|float[0-9]*|bool_?|Float32|Float64|Axes|Weights|Factors|DeviceArray|HostProcess|LocalHost|"
        "JointPoint|LatentSpace|Embedding|Coordinates|AnyLayer|floating|_Layout|Client|Tensor",
    ),
]
# Types behind public names that nobody makes: fields of results and arguments that the package fills in itself.
nitpick_ignore = [
    ("py:class", f"rigcast.{name}")
    for name in (
        "_core.PlayCommand",
        "_core.PlayLayer",
        "_formats.blender.connection.HostConnection",
        "_formats.gltf.clips.GltfClip",
        "_formats.gltf.playback.GltfPlayback",
        "_rigs.motions.moving_mesh.MeshFrames",
        "_rigs.motions.skinned_motion.SkinnedMotion",
        "_rigs.segments.AtRest",
        "_resume.parts.PartsFolder",
        "baselines._motion.clips.ClipFrames",
        "baselines._motion.graph.GraphPlayer",
        "baselines._motion.matching.FadePlayer",
        "baselines._motion.matching.MatchingPlayer",
        "baselines._samples.Data",
        "metrics._posed_rows.PosedVertices",
        "inverse._solution.Constraints",
        "sampling._store.rows.Rows",
        "sampling._drawing.stream.Stream",
        "synthesis._coordinates.Coordinates",
        "synthesis._parts.SynthesisParts",
        "synthesis._playing.layers.AnyLayer",
        "synthesis._playing.playable.Playable",
        "synthesis._space.Embedding",
        "training._differential._transforms.Movable",
        "training._differential._transforms.Skinned",
        "viewer._received._opening.Opener",
        "viewer._stage.Stage",
    )
]

# Notebooks are executed by their own tests; pages show the outputs that are stored.
nb_execution_mode = "off"
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
myst_update_mathjax = False

autodoc_preserve_defaults = True  # settings=BodySettings(), not all of its fields
autodoc_member_order = "bysource"
autoclass_content = "both"
autosummary_generate = False
python_use_unqualified_type_names = True
python_maximum_signature_line_length = 88
add_module_names = False
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False

html_theme = "furo"
html_title = "rigcast"
html_static_path = ["_static"]
html_css_files = ["rigcast.css"]
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"
