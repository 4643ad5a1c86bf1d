"""Pages that are written at build time: the API by package, the command line, and the notebooks.

They lie in ``docs/reference/api``, ``docs/reference/command_line.md`` and ``docs/tutorials``, which git ignores.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import json
import os
import re
from pathlib import Path

from public_names import entries, packages
from sphinx.application import Sphinx

from rigcast import cli

DOCS = Path(__file__).resolve().parents[1]
NOTEBOOKS = DOCS.parent / "notebooks"
# Last cell of each notebook on the site.
GOES_ON = {
    "01_learn_a_body": "[A .blend rig](../how-to/blend_rig.md), [confidence](../explanations/confidence.md)",
    "02_inverse_rig": "[A .glb face](../how-to/glb_face.md), [objective](../explanations/objective_and_alpha.md)",
    "03_transfer_and_packing": "[Transfer](../how-to/another_topology.md), [scans](../how-to/scans.md)",
    "04_crowd": "[Crowds](../how-to/crowds.md), [what level of detail costs](../benchmarks/level_of_detail.md)",
    "05_face_rig_as_a_file": "[A face as a file](../how-to/face_maps.md), [kinds](../benchmarks/which_model.md)",
    "06_inverse_kinematics": "[Pose a character](../how-to/pose_a_character.md), [feet](../how-to/clean_feet.md)",
    "07_animation_without_end": "[Clips](../how-to/animate_without_end.md), [method](../explanations/synthesis.md)",
    "08_capture_a_face": "[A webcam](../how-to/programs/webcam.md), [landmarks](../how-to/landmarks.md)",
}


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before Sphinx looks for sources."""
    app.connect("builder-inited", lambda app: write_pages(DOCS))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def write_pages(docs: Path) -> None:
    """Write all pages into a folder; a page that did not change keeps its time, and one without a subject goes."""
    pages = {f"reference/api/{name}.rst": api_page(name) for name in packages()}
    pages["reference/command_line.md"] = command_page()
    for name, text in pages.items():
        path = docs / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
    for stale in [path for path in (docs / "reference/api").iterdir() if f"reference/api/{path.name}" not in pages]:
        stale.unlink()
    copy_notebooks(docs / "tutorials")


def copy_notebooks(folder: Path) -> None:
    """The notebooks as they are stored, each with a last cell that links on."""
    folder.mkdir(exist_ok=True)
    present = {path.name for path in NOTEBOOKS.glob("*.ipynb")}
    for stale in [path for path in folder.glob("*.ipynb") if path.name not in present]:
        stale.unlink()
    for name in sorted(present):
        notebook = json.loads((NOTEBOOKS / name).read_text(encoding="utf-8"))
        lines = f"## Where to go from here\n\n{GOES_ON[Path(name).stem]}.\n".splitlines(keepends=True)
        notebook["cells"].append({"cell_type": "markdown", "id": "goes-on", "metadata": {}, "source": lines})
        text, target = json.dumps(notebook, ensure_ascii=False, indent=1), folder / name
        text = text.replace("](../docs/", "](../")  # links of the repository's notebooks, seen from here
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            target.write_text(text, encoding="utf-8")


def api_page(package: str) -> str:
    """A package's docstring, a table of its public names, and an entry for each."""
    module = packages()[package]
    names = {name: getattr(module, name) for name in module.__all__}
    parts = [f"{package}\n{'=' * len(package)}", f".. automodule:: {package}\n   :no-members:"]
    kinds = {
        "Classes": [name for name, value in names.items() if inspect.isclass(value)],
        "Functions": [name for name, value in names.items() if inspect.isroutine(value)],
    }
    data = {name: value for name, value in names.items() if not (inspect.isclass(value) or inspect.isroutine(value))}
    kinds["Constants"] = [name for name, value in data.items() if not inspect.ismodule(value) and not is_type(value)]
    kinds["Types"] = [name for name, value in data.items() if is_type(value)]
    if package == "rigcast":
        modules = [name for name, value in names.items() if inspect.ismodule(value) and name != "cli"]
        parts.append("\n".join([".. toctree::\n   :hidden:\n", *(f"   rigcast.{name}" for name in modules)]))
        parts.append(table("Packages", modules))
    parts += [table(kind, members) for kind, members in kinds.items() if members]
    parts.append(f".. currentmodule:: {package}")
    parts += [entry(package, name, names[name]) for members in kinds.values() for name in members]
    return "\n\n".join(parts) + "\n"


def is_type(value: object) -> bool:
    """True for an alias of a type, as ``ProgressCallback`` is."""
    return type(value).__module__ in ("types", "typing", "collections.abc")


def table(title: str, names: list[str]) -> str:
    """Names with the first sentence of each."""
    rows = [f".. rubric:: {title}\n\n.. autosummary::\n   :nosignatures:\n", *(f"   {name}" for name in names)]
    return "\n".join(rows)


