"""The ASGI application that offers durable deployments as agents of A2A.

    app = create_a2a_app([ServedAgent(deployment)], base_url="http://127.0.0.1:1418")

Starting the application starts the deployments, and closing it closes them. Hayhooks 2.1 has an
A2A server for wrappers that answer within a request; should it ever serve durable ones, this module
and `handler.py` are what goes.
"""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from a2a.server.routes import create_agent_card_routes, create_jsonrpc_routes
from a2a.server.routes.common import DefaultServerCallContextBuilder
from a2a.types import (
    AgentCapabilities,
    AgentCard,
    AgentExtension,
    AgentInterface,
    AgentSkill,
    HTTPAuthSecurityScheme,
    SecurityRequirement,
    SecurityScheme,
    StringList,
)
from fastapi import APIRouter, Depends, FastAPI, HTTPException, Request, Response
from google.protobuf.json_format import ParseDict
from hayhooks.durable import DurableRuntime

from inspector.errors import InspectorError
from inspector.hayhooks.a2a.cards import SCHEMAS
from inspector.hayhooks.a2a.deployment import TaskDeployment
from inspector.hayhooks.a2a.guard import Guard
from inspector.hayhooks.a2a.handler import GONE, OWNER, ExecutionHandler

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from a2a.server.context import ServerCallContext
    from hayhooks.durable import DurableDeployment

_MODES = ("application/json", "text/plain")
_LONGEST_OWNER = 512


@dataclass(frozen=True, slots=True)
class ServedAgent:
    """A durable deployment that is offered as an agent.

    Args:
        deployment: Started by nobody yet; its store has to have `monitoring_enabled` for lists.
        description: What it does, for those who choose among agents.
        card: What replaces name, description, version and skills of its card.
        owner: A dependency of FastAPI that says whose the tasks of a request are, such as a
            wrapper's `durable_owner_id`. None: whoever can call sees all tasks.

    """

    deployment: DurableDeployment
    description: str = ""
    card: Mapping[str, Any] = field(default_factory=dict)
    owner: Callable[..., Any] | None = None

    @property
    def name(self) -> str:
        return str(self.deployment.name)


def create_a2a_app(
    agents: Sequence[ServedAgent],
    *,
    base_url: str,
    token: str | None = None,
    hosts: Iterable[str] = (),
    compatible_with_0_3: bool = True,
    closing: Callable[[], Any] | None = None,
) -> FastAPI:
    """Return an application that serves each agent under `/NAME/`, and a single one under `/` too.

    Args:
        agents: What to serve.
        base_url: Where clients reach it, as the cards say.
        token: What callers have to carry as a bearer, but for reading cards.
        hosts: The host names that it answers to; none: to any.
        compatible_with_0_3: Whether clients of A2A 0.3 may speak to it.
        closing: Called, and awaited, when all is closed, such as for a client of Redis.

    Raises:
        InspectorError: There is no agent, two have one name, or one was started by somebody else.

    """
    if not agents:
        raise InspectorError("There is no agent to serve.")
    names = [agent.name for agent in agents]
    if len(set(names)) < len(names):
        raise InspectorError("Two agents have the same name.")
    deployments = [TaskDeployment(agent.deployment) for agent in agents]

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        runtime = DurableRuntime(deployments)
        try:
            await runtime.start()
            yield
        finally:
            await runtime.close()
            await runtime.wait_drained()
            if closing is not None:
                await closing()

    app = FastAPI(lifespan=lifespan, openapi_url=None, docs_url=None, redoc_url=None)
    app.add_middleware(Guard, hosts=hosts, token=token)

    @app.get("/status")
    async def status() -> dict[str, Any]:
        return {"status": "ok", "agents": names, "durable": True}

    for agent, deployment in zip(agents, deployments, strict=True):
        url = f"{base_url.rstrip('/')}/{agent.name}/"
        card = card_of(agent, deployment, url, token=token is not None)
        router = _router(agent, deployment, card, compatible_with_0_3)
        app.include_router(router, prefix=f"/{agent.name}")
        if len(agents) == 1:
            app.include_router(router)
    return app


