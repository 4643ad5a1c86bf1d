"""``stored`` of every kind of model that has it: a word that is none names those that are."""

from __future__ import annotations

import pytest

from tests.support.made.kinds import KINDS, MAKERS

STORED = [kind for kind in KINDS if kind.startswith(("body", "face_maps", "differential"))]


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_has_every_kind_with_storages(kind):
    assert hasattr(MAKERS[kind](), "stored") == (kind in STORED)


@pytest.mark.parametrize(
    ("kind", "word"),
    [(kind, word) for kind in STORED for word in ("int8", "int16", "float16", "") if (kind, word) != ("body", "int8")],
)
def test_a_word_that_is_none_names_the_others(kind, word):
    with pytest.raises(ValueError, match=rf'^stored: storage is {word!r}; it must be "float32"( or|,) "16-bit"'):
        MAKERS[kind]().stored(word)


@pytest.mark.parametrize("kind", STORED)
def test_what_is_no_word_is_said_without_a_list_of_signatures(kind):
    with pytest.raises(TypeError, match=r"^stored: storage is 8; it must be str$"):
        MAKERS[kind]().stored(8)
