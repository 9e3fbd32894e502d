"""What A2A can ask for and we never do: to push, and to have a second card."""
# ruff: noqa: ARG002 - their names are the protocol's

from __future__ import annotations

from typing import TYPE_CHECKING

from a2a.server.request_handlers.request_handler import RequestHandler
from a2a.utils.errors import ExtendedAgentCardNotConfiguredError, PushNotificationNotSupportedError

if TYPE_CHECKING:
    from a2a.server.context import ServerCallContext
    from a2a.types import (
        AgentCard,
        DeleteTaskPushNotificationConfigRequest,
        GetExtendedAgentCardRequest,
        GetTaskPushNotificationConfigRequest,
        ListTaskPushNotificationConfigsRequest,
        ListTaskPushNotificationConfigsResponse,
        TaskPushNotificationConfig,
    )


class RefusesTheRest(RequestHandler):
    """A handler that says of these that there are none."""

    async def on_create_task_push_notification_config(
        self, params: TaskPushNotificationConfig, context: ServerCallContext
    ) -> TaskPushNotificationConfig:
        """Refuse: nothing is pushed."""
        raise PushNotificationNotSupportedError

    async def on_get_task_push_notification_config(
        self, params: GetTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> TaskPushNotificationConfig:
        """Refuse: nothing is pushed."""
        raise PushNotificationNotSupportedError

    async def on_list_task_push_notification_configs(
        self, params: ListTaskPushNotificationConfigsRequest, context: ServerCallContext
    ) -> ListTaskPushNotificationConfigsResponse:
        """Refuse: nothing is pushed."""
        raise PushNotificationNotSupportedError

    async def on_delete_task_push_notification_config(
        self, params: DeleteTaskPushNotificationConfigRequest, context: ServerCallContext
    ) -> None:
        """Refuse: nothing is pushed."""
        raise PushNotificationNotSupportedError

    async def on_get_extended_agent_card(
        self, params: GetExtendedAgentCardRequest, context: ServerCallContext
    ) -> AgentCard:
        """Refuse: there is one card."""
        raise ExtendedAgentCardNotConfiguredError