def _router(
    agent: ServedAgent, deployment: TaskDeployment, card: AgentCard, compatible_with_0_3: bool
) -> APIRouter:
    handler = ExecutionHandler(deployment, enforce_owner=agent.owner is not None)
    (rpc,) = create_jsonrpc_routes(
        handler,
        rpc_url="/",
        context_builder=_Calls(),
        enable_v0_3_compat=compatible_with_0_3,
    )
    (shown,) = create_agent_card_routes(card)
    router = APIRouter()
    router.add_api_route(shown.path, shown.endpoint, methods=["GET"], response_model=None)
    owner: Any = agent.owner or _nobody

    async def answer(request: Request, owner_id: Annotated[Any, Depends(owner)]) -> Response:
        if agent.owner is not None:
            setattr(request.state, OWNER, _checked_owner(owner_id))
        answered: Response = await rpc.endpoint(request)
        return answered

    # Postponed annotations would be looked up where `owner` is not.
    answer.__annotations__ = {
        "request": Request,
        "owner_id": Annotated[Any, Depends(owner)],
        "return": Response,
    }
    router.add_api_route("/", answer, methods=["POST"], response_model=None)
    return router


def _nobody() -> None:
    return None


def _checked_owner(owner: object) -> str:
    if isinstance(owner, str) and owner and len(owner.encode()) <= _LONGEST_OWNER:
        return owner
    raise HTTPException(500, "What says whose a task is has to return a text of 1 to 512 bytes")


class _Calls(DefaultServerCallContextBuilder):
    """Hands what answers a request its owner, and a way to see that nobody waits any more."""

    def build(self, request: Request) -> ServerCallContext:
        context = super().build(request)
        context.state[OWNER] = getattr(request.state, OWNER, None)
        context.state[GONE] = request.is_disconnected
        return context


def card_of(
    agent: ServedAgent, deployment: TaskDeployment, url: str, *, token: bool = False
) -> AgentCard:
    """Return the card of an agent.

    Raises:
        InspectorError: What replaces parts of the card does not fit into one.

    """
    given = agent.card
    name = str(given.get("name") or agent.name)
    description = str(given.get("description") or agent.description or f"The agent {agent.name}.")
    skills = given.get("skills") or [
        {"id": agent.name, "name": name, "description": description, "tags": ["haystack"]}
    ]
    resume = deployment.resume_model
    schemas = {
        "input_schema": deployment.own_request_model.model_json_schema(),
        "resume_schema": resume.model_json_schema() if resume is not None else None,
    }
    try:
        extension = AgentExtension(
            uri=SCHEMAS, description="JSON Schemas of what the agent takes.", required=False
        )
        extension.params.update(schemas)
        card = AgentCard(
            name=name,
            description=description,
            version=str(given.get("version") or deployment.revision),
            default_input_modes=_MODES,
            default_output_modes=_MODES,
            capabilities=AgentCapabilities(
                streaming=True, push_notifications=False, extensions=[extension]
            ),
            supported_interfaces=[
                AgentInterface(protocol_binding="JSONRPC", url=url, protocol_version=version)
                for version in ("1.0", "0.3")
            ],
            skills=[
                ParseDict(
                    {"id": agent.name, "name": name, "description": description, **skill},
                    AgentSkill(),
                )
                for skill in skills
            ],
        )
    except (TypeError, ValueError) as error:  # what protobuf raises is one of them
        raise InspectorError(f"The card of {agent.name} cannot be made: {error}.") from error
    if token:
        scheme = SecurityScheme(http_auth_security_scheme=HTTPAuthSecurityScheme(scheme="bearer"))
        card.security_schemes["bearer"].CopyFrom(scheme)
        card.security_requirements.append(SecurityRequirement(schemes={"bearer": StringList()}))
    return card
