"""One row of the table of actions."""

from typing import NamedTuple


class ActionSpec(NamedTuple):
    """One thing to do. The first of `keys` is the one that menus show."""

    id: str
    text: str
    does: str
    menu: str
    group: int = 0  # actions of a menu with another number stand below a line
    keys: tuple[str, ...] = ()
    icon: str = ""
    toolbar: int = 0  # 0 keeps it off the toolbar, another number says in which group
    needs_run: bool = False
    needs_comparison: bool = False
    needs_replay: bool = False
    needs_executions: bool = False
    needs_execution: bool = False
    needs_agents: bool = False
    needs_task: bool = False
    gives_way: bool = False  # its keys do something else while a replay is in front

    @property
    def needs(self) -> frozenset[str]:
        """What may be in front for it to be done; empty for anything."""
        wanted = {
            "run": self.needs_run, "comparison": self.needs_comparison,
            "replay": self.needs_replay, "executions": self.needs_executions,
            "execution": self.needs_execution, "agents": self.needs_agents,
            "task": self.needs_task,
        }  # fmt: skip
        return frozenset(word for word, needed in wanted.items() if needed)
