"""``rigcast study serve``: a study in the browsers of its participants."""

from __future__ import annotations

import argparse
import contextlib
import logging
import sys

from rigcast import study
from rigcast.cli import _arguments as arguments
from rigcast.cli._console import Console
from rigcast.cli._result import Result
from rigcast.cli._streams import say
from rigcast.viewer._admission import is_loopback

SUMMARY = "serve a study: a page for participants, a page with progress and results for you"
EXAMPLE = "rigcast study serve smiles"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """STUDY, and where the server listens."""
    parser.add_argument("study", metavar="STUDY", type=arguments.existing, help="what rigcast study make wrote")
    parser.add_argument(
        "--host", default="127.0.0.1", help="where to listen (default 127.0.0.1: nobody but this machine)"
    )
    parser.add_argument("--port", type=arguments.port, default=0, help="default: a free one")
    parser.add_argument(
        "--host-name",
        metavar="HOST",
        action="append",
        default=[],
        help="another name of this machine, as behind a proxy",
    )
    parser.add_argument("--token", default="", help="of the page with the results (default: drawn anew)")
    parser.add_argument("--seconds", type=arguments.positive, help="end after so many (default: by Ctrl-C)")


def run(args: argparse.Namespace, console: Console) -> Result:
    """Serve until Ctrl-C."""
    if not is_loopback(args.host):
        say(f"warning: --host {args.host} lets other machines connect, without encryption", sys.stderr)
    _log_errors()
    made = study.open_study(args.study)
    server = study.StudyServer(made, args.host, args.port, names=args.host_name, token=args.token)
    with server, contextlib.suppress(KeyboardInterrupt):
        found = {"url": server.url, "admin_url": server.admin_url, "answers": len(study.answers(made))}
        if args.json:
            console.put_object(found)  # at once: the server stays
        else:
            console.result(server.url)
        console.line(f"progress and results: {server.admin_url}")
        console.line("Ctrl-C ends the server; participants go on when it runs again on this port")
        server.wait(args.seconds)
    return found


class _StudyLines(logging.Handler):
    """The server's errors as lines on stderr."""

    def emit(self, record: logging.LogRecord) -> None:
        say(f"study: {record.getMessage()}", sys.stderr)


def _log_errors() -> None:
    log = logging.getLogger("rigcast.study")
    if not any(isinstance(handler, _StudyLines) for handler in log.handlers):
        log.addHandler(_StudyLines())
    log.propagate = False
