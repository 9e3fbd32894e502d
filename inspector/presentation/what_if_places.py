"""What can be changed at a span, or at a value of it, to see what follows in a replay."""

from __future__ import annotations

from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.presentation.definitions import component_at, component_of, components, parameters_of
from inspector.presentation.edited_value import answer_fault, fault_in, plain_tree
from inspector.presentation.template_parts import is_template
from inspector.presentation.value_paths import split
from inspector.presentation.visible import one_line
from inspector.presentation.what_if import Change, ChangeKind, documents_in, place_words
from inspector.runfile.kinds import SpanKind
from inspector.runfile.value import tag_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from inspector.presentation.definitions import DefinedComponent
    from inspector.runfile.model import PipelineRun, Span

_ANSWERING = frozenset({SpanKind.COMPONENT, SpanKind.LLM, SpanKind.TOOL})
_HIDDEN = frozenset({"api_key", "streaming_callback", "http_client_kwargs"})
# A store that is made anew holds nothing of what it was filled with.
_HELD = ("document_store.",)
_MOST_INPUTS = 100


class Form(StrEnum):
    """How something is edited."""

    TEMPLATE = "template"
    DOCUMENTS = "documents"
    VALUE = "value"


class Place(NamedTuple):
    """Something that can be changed. `recorded` is what it was."""

    kind: ChangeKind
    at: str
    name: str
    form: Form
    recorded: Any
    span_id: str | None = None
    focus: str = ""
    """Which part of it a person pointed at, such as `documents[2]`."""

    @property
    def key(self) -> tuple[str, str, str]:
        """As the key of the change that is made here."""
        return str(self.kind), self.at, self.name

    @property
    def title(self) -> str:
        """What it is, such as "Template of prompt_builder"."""
        return place_words(self.changed(self.recorded))

    def changed(self, after: Any) -> Change:
        """Return the change that puts something else here."""
        return Change(self.kind, self.at, self.name, self.recorded, after, self.span_id)


def places_at(run: PipelineRun, span: Span, path: str = "") -> list[Place]:
    """Return what can be changed at a span, nearest to where a person pointed first.

    Args:
        run: The recording.
        span: The span.
        path: A value of it, such as `outputs.documents[2].content`.

    """
    steps = split(path) if path else []
    root = steps[0].label if steps else ""
    found: list[Place | None] = []
    if root == "inputs":
        found += _where_it_comes_from(run, span, steps[1].label if len(steps) > 1 else "")
    focus = path.partition(".")[2] if root == "outputs" else ""
    found.append(answer_place(span, focus))
    component = component_of(run, span)
    if component is not None:
        found += _templates(component, span)
    if root != "inputs":
        found += _templates_before(run, span)
    if span.parent_id is None:
        found += input_places(run)
    return _each_once(each for each in found if each is not None)


def parameter_places(run: PipelineRun, span: Span) -> list[Place]:
    """Return the parameters of the component that a span belongs to; prompts aside."""
    component = component_of(run, span)
    if component is None:
        return []
    return [
        _parameter(component, name, value, span)
        for name, value in parameters_of(component)
        if not is_template(name, value)
        and not name.startswith(_HELD)
        and name.rpartition(".")[2] not in _HIDDEN
    ]


def template_places(run: PipelineRun) -> list[Place]:
    """Return every prompt template that the run's definition holds."""
    return [
        _parameter(component, name, value, None)
        for component in components(run)
        for name, value in parameters_of(component)
        if is_template(name, value)
    ]


def input_places(run: PipelineRun) -> list[Place]:
    """Return what the run was given, an input at a time."""
    inputs = run.inputs
    if not isinstance(inputs, dict) or "$" in inputs:
        return []
    root = run.roots[0].id if run.roots else None
    found = []
    for name, value in inputs.items():
        if str(run.kind) != "pipeline":
            found.append(_input("", name, value, root))
        elif isinstance(value, dict) and "$" not in value:
            found += [_input(name, socket, part, root) for socket, part in value.items()]
    return [each for each in found if _is_given(each.recorded)][:_MOST_INPUTS]


def _is_given(value: Any) -> bool:
    return value is not None and tag_of(value) != "callable"


def answer_place(span: Span, focus: str = "") -> Place | None:
    """Return what a call gave back, if it is one that a replay can answer otherwise."""
    if span.kind not in _ANSWERING or not span.path or "/inner:" in f"/{span.path}":
        return None
    failed = span.error is not None
    if not failed and span.outputs is None:
        return None
    # What raised an error gave nothing back; whoever changes it says what it gives.
    outputs = None if failed else plain_tree(span.outputs)
    form = Form.DOCUMENTS if documents_in(outputs) else Form.VALUE
    return Place(ChangeKind.ANSWER, span.path, "", form, outputs, span.id, focus)


def place_of(change: Change) -> Place:
    """Return the place of a change, to edit it again."""
    if change.kind is ChangeKind.PARAMETER:
        form = Form.TEMPLATE if is_template(change.name, change.before) else Form.VALUE
    elif change.kind is ChangeKind.ANSWER and documents_in(change.before) is not None:
        form = Form.DOCUMENTS
    else:
        form = Form.VALUE
    return Place(change.kind, change.at, change.name, form, change.before, change.span_id)


