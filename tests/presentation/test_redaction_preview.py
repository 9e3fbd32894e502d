"""The preview of a redaction: what would leave, place by place, and changes to it."""

import pytest

from inspector.presentation.redaction_draft import RedactionDraft
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


def test_a_place_says_which_span_and_field_it_is_in():
    shown = preview()
    places = {(p.span_id, p.field) for p in secret(shown, MAIL).places}
    assert places == {("s1", "inputs.q"), ("s2", "inputs.q"), ("s3", "outputs.docs[0].content")}
    header = made_run(span(1), header={"name": f"for {MAIL}"})
    (kind,) = RedactionPreview(header, Redaction(environment=False)).kinds
    assert [(p.span_id, p.field) for p in kind.secrets[0].places] == [("", "name")]


def test_what_is_written_in_another_way_than_it_is_compared_can_be_unticked_too():
    shown = preview()
    kept = shown.untick(secret(shown, "4111 1111 1111 1111"))
    assert kept.counts == {"email": 4}
    assert b"4111 1111 1111 1111" in kept.data


def test_what_stands_in_a_field_can_be_unticked_alone():
    shown = preview().with_field("inputs.q")
    assert shown.counts == {"email": 1, "card": 1, "field": 2}
    kept = shown.untick(secret(shown, f"{OTHER} and {MAIL}"))
    # It is no field that goes any more, but what the rules find in it does.
    assert kept.counts == {"email": 3, "card": 1, "field": 1}
    assert b"about the pump" not in kept.data


def test_a_kind_is_unticked_and_ticked_as_a_whole_and_every_row_stays_where_it_is():
    shown = preview()
    mails = shown.kinds[0]
    none = shown.untick_all(mails.secrets)
    assert none.counts == {"card": 1}
    assert (none.kinds[0].count, none.kinds[0].total) == (0, 4)
    assert [each.secret for each in none.kinds[0].secrets] == [MAIL, OTHER]
    first = shown.untick(mails.secrets[0])
    assert [(each.secret, each.ticked) for each in first.kinds[0].secrets] == [
        (MAIL, False), (OTHER, True),
    ]  # fmt: skip
    assert none.tick_all(none.kinds[0].secrets).data == shown.data


def test_the_text_around_a_place_shows_all_that_is_replaced_in_it():
    shown = preview()
    other = secret(shown, OTHER)
    pieces = other.places[0].pieces(shown.replaced_in(other.places[0]))
    assert [(each.text, each.instead, each.here) for each in pieces] == [
        (OTHER, "<email:2>", True), (" and ", None, False), (MAIL, "<email:1>", False),
    ]  # fmt: skip
    kept = shown.untick(MAIL)
    mail = next(each for each in secret(kept, MAIL).places if each.span_id == "s2")
    pieces = mail.pieces(kept.replaced_in(mail))
    assert [(each.text, each.instead, each.here) for each in pieces] == [
        (OTHER, "<email:1>", False), (" and ", None, False), (MAIL, None, True),
    ]  # fmt: skip


def test_with_a_salt_two_files_have_the_same_placeholders_and_neither_has_the_salt():
    salt = b"a long and random salt"
    one, other = preview().with_salt(salt), preview().untick(OTHER).with_salt(salt)
    assert secret(one, MAIL).placeholder == secret(other, MAIL).placeholder
    assert salt not in one.data
    assert one.with_salt(None).data == preview().data


def test_a_search_says_how_far_it_is_and_can_be_ended():
    told: list[float] = []
    assert preview().look(told.append).counts
    assert told == sorted(told)
    assert told[-1] == 1.0

    def stop(part: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        preview().look(stop)


def test_a_draft_goes_back_and_forth_and_makes_the_same_bytes_again():
    shown = preview().look()
    draft = RedactionDraft(shown)
    data = shown.data
    draft.take(shown.with_term("pump").look())
    assert (draft.can_undo, draft.can_redo) == (True, False)
    assert draft.undo() is shown
    assert (draft.can_undo, draft.can_redo) == (False, True)
    assert shown.data == data
    assert draft.redo().counts["term"] == 1
    draft.undo()
    draft.take(shown.untick(MAIL).look())
    assert not draft.can_redo
    assert draft.current.counts == {"email": 1, "card": 1}
