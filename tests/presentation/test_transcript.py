from inspector.presentation.transcript import (
    CallPart,
    FactPart,
    ResultPart,
    TextPart,
    ToolOutcome,
    marked_new,
    transcript,
    transcript_text,
)
from tests.helpers.span_runs import bomb, call, message, result

SYSTEM = message("system", "Be brief.")
QUESTION = message("user", "Weather in Paris?")
ASKS = message(
    "assistant", call("c1", "weather", city="Paris"), model="gpt", finish_reason="tool_calls"
)
ANSWERED = result("c1", "weather", "rain")
ANSWER = message("assistant", "It rains.")


def roles(shown):
    return [turn.role for turn in shown.turns]


def texts(shown):
    return [part.text for turn in shown.turns for part in turn.parts if isinstance(part, TextPart)]


def test_the_prompt_comes_first_and_the_replies_last():
    shown = transcript({"messages": [SYSTEM, QUESTION]}, {"replies": [ANSWER]})
    assert roles(shown) == ["system", "user", "assistant"]
    assert [turn.is_reply for turn in shown.turns] == [False, False, True]
    assert [turn.path for turn in shown.turns] == [
        "inputs.messages[0]",
        "inputs.messages[1]",
        "outputs.replies[0]",
    ]


def test_an_agent_that_gives_back_everything_says_nothing_twice():
    outputs = {"messages": [SYSTEM, QUESTION, ASKS, ANSWERED, ANSWER], "last_message": ANSWER}
    shown = transcript({"messages": [QUESTION]}, outputs)
    assert roles(shown) == ["system", "user", "assistant", "tool", "assistant"]
    assert [turn.is_reply for turn in shown.turns] == [True, False, True, True, True]


def test_two_equal_replies_are_two_turns():
    shown = transcript({"messages": [QUESTION]}, {"replies": [ANSWER, ANSWER]})
    assert roles(shown) == ["user", "assistant", "assistant"]


def test_a_call_knows_the_message_that_answered_it():
    shown = transcript({"messages": [QUESTION, ASKS, ANSWERED]}, {"replies": [ANSWER]})
    (asked,) = shown.turns[1].parts
    assert asked == CallPart(
        "c1", "weather", (("city", "Paris"),), None, ToolOutcome("rain", failed=False, turn=2)
    )
    assert shown.turns[2].parts == (ResultPart("c1", "weather", "rain", failed=False),)


def test_a_call_nobody_answered_yet_knows_how_its_tool_ended():
    outcomes = {"c1": ToolOutcome("rain", failed=False, span_id="s7", duration_ns=5)}
    shown = transcript({"messages": [QUESTION]}, {"replies": [ASKS]}, outcomes=outcomes)
    (asked,) = shown.turns[1].parts
    assert asked.outcome == outcomes["c1"]


def test_three_equal_calls_keep_their_own_results():
    calls = message("assistant", *(call(f"c{n}", "search", q="x") for n in range(3)))
    # Answered in another order than asked.
    answers = [result(f"c{n}", "search", f"answer {n}") for n in (2, 0, 1)]
    shown = transcript({"messages": [calls, *answers]}, {})
    assert [part.outcome.text for part in shown.turns[0].parts] == [
        "answer 0",
        "answer 1",
        "answer 2",
    ]


def test_a_failed_result_marks_the_call_and_the_turn():
    shown = transcript({"messages": [ASKS, result("c1", "weather", "no", failed=True)]}, {})
    assert shown.turns[0].parts[0].outcome.failed
    assert shown.turns[1].failed
    assert not shown.turns[0].failed


def test_new_is_what_the_earlier_call_neither_sent_nor_said():
    first = transcript({"messages": [SYSTEM, QUESTION]}, {"replies": [ASKS]})
    second = transcript({"messages": [SYSTEM, QUESTION, ASKS, ANSWERED]}, {"replies": [ANSWER]})
    shown = marked_new(second, first, "agent#1/step0/llm")
    assert [turn.is_new for turn in shown.turns] == [False, False, False, True, True]
    assert shown.first_new == 3
    assert shown.compared_with == "agent#1/step0/llm"
    assert shown.dropped == 0


