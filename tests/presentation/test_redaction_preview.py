"""The preview of a redaction: what would leave, place by place, and changes to it."""

from inspector.presentation.redaction_preview import RedactionPreview
from inspector.redaction.settings import Redaction
from tests.helpers.secret_world import AT
from tests.redaction.runs import made_run, span

MAIL = f"jo.doe{AT}example.org"
OTHER = f"kim{AT}example.org"


def preview() -> RedactionPreview:
    run = made_run(
        span(1, inputs={"q": f"Please write to {MAIL} about the pump"}),
        span(2, inputs={"q": f"{OTHER} and {MAIL}", "card": "4111 1111 1111 1111"}),
        span(3, outputs={"docs": [{"$value": 0}]}),
        values=({"$": "document", "content": f"{'x' * 300} {MAIL} said so"},),
    )
    return RedactionPreview(run, Redaction(environment=False))


def secret(shown: RedactionPreview, text: str):
    return next(each for kind in shown.kinds for each in kind.secrets if each.secret == text)


def test_each_place_is_shown_in_its_context_under_its_kind():
    shown = preview()
    assert shown.counts == {"email": 4, "card": 1}
    assert [kind.rule for kind in shown.kinds] == ["email", "card"]
    mail = secret(shown, MAIL)
    assert (mail.placeholder, mail.group, mail.ticked) == ("<email:1>", "personal data", True)
    assert {place.where for place in mail.places} == {
        "made: inputs.q", "part2#1: inputs.q", "part3#1: outputs.docs[0].content",
    }  # fmt: skip
    first = next(place for place in mail.places if place.where == "made: inputs.q")
    assert (first.before, first.secret, first.after) == (
        "Please write to ",
        MAIL,
        " about the pump",
    )
    assert first.line == f"Please write to {MAIL} about the pump"


def test_it_says_how_large_what_leaves_is_and_what_it_is_exactly():
    shown = preview()
    assert shown.size == len(shown.data)
    assert MAIL.encode() not in shown.data
    assert shown.size_before > 0
    assert shown.copy().spans[0].inputs["q"] == "Please write to <email:1> about the pump"
    assert shown.report.count == 5


def test_what_is_unticked_stays_everywhere_and_can_be_ticked_again():
    shown = preview()
    kept = shown.untick(secret(shown, MAIL))
    assert MAIL.encode() in kept.data
    assert OTHER.encode() not in kept.data
    assert kept.counts == {"email": 1, "card": 1}
    again = secret(kept, MAIL)
    assert not again.ticked
    assert len(again.places) == 3
    assert kept.tick(again).counts == shown.counts
    assert MAIL.encode() not in kept.tick(again).data


def test_a_selected_text_becomes_a_term_and_a_rule_can_be_left_out():
    shown = preview()
    more = shown.with_term("the  pump")
    assert more.counts == {"email": 4, "card": 1, "term": 1}
    assert b"the pump" not in more.data
    assert shown.without_rule("card").counts == {"email": 4}
    field = shown.with_field("inputs.card")
    assert field.counts == {"email": 4, "field": 1}
    assert secret(field, "4111 1111 1111 1111").places[0].where == "part2#1: inputs.card"


def test_every_change_can_be_taken_back_and_none_changes_the_run():
    shown = preview()
    before = shown.run.spans[0].inputs
    changed = shown.with_term("pump").untick(MAIL).without_rule("card")
    assert changed.undo().undo().undo() is shown
    assert shown.undo() is shown
    assert changed.with_term("pump") is changed
    assert shown.run.spans[0].inputs == before
    assert shown.counts == {"email": 4, "card": 1}
