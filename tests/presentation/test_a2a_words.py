"""Agents of A2A and their tasks in words."""

import pytest

from inspector.hayhooks.a2a.cards import A2ACard
from inspector.importers.a2a_told import A2AArtifact, A2AMessage, A2APart, A2ATask, read_task
from inspector.presentation.a2a_list import ListedTask, TaskColumn, cell_words, narrowed, spoken
from inspector.presentation.a2a_talk import sayings
from inspector.presentation.a2a_words import (
    STATES,
    cancel_words,
    card_facts,
    kind_asked,
    message_words,
    state_words,
    task_look,
    task_words,
    wish_words,
)
from inspector.presentation.words import THIN

NOW = 1_796_000_000_000_000_000


def text(words: str) -> A2APart:
    return A2APart("text", words)


def message(*parts: A2APart, role: str = "agent", id: str = "m1") -> A2AMessage:  # noqa: A002 - as it is called there
    return A2AMessage(id, role, parts)


def task(state: str, **more: object) -> A2ATask:
    return A2ATask("t1", "c1", state, **more)  # type: ignore[arg-type]


def test_every_state_has_a_look_of_its_own_and_so_has_one_that_nobody_knows() -> None:
    looks = [task_look(state) for state in (*STATES, "dreaming")]
    assert len({look.word for look in looks}) == len(STATES) + 1
    assert all(look.icon and look.mark for look in looks)
    assert looks[-1].word == "unknown"


def test_a_message_is_its_words_and_what_else_its_data_says() -> None:
    said = message(
        text("What size?"),
        A2APart("data", data={
            "message": "What size?", "expected_input_schema": {"type": "object"}, "unit": "cm",
        }),
    )  # fmt: skip
    assert message_words(said) == 'What size?\n{ "unit": "cm" }'
    assert message_words(message(A2APart("data", data={"size": 3}))) == '{ "size": 3 }'
    assert message_words(None) == ""
    file = A2APart("file", "http://far/away.png", "aGk=", "a.png", "image/png")
    assert message_words(message(file)) == "[file a.png · image/png http://far/away.png]"


def test_the_kind_of_answer_stands_over_a_question() -> None:
    said = message(
        text("May I?"), A2APart("data", data={"kind": "approval", "message": "May I?"})
    )  # fmt: skip
    assert message_words(said) == "May I?"
    assert kind_asked(task("input-required", message=said)) == "Asks for approval"
    assert kind_asked(task("input-required")) == "Asks for an answer"
    assert "sign in" in kind_asked(task("auth-required", message=said))
    other = message(A2APart("data", data={"kind": "approval"}))
    assert message_words(other) == '{ "kind": "approval" }'


def test_nothing_of_a_stranger_acts() -> None:
    evil = "\u202egnp.exe\x1b[31m\n<img src=x>"
    one = task(
        "input-required",
        message=message(text(evil), A2APart("data", data={evil: evil + "!"})),
        history=(message(text(evil), role="user"),),
        artifacts=(A2AArtifact("a", evil, (text(evil),)),),
    )
    listed = ListedTask(one)
    cells = [cell_words(listed, column, NOW) for column in TaskColumn]
    shown = [*cells, spoken(listed, NOW), *(part for each in sayings(one) for part in each)]
    assert any("⟨U+202E⟩" in words for words in shown)
    assert not any("\u202e" in words or "\x1b" in words for words in shown)
    assert not any("\n" in words for words in cells)


def test_data_without_end_is_cut_and_data_without_sense_is_said() -> None:
    long = message_words(message(A2APart("data", data=["x" * 100_000])))
    assert len(long) < 21_000
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    assert message_words(message(A2APart("data", data=deep))) == "[data that cannot be shown]"


def test_a_task_that_cannot_be_asked_is_said_as_it_was() -> None:
    assert state_words(task("working"), is_stale=True) == "Was working"
    assert state_words(task("input-required"), is_stale=True) == "Was asking for an answer"
    assert state_words(task("completed"), is_stale=True) == "Completed"
    listed = ListedTask(task("input-required"), is_stale=True)
    assert cell_words(listed, TaskColumn.STATE, NOW) == "was asking for an answer"


def test_what_was_asked_and_what_is_said_stand_in_a_row() -> None:
    one = read_task(
        {
            "id": "t", "contextId": "desk",
            "status": {"state": "TASK_STATE_INPUT_REQUIRED",
                       "message": {"messageId": "q", "role": "ROLE_AGENT",
                                   "parts": [{"text": "Which\none?"}]}},
            "history": [{"messageId": "w", "role": "ROLE_USER", "parts": [{"text": "Buy it"}]}],
        }
    )  # fmt: skip
    assert (wish_words(one), task_words(one)) == ("Buy it", "Which one?")
    assert narrowed([one], "input-required", "BUY") == [one]
    assert narrowed([one], "", "desk") == [one]
    assert narrowed([one], "completed", "") == []
    assert narrowed([one], "", "sell") == []


def test_a_question_stands_last_also_where_the_history_has_it() -> None:
    question = message(text("Which?"), id="q")
    asking = task("input-required", message=question, history=(question,))
    assert [(each.kind, each.text) for each in sayings(asking)] == [
        ("agent", "Which?"), ("asks", "Which?")
    ]  # fmt: skip
    done = task("completed", message=question, history=(question,))
    assert [each.kind for each in sayings(done)] == ["agent"]
    failed = task("failed", message=message(text("no"), id="z"), history=(question,))
    assert sayings(failed)[-1][:2] == ("failed", "Agent, failed")


def test_pieces_of_a_stream_are_one_text() -> None:
    made = A2AArtifact("s", "stream-1", tuple(text(f"{number} ") for number in range(4)))
    assert sayings(task("working", artifacts=(made,)))[0].text == "0 1 2 3 "


@pytest.mark.parametrize(("state", "words"), [("input-required", "nothing of it is running"),
                                              ("working", "says itself when it has")])  # fmt: skip
def test_a_cancel_is_told_by_where_the_task_stands(state: str, words: str) -> None:
    assert words in cancel_words(task(state)).will


def test_a_card_says_how_it_is_spoken_to() -> None:
    card = A2ACard("a", "", "7", "http://x", "0.3", streams=False)
    assert card_facts(card) == "version 7 · A2A 0.3 · is asked again and again · takes words"


def test_what_is_shown_of_a_long_task_stays_bounded() -> None:
    made = A2AArtifact("s", "stream-1", tuple(text(f"{number} ") for number in range(90_000)))
    many = tuple(A2AArtifact(str(number), "a", (text("x" * 30_000),)) for number in range(50))
    told = sayings(task("working", artifacts=(made, *many)))
    assert told[0].text.startswith("0 1 2 ")
    assert told[0].text.endswith("the rest stands under Artifacts")
    assert told[-1].title.endswith("more artifacts left out")
    assert sum(len(each.text) for each in told) < 250_000


def test_earlier_messages_leave_a_hundred_at_once() -> None:
    history = tuple(message(text(str(number)), id=str(number)) for number in range(450))

    def shown(count: int) -> tuple[str, int]:
        told = sayings(task("working", history=history[:count]))
        return told[0].title.replace(THIN, " "), len(told)

    assert shown(200) == ("Agent", 200)
    assert shown(201) == ("100 earlier messages left out", 102)
    assert shown(300) == ("100 earlier messages left out", 201)
    assert shown(450) == ("300 earlier messages left out", 151)
