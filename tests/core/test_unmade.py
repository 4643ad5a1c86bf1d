"""Objects made by ``__new__`` alone: every use is a TypeError, none ends the interpreter."""

import inspect

import pytest

from rigcast import _core

CLASSES = [value for value in vars(_core).values() if inspect.isclass(value)]


def uses(cls):
    """All properties and methods that take only the object, and what prints it."""
    members = inspect.getmembers(cls)
    yield from (member.fget for _, member in members if isinstance(member, property))
    yield from (member for name, member in members if name in ("arrays", "tensors", "matrix"))
    if cls.__repr__ is not object.__repr__:
        yield repr


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
def test_every_use_of_an_unmade_object_is_an_error(cls):
    instance = cls.__new__(cls)
    for use in uses(cls):
        with pytest.raises(TypeError):
            use(instance)


def test_the_error_says_what_to_do():
    with pytest.raises(TypeError, match="made by __new__ alone, without __init__; call its class instead"):
        repr(_core.BlendshapeRig.__new__(_core.BlendshapeRig))


def test_none_is_no_rig():
    with pytest.raises(TypeError, match="InverseGram: rig is None; it must be BlendshapeRig"):
        _core.InverseGram(None, [0], [1.0])
