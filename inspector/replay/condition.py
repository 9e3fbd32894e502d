"""A condition on a value: `bed == "basil"`, `length(documents) > 3 and not state.done`.

A small language of its own, read by hand: nothing of it is ever run as code, attributes of
live objects are not looked at (properties run code), and what a condition may cost is bounded.
It is asked of a value tree, as a file has it.

| Written | Means |
|---|---|
| `query`, `messages[-1].text`, `meta["my key"]` | a part of the value; `value` is all of it |
| `state.messages` | a part of the state of the agent around the call |
| `raised` | the call has raised an exception, whose parts are `type` and `message` |
| `== != < <= > >=` | compares numbers, or texts |
| `contains` | a text stands somewhere in it, whatever the case |
| `length(x)`, `text(x)`, `exists(x)` | how many items or letters; all texts in it; it is there |
| `and`, `or`, `not`, `( )` | puts conditions together |

A part alone holds when it is there and neither empty, nor zero, nor false. What is not there
equals nothing, and is neither smaller nor larger than anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from inspector.replay.condition_tokens import ConditionError, Token, tokens_of
from inspector.replay.condition_values import (
    MISSING,
    are_equal,
    are_ordered,
    holds_text,
    is_so,
    length_of,
    stepped,
    texts_in,
    walked,
)

LONGEST: Final = 2_000
_DEEPEST = 40
FUNCTIONS: Final = {
    "length": "how many items or letters",
    "text": "all texts in it",
    "exists": "it is there",
}
_ALIASES = {"len": "length", "size": "length"}
ROOTS: Final = ("value", "state", "raised")
_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda one, other: one < other,
    "<=": lambda one, other: one <= other,
    ">": lambda one, other: one > other,
    ">=": lambda one, other: one >= other,
}


@dataclass(frozen=True, slots=True)
class Given:
    """What a condition is asked of. Trees are made when they are needed.

    Args:
        value: Makes the tree of the value.
        state: Makes that of the agent's state.
        raised: Whether the value is an exception.

    """

    value: Callable[[], Any]
    state: Callable[[], Any] = lambda: MISSING
    raised: bool = False


Node = Callable[[Given], Any]


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that was read."""

    text: str
    _node: Node

    def holds(self, given: Given) -> bool:
        """Say whether it is so. What makes no sense of a value is not so; never raises."""
        try:
            return is_so(self._node(given))
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError):
            return False


def read_condition(text: str) -> Condition:
    """Read a condition.

    Raises:
        ConditionError: It cannot be understood; the error says where and why.

    """
    if len(text) > LONGEST:
        raise ConditionError(
            "The condition is too long.", LONGEST, len(text), hint="Leave something out."
        )
    tokens = tokens_of(text)
    if not tokens:
        raise ConditionError("There is no condition.", 0, 1, hint='For example: bed == "basil".')
    return Condition(text, _Reader(tokens, len(text)).whole())