def variables_for(run: PipelineRun, place: Place) -> tuple[str | None, dict[str, Any]]:
    """Return which span rendered a template, and with what; `{}` where that is not known.

    It is the span that a person pointed at; without one, the first that did.
    """
    row = run.table.row_of(place.span_id) if place.span_id else None
    pointed = () if row is None else (run.spans[row],)
    # One after the other, until one fits: a run may have a hundred thousand.
    for span in chain(pointed, (each for each in run.spans if each.kind is SpanKind.COMPONENT)):
        if not _is_at(run, span, place.at) or not isinstance(inputs := span.inputs, dict):
            continue
        given = {
            name: value for name, value in inputs.items() if name not in ("template", "messages")
        }
        if isinstance(more := given.pop("template_variables", None), dict):
            given.update(more)
        if given:
            return span.id, {name: value for name, value in given.items() if value is not None}
    return None, {}


def _is_at(run: PipelineRun, span: Span, key: str) -> bool:
    found = component_of(run, span)
    return found is not None and found.key == key


def _parameter(component: DefinedComponent, name: str, value: Any, span: Span | None) -> Place:
    form = Form.TEMPLATE if is_template(name, value) else Form.VALUE
    return Place(ChangeKind.PARAMETER, component.key, name, form, value, span.id if span else None)


def _input(at: str, name: str, value: Any, root: str | None) -> Place:
    return Place(ChangeKind.INPUT, at, name, Form.VALUE, plain_tree(value), root)


def _templates(component: DefinedComponent, span: Span) -> Iterator[Place]:
    for name, value in parameters_of(component):
        if is_template(name, value):
            yield _parameter(component, name, value, span)


def _where_it_comes_from(run: PipelineRun, span: Span, socket: str) -> Iterator[Place | None]:
    """Yield what made an input of a component: an input of the run, or another's answer."""
    senders = span.senders or {}
    for name, sending in senders.items():
        if socket and name != socket:
            continue
        for sender in sending if isinstance(sending, list) else [sending]:
            if sender is None:
                yield from (
                    each for each in input_places(run)
                    if each.name == name and each.at in ("", span.name)
                )  # fmt: skip
            elif isinstance(sender, str):
                yield from _of_sender(run, span, sender)
    if span.parent_id is None:
        yield from (each for each in input_places(run) if socket in ("", each.name, each.at))


def _of_sender(run: PipelineRun, span: Span, sender: str) -> Iterator[Place | None]:
    made = _last_before(run, span, sender)
    if made is None:
        return
    component = component_of(run, made)
    if component is not None:
        yield from _templates(component, made)
    yield answer_place(made)


def _last_before(run: PipelineRun, span: Span, name: str) -> Span | None:
    scope = span.path.rpartition("/")[0]
    for row in reversed(range(span.row)):  # it is near, also where there are a million before
        if run.table.name(row) != name:
            continue
        other = run.spans[row]
        if other.path.rpartition("/")[0] == scope and other.kind is SpanKind.COMPONENT:
            return other
    return None


def _templates_before(run: PipelineRun, span: Span) -> Iterator[Place]:
    """Yield the templates that the prompt of an LLM was made from."""
    if span.role != "llm" and span.kind is not SpanKind.LLM:
        return
    for sending in (span.senders or {}).values():
        for sender in sending if isinstance(sending, list) else [sending]:
            if isinstance(sender, str) and (made := _last_before(run, span, sender)) is not None:
                component = component_of(run, made)
                if component is not None:
                    yield from _templates(component, made)


def _each_once(places: Iterable[Place]) -> list[Place]:
    found: dict[tuple[str, str, str], Place] = {}
    for each in places:
        found.setdefault(each.key, each)
    return list(found.values())


def menu_words(place: Place) -> str:
    """Return what a menu says of a place, such as "Change the documents of retriever#1…"."""
    title = place.title
    return f"Change the {title[:1].lower()}{title[1:]}…"


def parameter_words(places: Sequence[Place]) -> str:
    """Return what a menu says of the parameters of a component."""
    return f"Change a parameter of {one_line(places[0].at)}" if places else ""


def fault_of(run: PipelineRun, place: Place, value: Any) -> str:
    """Return why a value cannot stand at a place, in a sentence; "" when it can."""
    if place.kind is not ChangeKind.ANSWER:
        return fault_in(value)
    row = run.table.row_of(place.span_id) if place.span_id else None
    span = run.spans[row] if row is not None else None
    if span is None or span.kind is SpanKind.TOOL:
        return answer_fault(place.recorded, value, "tool")
    role = "llm" if span.kind is SpanKind.LLM else span.role
    return answer_fault(place.recorded, value, role)


def is_defined(run: PipelineRun, change: Change) -> bool:
    """Say whether a parameter to be changed still stands in the definition of a run."""
    if change.kind is not ChangeKind.PARAMETER:
        return True
    component = component_at(run, change.at)
    names = {name for name, _ in parameters_of(component)} if component is not None else set()
    return component is not None and component.key == change.at and change.name in names
