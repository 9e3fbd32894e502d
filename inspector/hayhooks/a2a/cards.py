"""What an agent says of itself, and where its calls may go."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from inspector.hayhooks.client.address import address_of, is_this_machine
from inspector.hayhooks.client.model import HayhooksError
from inspector.importers.a2a_told import word

if TYPE_CHECKING:
    from collections.abc import Mapping

SCHEMAS = "urn:haystack-run-inspector:a2a:schemas:1"
"""The extension of a card that holds what the agent takes: `input_schema`, `resume_schema`."""
_MOST = 100


@dataclass(frozen=True, slots=True)
class A2ACard:
    """The card of an agent.

    Args:
        url: Where its calls go, as it says.
        protocol: The version of A2A that it is spoken to in: `1.0` or `0.3`.
        streams: Whether a task can be watched.
        skills: Names of what it can do.
        input_schema: JSON Schema of what begins a task, where the card says it, as ours does.
        resume_schema: JSON Schema of what any answer has to be.
        tree: The card itself.

    """

    name: str
    description: str
    version: str
    url: str
    protocol: str
    streams: bool
    skills: tuple[str, ...] = ()
    input_schema: Mapping[str, Any] | None = None
    resume_schema: Mapping[str, Any] | None = None
    tree: Mapping[str, Any] = field(default_factory=dict)


def read_card(tree: Mapping[str, Any]) -> A2ACard:
    """Return a card from its JSON.

    Raises:
        HayhooksError: It is none, or says no way of speaking to it that we know.

    """
    url, protocol = _interface(tree)
    capabilities = tree.get("capabilities")
    capabilities = capabilities if isinstance(capabilities, dict) else {}
    schemas: dict[str, Any] = {}
    for each in _objects(capabilities.get("extensions")):
        if each.get("uri") == SCHEMAS and isinstance(each.get("params"), dict):
            schemas = each["params"]
    return A2ACard(
        name=word(tree.get("name")) or "agent",
        description=word(tree.get("description")),
        version=word(tree.get("version")),
        url=url,
        protocol=protocol,
        streams=capabilities.get("streaming") is True,
        skills=tuple(
            word(each.get("name") or each.get("id")) for each in _objects(tree.get("skills"))
        ),
        input_schema=_schema(schemas.get("input_schema")),
        resume_schema=_schema(schemas.get("resume_schema")),
        tree=tree,
    )


def _interface(tree: Mapping[str, Any]) -> tuple[str, str]:
    """Return where and how the agent is spoken to over JSON-RPC; 1.0 where it can be chosen."""
    known: dict[str, str] = {}
    for each in _objects(tree.get("supportedInterfaces")):
        if word(each.get("protocolBinding")).upper() == "JSONRPC":
            said = word(each.get("protocolVersion")) or "1.0"
            known.setdefault(".".join(said.split(".")[:2]), word(each.get("url")))
    if not known and word(tree.get("preferredTransport") or "JSONRPC").upper() == "JSONRPC":
        known["0.3"] = word(tree.get("url"))
    for protocol in ("1.0", "0.3"):
        if known.get(protocol):
            return known[protocol], protocol
    raise HayhooksError(
        "The agent says no way of speaking to it that we know.",
        kind="odd",
        hint="We speak JSON-RPC of A2A 1.0 and 0.3.",
    )


def asked_address(asked: str, said: str) -> str:
    """Return where calls go: to the server that was asked for the card, and to no other.

    A card is a stranger's word. It may name another path there, and this machine by another name.

    Raises:
        HayhooksError: It names another server.

    """
    here, there = address_of(asked), address_of(said)
    hosts = {here.host, there.host}
    same_host = len(hosts) == 1 or all(
        is_this_machine(host) or host in {"0.0.0.0", "::"}  # noqa: S104 - nobody listens there
        for host in hosts
    )
    if not same_host or (here.scheme, here.port) != (there.scheme, there.port):
        raise HayhooksError(
            f"The card of {here.host}:{here.port} sends its calls to {there.host}:{there.port}.",
            kind="odd",
            hint="If that is right, give that address itself.",
        )
    host = f"[{here.host}]" if ":" in here.host else here.host
    return f"{here.scheme}://{host}:{here.port}{there.path}"


def _schema(tree: Any) -> Mapping[str, Any] | None:
    return tree if isinstance(tree, dict) and tree else None


def _objects(tree: Any) -> list[dict[str, Any]]:
    listed = tree[:_MOST] if isinstance(tree, list) else []
    return [each for each in listed if isinstance(each, dict)]