def entry(package: str, name: str, value: object) -> str:
    """The directive that documents a name; one that two packages offer is indexed in the package that defines it."""
    options = ""
    if inspect.isclass(value):
        kind = "autoclass"
        options = "\n   :members:" + bases(value) + ("\n   :undoc-members:" if is_engine(value) else "")
    else:
        kind = "autofunction" if inspect.isroutine(value) else "autodata"
    if package == "rigcast" and any(name in home.__all__ for key, home in packages().items() if key != package):
        options += "\n   :no-index:"
    return f".. {kind}:: {name}{options}"


def bases(value: type) -> str:
    """A public base is named; members of a private one belong to the class."""
    ours = [base for base in value.__bases__ if base.__module__.startswith("rigcast.")]
    if not ours:
        return ""
    public = all(any(base is known for _, _, known in entries()) for base in ours)
    return "\n   :show-inheritance:" if public else "\n   :inherited-members:"


def is_engine(value: type) -> bool:
    """True for a class of the C++ extension, whose plain attributes have no text of their own."""
    return value.__module__ == "rigcast._core"


def command_page() -> str:
    """The help of every command, as its parser prints it."""
    overview = printed("--help")
    commands = dict(re.findall(r"^    ([\w-]+)\s+(\S.*(?:\n {6,}\S.*)*)", overview, flags=re.MULTILINE))
    parts = ["# Command line", INTRODUCTION]
    for name, summary in commands.items():
        sentence = " ".join(summary.split())
        pages = f"\n\nUsed in {USED_IN[name]}." if name in USED_IN else ""
        shown = f"```text\n{printed(name, '--help')}\n```"
        parts.append(f"## {name}\n\n{sentence[0].upper()}{sentence[1:]}.{pages}\n\n{shown}")
    return "\n\n".join(parts) + "\n"


def printed(*arguments: str) -> str:
    """Return the text that a command line prints."""
    text, columns = io.StringIO(), os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "88"
    try:
        with contextlib.redirect_stdout(text):
            cli.main(arguments)
    finally:
        os.environ.pop("COLUMNS") if columns is None else os.environ.update(COLUMNS=columns)
    return text.getvalue().strip()


# Pages that use a command, as links from the command line's page.
USED_IN = {
    "info": "[a .blend rig](../how-to/blend_rig.md) and [files](../how-to/files.md)",
    "limits": "[a .blend rig](../how-to/blend_rig.md)",
    "sample": "[a .blend rig](../how-to/blend_rig.md) and [a farm](../how-to/farm.md)",
    "train": "[a .blend rig](../how-to/blend_rig.md) and [a face rig as a file](../how-to/face_maps.md)",
    "evaluate": "[motion capture as a test set](../how-to/bvh.md)",
    "report": "[a .blend rig](../how-to/blend_rig.md) and [a .glb face](../how-to/glb_face.md)",
    "solve": "[a .glb face](../how-to/glb_face.md) and [markers and pins](../how-to/markers_and_pins.md)",
    "transfer": "[another topology](../how-to/another_topology.md) and [scans](../how-to/scans.md)",
    "pack": "[scans](../how-to/scans.md)",
    "ik": "[pose a character](../how-to/pose_a_character.md)",
    "synth": "[animate without end](../how-to/animate_without_end.md)",
    "view": "[pose a character in the browser](../how-to/view.md)",
    "capture": "[a webcam](../how-to/programs/webcam.md) and [landmarks](../how-to/landmarks.md)",
    "perceive": "[would anybody see it?](../how-to/programs/perceive.md)",
    "study": "[which of my two rigs is better?](../how-to/programs/which_rig.md)",
    "batch": "[a farm](../how-to/farm.md)",
    "faces": "[a .glb face](../how-to/glb_face.md)",
    "bench": "[benchmarks](../benchmarks/index.md)",
    "doctor": "[install](../start/install.md)",
}


INTRODUCTION = """`rigcast COMMAND`, or `python -m rigcast COMMAND`. `rigcast` alone lists the commands, `rigcast help
COMMAND` shows one with examples. Every command has `--json`, which prints one JSON object on stdout, with what was
written under `outputs`; `-q`, which says errors alone; and `-v`, which says the time of each stage, memory, and where
an error arose. An error is one line that begins with the command; a wrong word is answered with the nearest right one.

A shell completes commands, options, and files by their endings after one line:

```sh
source <(rigcast completion bash)                       # in ~/.bashrc
source <(rigcast completion zsh)                        # in ~/.zshrc, after compinit
rigcast completion fish | source                        # in ~/.config/fish/config.fish
```

Our tests ask bash what it proposes; zsh and fish parse their scripts where a machine has them.

| exit code | meaning |
| --- | --- |
| 0 | done |
| 1 | failed |
| 2 | wrong usage or wrong input |
| 130 | interrupted by Ctrl-C |
| 143 | ended by SIGTERM, as of `kill` or a queue: work is brought into safety first, as by Ctrl-C |

After an interruption, run the same command again: `sample`, `train`, `solve`, `transfer`, `ik` and `batch` continue
where they stopped; the message names what was kept for that and its size. `--restart` begins anew. A finished result is
replaced with `--overwrite` only, when the new one is complete."""
