"""``{live} NAME``: a character on the page, which its visitors drag.

What the directive holds is shown where the character cannot be: where the documentation was built without the
WebAssembly module (``./run web``) or without the demo, and to readers without JavaScript. With ``:recorded: CAPTION`` a
recording, which needs no module, takes the place of the character. Pages of characters lie in ``live/`` of the site;
learned models are kept in ``build/live``.
"""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

import rigcast as rc
from rigcast._resume.fingerprints import fingerprint

logger = logging.getLogger(__name__)
ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "build" / "live"
DEMO = ROOT / "demo" / "model.safetensors"
MODULE = Path(rc.__file__).parent / "web" / "page.wasm"
HEIGHT = 440  # pixels
FPS = 24
RECORDED = 3  # seconds of each mood
MOODS = {
    "calm": {"browInnerUp": 0.4, "mouthSmile": 0.3, "jawOpen": 0.2, "jawLeft": 0.2},
    "happy": {"mouthSmile": 0.9, "cheekPuff": 0.4, "browOuterUp": 0.6, "jawOpen": 0.5, "mouthUpperUp": 0.4},
    "cross": {"browDown": 0.9, "mouthFrown": 0.8, "noseSneer": 0.6, "jawRight": 0.3, "mouthPucker": 0.3},
}


def setup(app: Sphinx) -> dict[str, bool]:
    """Write the pages before any source is read; sources are read again when there are others than before."""
    app.add_config_value("live_characters", (), "env", (tuple,))
    app.add_config_value("recorded_characters", (), "env", (tuple,))
    app.add_directive("live", Live)
    app.connect("config-inited", write_pages)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


class Live(SphinxDirective):
    """A frame with a character, or the content."""

    required_arguments = 1
    option_spec = {  # noqa: RUF012 - docutils' own
        "height": directives.positive_int,
        "small": directives.flag,
        "caption": directives.unchanged,
        "recorded": directives.unchanged,
    }
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The nodes of the frame."""
        name = self.arguments[0]
        if name not in CHARACTERS:
            raise self.error(f"no character {name!r}: {', '.join(CHARACTERS)}")
        content = nodes.container()
        self.state.nested_parse(self.content, self.content_offset, content)
        recorded = "recorded" in self.options and name in self.config.recorded_characters
        if name not in self.config.live_characters and not recorded:
            return list(content.children)
        source = "../" * self.env.docname.count("/") + f"live/{name}.html" + "#small" * ("small" in self.options)
        frame = (
            f'<iframe class="live" src="{source}" loading="lazy" title="A character in motion" '
            f'style="height: {self.options.get("height", HEIGHT)}px"></iframe><noscript>'
        )
        caption = nodes.container()
        said = self.options.get("recorded" if recorded else "caption", "")
        self.state.nested_parse(StringList([said]), self.content_offset, caption)
        end = nodes.raw("", "</noscript>", format="html")
        return [nodes.raw("", frame, format="html"), *content.children, end, *caption.children]


def write_pages(app: Sphinx, config: Config) -> None:
    """Write all characters that can be made here, and note their names: without the module, those that are recorded."""
    makers = CHARACTERS if MODULE.is_file() else RECORDINGS
    if makers is RECORDINGS:
        logger.info("live characters are left out: %s is not built (./run web)", MODULE.name)
    folder = Path(app.outdir) / "live"
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, make in makers.items():
        try:
            make().save(folder / f"{name}.html")
        except (FileNotFoundError, ImportError) as reason:
            logger.info("the live character %r is left out: %s", name, reason)
        else:
            written.append(name)
    config.live_characters = tuple(written if makers is CHARACTERS else ())
    config.recorded_characters = tuple(written if makers is RECORDINGS else ())


def arm() -> rc.viewer.ViewPage:
    """A body that was learned from the built-in arm, and bends."""
    swing = 0.5 + 0.5 * np.sin(2.0 * np.pi * np.arange(3 * FPS) / (3 * FPS))[:, None]
    return rc.viewer.embed(
        rc.load(kept("arm", _learn, [])), channels=swing * [0.0, 20.0, 110.0, 0.0, 0.0, 1.0], fps=FPS
    )


def _learn(path: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        data = rc.sampling.sample(rc.sources.example_body(), Path(folder) / "arm.rwdata", count=600, seed=0)
        rc.training.body(data, seed=0, steps=1500, threads=1).save(path)


def face() -> rc.viewer.ViewPage:
    """The built-in face."""
    return rc.viewer.embed(rc.faces.example())


def moods() -> rc.viewer.ViewPage:
    """The same face, idling for ever."""
    return rc.viewer.embed(_moods())


def recorded_moods() -> rc.viewer.ViewPage:
    """Some seconds of it, which turn and play without the engine."""
    player = _moods().player(seed=1)
    frames = []
    for mood in MOODS:
        player.idle(mood, hold=0.3)
        frames.append(player.step(RECORDED * FPS))
    return rc.viewer.record(rc.faces.example(), poses=np.concatenate(frames), fps=FPS, vertices=1200)


def _moods() -> rc.synthesis.Synthesizer:
    return rc.synthesis.load(kept("moods", _fit, [MOODS, FPS]), rig=rc.faces.example())


def _fit(path: Path) -> None:
    face, random = rc.faces.example(), np.random.default_rng(0)
    seconds = np.arange(5 * FPS)[:, None] / FPS
    clips = {}
    for mood, amounts in MOODS.items():
        most = [max((amounts[a] for a in amounts if name.startswith(a)), default=0.0) for name in face.shape_names]
        speed, phase = random.uniform(0.2, 0.5, len(most)), random.uniform(0.0, 2.0 * np.pi, len(most))
        clips[mood] = [np.array(most) * (0.5 + 0.5 * np.sin(2.0 * np.pi * speed * seconds + phase))]
    rc.synthesis.fit(clips, rig=face, fps=FPS).save(path)


def demo() -> rc.viewer.ViewPage:
    """The demo's character, where ``./run demo`` has learned it."""
    if not DEMO.exists():
        raise FileNotFoundError(f"{DEMO} is not there: ./run demo makes it")
    return rc.viewer.embed(rc.load(DEMO), storage="int8")


CHARACTERS: dict[str, Callable[[], rc.viewer.ViewPage]] = {"arm": arm, "face": face, "moods": moods, "demo": demo}
RECORDINGS: dict[str, Callable[[], rc.viewer.ViewPage]] = {"moods": recorded_moods}


def kept(name: str, make: Callable[[Path], None], facts: Sequence[object]) -> Path:
    """A model of an earlier build, or a new one; what was made before function or facts changed is removed."""
    path = KEPT / f"{name}-{fingerprint(rc.__version__, inspect.getsource(make), facts)[:12]}.safetensors"
    if not path.exists():
        KEPT.mkdir(parents=True, exist_ok=True)
        for older in KEPT.glob(f"{name}-*"):
            older.unlink()
        make(path)
    return path
