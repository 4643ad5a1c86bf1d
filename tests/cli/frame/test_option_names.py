"""One name for one thing: an option means, and takes, the same in every command."""

from __future__ import annotations

import collections

from tests.cli.every_command import parsers

# Options whose values differ by command, with all names of theirs.
SEVERAL = {
    "--output": {"FILE", "FOLDER"},
    "--components": {"N", "COUNT|SHARE"},  # of a synthesizer also the share of the variance that they hold
    "--method": {None, "NAME,NAME"},  # a report compares several
    "--within": {"MM", "FACTOR"},  # the error of an approximation; groups within which a study compares
    "--name": {"NAME", "TEXT"},  # of several models, or of one page
}


def test_the_value_of_an_option_has_one_name():
    found = collections.defaultdict(set)
    for parser in parsers().values():
        for action in parser._actions:
            for option in action.option_strings:
                found[option].add(action.metavar)
    found = {option: names for option, names in found.items() if len(names) > 1 and option != "-o"}
    assert found == SEVERAL


def test_every_command_has_the_same_frame():
    for words, parser in parsers().items():
        assert {"--json", "--piped", "-q", "--quiet", "-v", "--verbose"} <= set(parser._option_string_actions), words
        assert "--debug" not in parser._option_string_actions


def test_short_options_are_those_of_every_command():
    short = {option for parser in parsers().values() for option in parser._option_string_actions if option[1] != "-"}
    assert short == {"-h", "-o", "-q", "-v"}
