"""Terms of the pages, explained at their ends: a page opens without a network, so links stay inside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

TERMS = {
    "simple methods": "Formulas fitted to the same training poses in seconds: linear and quadratic regression, and the "
    "nearest training pose. If one of them comes within twice the model's error, the poses are too easy to tell how "
    "well the model has learned.",
    "quadratic ridge": "A formula with products of two controls, fitted by least squares: one of the simple methods.",
    "enveloping error": "What is left of the deformation beyond rigid pieces, in percent: 0 is perfect, 100 is no "
    "better than one joint per vertex.",
    "confidence": "What the model says of a pose before anybody compares it with the rig: near 1 among its training "
    "poses, 1/2 at a quarter of their radius outside, toward 0 farther out.",
    "linear skinning": "Each vertex follows a weighted mean of a few joints. K is how many.",
    "RMSE": "Root mean square distance over the vertices, or markers, of a frame.",
    "face normals": "The directions that faces point in. They decide the shading: one degree is hardly seen, five are.",
    "optimum": "A frame is at an optimum if no small change of its weights makes the objective smaller.",
    "α": "How much the sum of the weights counts against the distance: larger values turn more weights off.",
    "jitter": "Trembling of a curve from frame to frame, as the root mean square of its second differences.",
    "new crossings": "Faces that cut through each other, of which neither the source's shape nor the target at rest "
    "says that they should. They count from a depth on: where lips touch, rounding crosses them everywhere.",
    "depth": "Of two faces that cut: the shortest way by which one would leave the other.",
    "flipped faces": "Faces that lie the wrong way round, more than 90 degrees from where the source's face turned.",
    "plain copy": "The source's offsets added to the target's vertices, as they are.",
    "contacts": "Pairs of vertices of lips and lids that face each other, and must meet and not cross.",
    "latent space": "A few numbers per label, learned from its clips, from which whole poses are made.",
    "principal components": "The simplest such numbers: straight directions along which the clips vary most.",
    "bridge": "Poses of two labels that match closely enough to change from one to the other there.",
    "threshold": "How close two poses must be to match, as the root mean square distance of their meshes.",
    "control points": "Points of the skin that are dragged; the networks answer with the rig's parameters.",
    "polishing": "A few steps of the exact solver, started from the networks' answer.",
    "residual": "Distance of a tracked point from where the solved character has it.",
    "anchors": "Vertices whose places are learned directly; they hold the surface in place.",
    "floor": "The error that the best possible map of this size leaves, however long the training.",
}
_PLACES = re.compile("|".join(rf"\b{re.escape(term)}(?:s|es)?\b" for term in sorted(TERMS, key=len, reverse=True)))


class Html(str):
    """Text that templates take as it is."""

    def __html__(self) -> str:
        return str(self)


def linked(text: str) -> Html:
    """A sentence whose terms, once each, link to their explanations."""
    seen: set[str] = set()

    def link(found: re.Match[str]) -> str:
        term = next(term for term in sorted(TERMS, key=len, reverse=True) if found[0].startswith(term))
        if term in seen:
            return found[0]
        seen.add(term)
        return f'<a class="term" href="#{anchor(term)}" title="{escape(TERMS[term])}">{found[0]}</a>'

    return Html(_PLACES.sub(link, escape(text)))


def explained(page: str) -> Iterator[tuple[str, str, str]]:
    """Terms that a page links to: their anchors, themselves, their explanations."""
    for term, text in TERMS.items():
        if f'href="#{anchor(term)}"' in page:
            yield anchor(term), term, text


def anchor(term: str) -> str:
    """The id of a term's explanation."""
    return "term-" + ("alpha" if term == "α" else term.replace(" ", "-").lower())
