"""Public functions and methods of sampling and training list their keywords and state their types."""

import inspect
import re

import pytest

import rigcast as rc


def public_functions():
    for package in (rc.sampling, rc.training):
        for name in package.__all__:
            value = getattr(package, name)
            members = [value] if inspect.isfunction(value) else [*vars(value).values()]
            for member in members:
                function = member.fget if isinstance(member, property) else member
                if inspect.isfunction(function) and re.match(r"__init__$|[a-z]", function.__name__):
                    yield function


FUNCTIONS = {function.__qualname__: function for function in public_functions()}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_type_is_any(name):
    annotations = inspect.get_annotations(FUNCTIONS[name])
    assert not [argument for argument, kind in annotations.items() if re.search(r"\bAny\b", str(kind))]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_no_keyword_is_hidden(name):
    kinds = {parameter.kind for parameter in inspect.signature(FUNCTIONS[name]).parameters.values()}
    assert inspect.Parameter.VAR_KEYWORD not in kinds
