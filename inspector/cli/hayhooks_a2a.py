"""Offer durable agents over the Agent2Agent protocol (A2A), as tasks that outlive this server.

TARGET is a folder with a pipeline_wrapper.py, a folder of such folders, or module:attribute of
a DurableDeployment or a wrapper. Its code runs. HAYHOOKS_DURABLE_* variables are those of
Hayhooks. Hayhooks 2.1 has no A2A for durable agents; when it has, use its own.
"""

from __future__ import annotations

import os
from argparse import RawDescriptionHelpFormatter
from typing import TYPE_CHECKING

from inspector.cli.exit_codes import FINE
from inspector.cli.output import note
from inspector.errors import InspectorError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

TOKEN = "RUN_INSPECTOR_A2A_TOKEN"  # noqa: S105 - a name
_PORT = 1418
_LAST_PORT = 65_535


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.add_argument("target", help="a folder of wrappers, or module:attribute")
    parser.add_argument(
        "--store", default="sqlite:", metavar="PLACE",
        help="sqlite:PATH (default: a file of ours), redis://HOST:PORT/0, or memory",
    )  # fmt: skip
    parser.add_argument(
        "--host", default="127.0.0.1",
        help=f"where to listen; elsewhere than on this machine only with {TOKEN} or owners",
    )  # fmt: skip
    parser.add_argument(
        "--port", type=int, default=_PORT, help=f"default: {_PORT}; 0 for any that is free"
    )
    parser.add_argument(
        "--external-url", metavar="URL", help="where clients reach it, as its cards say"
    )


def run(args: Namespace) -> int:
    """Serve until somebody stops it.

    Raises:
        InspectorError: It cannot be loaded, or the port cannot be had.

    """
    if not 0 <= args.port <= _LAST_PORT:
        raise InspectorError(f"There is no port {args.port}.")
    try:
        import a2a  # noqa: F401 - says what is missing before the target is loaded
        import hayhooks  # noqa: F401 - so does this

        from inspector.hayhooks.a2a.serving import serve
    except ImportError as error:
        raise InspectorError(
            f"Serving A2A needs {error.name}.",
            hint="Install it: pip install 'haystack-run-inspector[a2a]'.",
        ) from error
    serve(
        args.target,
        store=args.store,
        host=args.host,
        port=args.port,
        external_url=args.external_url,
        token=os.environ.get(TOKEN) or None,
        announce=note,
    )
    return FINE
