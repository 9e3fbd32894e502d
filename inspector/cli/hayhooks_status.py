"""Say how a Hayhooks server and its replicas are, and what they run. 1: not all is well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.hayhooks_asking import access_for, add_server_choice, chosen_server
from inspector.cli.output import to_json, write_json, write_line
from inspector.presentation.visible import one_line

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.hayhooks.client.model import Deployment, ServerStatus


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    add_server_choice(parser)
    parser.add_argument("--schemas", action="store_true", help="also what deployments take")
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Say how a server is. 1: it is down, or not all of it is well.

    Raises:
        InspectorError: There is no such server.

    """
    from inspector.hayhooks.client.client import HayhooksClient

    server = chosen_server(args.server)
    client = HayhooksClient(server, access_for(server, args))
    try:
        found = client.statuses()
        described = client.deployments() if args.schemas else _first(found)
    finally:
        client.close()
    if args.json:
        write_json([to_json(_tree(found, described))])
    else:
        for one in found:
            write_line(
                f"{one.url}  {one.state}{f'  {one_line(one.message)}' if one.message else ''}"
            )
        for deployment in described:
            _tell(deployment)
    return FINE if all(one.state == "up" for one in found) else FOUND


def _first(found: tuple[ServerStatus, ...]) -> tuple[Deployment, ...]:
    return next((one.deployments for one in found if one.deployments), ())


def _tell(deployment: Deployment) -> None:
    how = "durable" if deployment.is_durable else "answers requests only"
    revision = f"  rev {one_line(deployment.revision)}" if deployment.revision else ""
    write_line(f"  {one_line(deployment.name)}  {deployment.kind}, {how}{revision}")
    if deployment.description:
        write_line(f"    {one_line(deployment.description)}")
    for title, schema in (
        ("takes", deployment.input_schema),
        ("resumed by", deployment.resume_schema),
    ):
        if schema is not None:
            write_line(f"    {title} {to_json(schema)}")


def _tree(found: tuple[ServerStatus, ...], described: tuple[Deployment, ...]) -> dict[str, Any]:
    return {
        "addresses": [
            {"url": one.url, "state": one.state, "message": one.message or None} for one in found
        ],
        "deployments": [
            {
                "name": one.name,
                "kind": one.kind,
                "durable": one.is_durable,
                "revision": one.revision,
                "description": one.description,
                "input_schema": one.input_schema,
                "resume_schema": one.resume_schema,
            }
            for one in described
        ],
    }