def test_the_same_words_said_again_are_new():
    first = transcript({"messages": [QUESTION]}, {})
    shown = marked_new(transcript({"messages": [QUESTION, QUESTION]}, {}), first, "x")
    assert [turn.is_new for turn in shown.turns] == [False, True]


def test_other_meta_does_not_make_a_turn_new():
    first = transcript({}, {"replies": [message("assistant", "Yes.", model="gpt", index=0)]})
    later = transcript({"messages": [message("assistant", "Yes.")]}, {})
    assert not marked_new(later, first, "x").turns[0].is_new


def test_a_prompt_that_was_cut_says_how_much_is_gone():
    first = transcript({"messages": [SYSTEM, QUESTION, ASKS, ANSWERED]}, {})
    shown = marked_new(transcript({"messages": [SYSTEM, ANSWERED]}, {}), first, "x")
    assert shown.dropped == 2


def test_prompts_and_replies_that_are_bare_text_are_turns_of_an_llm():
    shown = transcript({"prompt": "Say hi"}, {"replies": ["hi"]}, plain_texts=True)
    assert roles(shown) == ["user", "assistant"]
    assert texts(shown) == ["Say hi", "hi"]
    assert not transcript({"prompt": "Say hi"}, {"replies": ["hi"]})


def test_images_and_reasoning_are_told_apart_from_text():
    picture = {"$": "image", "mime_type": "image/png", "data": {"$": "bytes", "size": 1_200}}
    said = message("assistant", {"reasoning": {"text": "Hm."}}, "Look:", picture)
    shown = transcript({}, {"replies": [said]})
    assert shown.turns[0].parts == (
        TextPart("Hm.", reasoning=True),
        TextPart("Look:"),
        FactPart("image", "image/png · 1.2\u202fkB · left out"),
    )


def test_messages_are_found_where_a_pipeline_nests_them():
    shown = transcript({"prompt_builder": {"template": [SYSTEM, QUESTION]}}, {})
    assert [turn.path for turn in shown.turns] == [
        "inputs.prompt_builder.template[0]",
        "inputs.prompt_builder.template[1]",
    ]


def test_arguments_that_are_no_text_are_json():
    asked = message("assistant", call("1", "f", n=3, deep={"a": [1]}))
    (part,) = transcript({}, {"replies": [asked]}).turns[0].parts
    assert dict(part.arguments)["n"] == "3"
    assert dict(part.arguments)["deep"] == '{\n  "a": [\n    1\n  ]\n}'


def test_odd_messages_are_shown_not_refused():
    odd = [
        {"$": "chat_message"},
        {"$": "chat_message", "role": 7, "content": "bare text"},
        {
            "$": "chat_message",
            "role": "user",
            "content": [None, 3, {"tool_call": {}}, {"later": 1}],
        },
        message("tool", {"tool_result": {"result": [{"text": "a"}, {"text": "b"}]}}),
        message("user", bomb(100)),
    ]
    shown = transcript({"messages": odd}, None)
    assert len(shown.turns) == len(odd)
    assert shown.turns[1].parts == (TextPart("bare text"),)
    assert shown.turns[3].parts[0].text == "a\n\nb"


def test_nothing_recorded_is_no_conversation():
    assert not transcript(None, None, plain_texts=True)


def test_a_conversation_can_be_copied_as_text():
    shown = transcript({"messages": [QUESTION, ASKS, ANSWERED]}, {})
    assert transcript_text(shown) == (
        "user:\nWeather in Paris?\n\nassistant:\n→ weather\n  city: Paris\n\ntool:\n← weather: rain"
    )