class _Reader:
    def __init__(self, tokens: list[Token], length: int) -> None:
        self._tokens = tokens
        self._at = 0
        self._length = length
        self._depth = 0

    def whole(self) -> Node:
        node = self._either()
        if (left := self._next()) is not None:
            if left.sort == ")":
                raise ConditionError("This parenthesis closes nothing.", *left.place)
            hint = "Put and, or, or a comparison such as == between them."
            if left.sort == "name":
                hint = f'A text stands between quotation marks: "{left.text}".'
            raise ConditionError(f"{left.text} does not belong here.", *left.place, hint=hint)
        return node

    def _next(self) -> Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _takes(self, *sorts: str) -> Token | None:
        token = self._next()
        if token is None or token.sort not in sorts:
            return None
        self._at += 1
        return token

    def _ended(self, wanted: str, hint: str = "") -> ConditionError:
        end = max(self._length, 1)
        return ConditionError(f"{wanted} is missing at the end.", end - 1, end, hint=hint)

    def _either(self) -> Node:
        parts = [self._both()]
        while self._takes("or"):
            parts.append(self._both())
        return parts[0] if len(parts) == 1 else lambda given: any(is_so(p(given)) for p in parts)

    def _both(self) -> Node:
        parts = [self._negated()]
        while self._takes("and"):
            parts.append(self._negated())
        return parts[0] if len(parts) == 1 else lambda given: all(is_so(p(given)) for p in parts)

    def _negated(self) -> Node:
        if (token := self._takes("not")) is None:
            return self._comparison()
        self._go_deeper(token)
        of = self._negated()
        self._depth -= 1
        return lambda given: not is_so(of(given))

    def _go_deeper(self, token: Token) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ConditionError("This is nested too deeply.", *token.place)

    def _comparison(self) -> Node:
        left = self._operand()
        token = self._takes("compare", "contains")
        if token is None:
            return left
        right = self._operand(after=token)
        again = self._next()
        if again is not None and again.sort in ("compare", "contains"):
            raise ConditionError(
                "Two comparisons follow each other.", *again.place,
                hint="Put and between them: 1 < x and x < 5.",
            )  # fmt: skip
        if token.sort == "contains":
            return lambda given: holds_text(left(given), right(given))
        return _compared(token.text, left, right)

    def _operand(self, after: Token | None = None) -> Node:
        token = self._next()
        if token is None:
            wanted = f"What stands behind {after.text}" if after else "A value"
            raise self._ended(wanted)
        self._at += 1
        match token.sort:
            case "number" | "string" | "word":
                said = token.value
                return lambda _given: said
            case "(":
                self._go_deeper(token)
                inner = self._either()
                self._close(token)
                self._depth -= 1
                return inner
            case "name":
                follows = self._next()
                if follows is not None and follows.sort == "(":
                    return self._function(token, follows)
                return self._part(token)
        raise ConditionError(
            f"A value is missing before {token.text}.", *token.place,
            hint='Write the name of a part, a number, or a text: "like this".',
        )  # fmt: skip

    def _close(self, opened: Token) -> None:
        if self._takes(")") is None:
            raise ConditionError(
                "This parenthesis is not closed.", *opened.place, hint="Add ) where it ends."
            )

    def _function(self, name: Token, opened: Token) -> Node:
        word = name.text.casefold()
        word = _ALIASES.get(word, word)
        if word not in FUNCTIONS:
            raise ConditionError(
                f"There is no function {name.text}.", *name.place,
                hint=f"There are {', '.join(FUNCTIONS)}.",
            )  # fmt: skip
        self._at += 1
        self._go_deeper(opened)
        inner = self._either()
        self._close(opened)
        self._depth -= 1
        match word:
            case "length":
                return lambda given: length_of(inner(given))
            case "text":
                return lambda given: "\n".join(texts_in(inner(given)))
        return lambda given: inner(given) is not MISSING

    def _part(self, root: Token) -> Node:
        steps: list[str | int] = []
        while True:
            if (dot := self._takes(".")) is not None:
                name = self._takes("name", "word", "and", "or", "not", "contains")
                if name is None:
                    raise ConditionError(
                        "There is no name behind the dot.", *dot.place, hint="Take the dot out."
                    )
                steps.append(name.text)
            elif (opened := self._takes("[")) is not None:
                at = self._takes("number", "string")
                if at is None or isinstance(at.value, float):
                    raise ConditionError(
                        "A whole number or a text in quotation marks belongs between [ and ].",
                        *(at or opened).place, hint='For example [0], [-1] or ["a name"].',
                    )  # fmt: skip
                if self._takes("]") is None:
                    raise ConditionError("This bracket is not closed.", *opened.place)
                steps.append(at.value)
            else:
                break
        return lambda given: walked(_root(given, root.text), steps)


def _root(given: Given, name: str) -> Any:
    tree = given.value()
    found = stepped(tree, name)
    if found is not MISSING:
        return found
    match name:
        case "value":
            return tree
        case "state":
            return given.state()
        case "raised":
            return given.raised
    return MISSING


def _compared(sign: str, left: Node, right: Node) -> Node:
    if sign == "==":
        return lambda given: are_equal(left(given), right(given))
    if sign == "!=":
        return lambda given: not are_equal(left(given), right(given))
    compare = _COMPARE[sign]

    def holds(given: Given) -> bool:
        one, other = left(given), right(given)
        return are_ordered(one, other) and compare(one, other)

    return holds
