"""Very large runs, made up, for what has to stay fast."""

import random
from array import array

from inspector.runfile.kinds import KIND_CODE, STATUS_CODE
from inspector.runfile.table import SpanTable

_TOOLS = ("search", "fetch_page", "calculator", "read_file", "write_note")


def synthetic_table(count: int, *, seed: int = 7) -> SpanTable:
    """An agent that goes through `count` spans: steps, LLM calls, parallel tools, errors."""
    return _Maker(count, seed).table()


class _Maker:
    def __init__(self, count: int, seed: int) -> None:
        self._count = count
        self._random = random.Random(seed)
        self._rows: list[tuple[int, int, int, int, int, int, int]] = []
        self._names = ["support_pipeline", "prompt_builder", "support_agent", "agent", "step",
                       "chat_generator", "pages", *_TOOLS]  # fmt: skip
        self._code = {name: code for code, name in enumerate(self._names)}
        self._now = 0

    def table(self) -> SpanTable:
        root = self._add("support_pipeline", "pipeline", -1, 0, 0)
        self._spend(2_000_000)
        self._close(self._add("prompt_builder", "component", root, 1, self._spend(300_000)))
        component = self._add("support_agent", "component", root, 1, self._now)
        agent = self._add("agent", "agent", component, 2, self._now)
        while len(self._rows) < self._count:
            self._step(agent)
        for row in (agent, component, root):
            self._close(row)
        return self._columns()

    def _step(self, agent: int) -> None:
        pick = self._random
        step = self._add("step", "step", agent, 3, self._spend(60_000))
        llm = self._add("chat_generator", "llm", step, 4, self._spend(20_000))
        self._spend(int(pick.lognormvariate(20.3, 0.6)))
        self._close(llm)
        last = self._spend(100_000)
        for _ in range(pick.choice((0, 1, 1, 2, 3))):
            failed = pick.random() < 0.02
            tool = self._add(pick.choice(_TOOLS), "tool", step, 4, self._now, failed=failed)
            length = int(pick.lognormvariate(19.5, 1.0))
            end = self._now + length
            if pick.random() < 0.3:
                page = self._now
                for _ in range(pick.randrange(2, 9)):
                    page += length // 12
                    pages = self._add("pages", "other", tool, 5, page)
                    self._close(pages, page + length // 20)
            self._close(tool, end)
            last = max(last, end)
        self._now = last
        self._close(step)

    def _spend(self, ns: int) -> int:
        self._now += ns
        return self._now

    def _add(
        self, name: str, kind: str, parent: int, depth: int, start: int, *, failed: bool = False
    ) -> int:
        status = STATUS_CODE["failed" if failed else "ok"]
        row = (start, -1, parent, depth, KIND_CODE[kind], status, self._code[name])
        self._rows.append(row)
        return len(self._rows) - 1

    def _close(self, row: int, end: int | None = None) -> None:
        start, _, *rest = self._rows[row]
        self._rows[row] = (start, max(start, self._now if end is None else end), *rest)  # type: ignore[assignment]

    def _columns(self) -> SpanTable:
        order = sorted(range(len(self._rows)), key=lambda row: self._rows[row][0])
        place = array("i", bytes(4 * len(order)))
        for new, old in enumerate(order):
            place[old] = new
        rows = [self._rows[old] for old in order]
        start, end, parent, depth, kind, status, name = zip(*rows, strict=True)
        count = len(rows)
        return SpanTable(
            start_ns=array("q", start),
            end_ns=array("q", end),
            parent_row=array("i", [-1 if old < 0 else place[old] for old in parent]),
            depth=array("i", depth),
            kind=array("B", kind),
            status=array("B", status),
            name_code=array("i", name),
            marks=array("B", bytes(count)),
            offset=array("q", bytes(8 * count)),
            length=array("q", bytes(8 * count)),
            names=self._names,
            ids=None,
        )
