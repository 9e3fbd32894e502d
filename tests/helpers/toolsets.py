"""Toolsets that get their tools from a process of their own, as those of MCP servers do."""

import json
import subprocess
import sys
from typing import Any

from haystack.tools.tool import Tool
from haystack.tools.toolset import Toolset

SERVER = """
import json, sys
TOOLS = [
    {"name": "count_beds", "description": "Count the beds of a house.",
     "parameters": {"type": "object", "properties": {"house": {"type": "string"}},
                    "required": ["house"]}},
    {"name": "read_sensor", "description": "Read a sensor.",
     "parameters": {"type": "object", "properties": {"sensor": {"type": "string"}},
                    "required": ["sensor"]}},
]
print(json.dumps(TOOLS), flush=True)
for line in sys.stdin:
    asked = json.loads(line)
    words = f"{asked['name']} of {sorted(asked['arguments'].values())}"
    print(json.dumps({"said": words}), flush=True)
"""


class RemoteTool(Tool):
    """A tool of another process."""


def remote_tool(spec: dict[str, Any], owner: "RemoteToolset") -> RemoteTool:
    def ask(**arguments: Any) -> Any:
        return owner.ask(spec["name"], arguments)

    return RemoteTool(**spec, function=ask, outputs_to_state=owner.to_state)


class RemoteToolset(Toolset):
    """Starts a server when it is warmed up; before that, it has no tools."""

    def __init__(self, to_state: dict[str, dict[str, Any]] | None = None) -> None:
        super().__init__([])
        self.to_state = to_state
        self.started = 0
        self.asked = 0
        self._server: subprocess.Popen[str] | None = None

    def warm_up(self) -> None:
        if self._server is not None:
            return
        self.started += 1
        self._server = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )  # fmt: skip
        self.tools = [remote_tool(spec, self) for spec in json.loads(self._line())]

    def ask(self, name: str, arguments: dict[str, Any]) -> Any:
        self.asked += 1
        assert self._server is not None
        assert self._server.stdin is not None
        self._server.stdin.write(json.dumps({"name": name, "arguments": arguments}) + "\n")
        self._server.stdin.flush()
        return json.loads(self._line())

    def _line(self) -> str:
        assert self._server is not None
        assert self._server.stdout is not None
        return self._server.stdout.readline()

    def close(self) -> None:
        if self._server is not None:
            assert self._server.stdin is not None
            assert self._server.stdout is not None
            self._server.stdin.close()
            self._server.stdout.close()
            self._server.wait()
            self._server = None

    def to_dict(self) -> dict[str, Any]:
        return {"type": "tests.helpers.toolsets.RemoteToolset", "data": {}}


class IteratedToolset(RemoteToolset):
    """Starts its server as soon as anybody goes through it."""

    def __iter__(self) -> Any:
        self.warm_up()
        return iter(self.tools)


class PlaceholderToolset(RemoteToolset):
    """Shows a placeholder until it is warmed up, as a lazy MCP toolset does."""

    def __init__(self) -> None:
        super().__init__()
        nothing: dict[str, Any] = {"type": "object", "properties": {}}
        self.tools = [
            Tool("count_beds", "A tool that was not fetched.", nothing, function=lambda: None)
        ]
