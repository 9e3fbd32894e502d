"""The runs of issues, pull requests, comments and gists are listed, and those only."""

import gzip
import io
import zipfile
from pathlib import Path

import pytest

from inspector.errors import FetchError
from inspector.importers.opening import load_runs
from inspector.runfile.load import load_run
from inspector.sources.github import runs_at
from inspector.sources.offers import Listing, Offer, file_name
from inspector.sources.service import service_at
from inspector.sources.web import Web
from tests.helpers.github_server import GitHubServer

SAMPLE = (Path(__file__).parents[1] / "data" / "runs" / "sample-1.run.json").read_bytes()
TEXT = SAMPLE.decode()


def listed(server: GitHubServer, address: str) -> tuple[Web, Listing]:
    service = service_at(server.url)
    web = Web(service)
    return web, runs_at(web, service.link(address))


def zipped(*files: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return out.getvalue()


def test_an_issue_offers_what_stands_in_it_and_below_it(github: GitHubServer) -> None:
    plain = github.attach("plain.run.json", SAMPLE)
    packed = github.attach("packed.run.json.gz", gzip.compress(SAMPLE))
    both = github.attach("both.zip", zipped(("x/one.run.json", SAMPLE), ("notes.txt", b"hello")))
    gist = github.gist("0123456789abcdef", {"gist.run.json": TEXT, "readme.md": "# x"})
    address = github.issue(7, f"Replay [this]({plain}).", title="The pump answers nothing")
    github.comment(7, 1, f"Here: {packed} and {both}")
    github.comment(7, 2, f"{gist}\n\n```json\n{TEXT}\n```", author="joan")
    web, listing = listed(github, address)

    assert listing.title == "acme/pumps#7 The pump answers nothing"
    assert [(o.name, o.archive, o.how, o.author, o.size) for o in listing.offers] == [
        ("plain.run.json", "", "attachment", "ada", len(SAMPLE)),
        ("packed.run.json.gz", "", "attachment", "grace", len(gzip.compress(SAMPLE))),
        ("x/one.run.json", "both.zip", "attachment", "grace", len(SAMPLE)),
        ("block 1", "", "block", "joan", len(TEXT.strip().encode())),
        ("gist.run.json", "", "gist", "joan", len(SAMPLE)),
    ]
    assert {offer.date[:7] for offer in listing.offers} == {"2026-11"}
    wanted = load_run(SAMPLE).verify().state
    for offer in listing.offers:
        run = load_run(offer.fetch(web), use_cache=False)
        assert run.id == load_run(SAMPLE).id
        assert run.verify().state == wanted


def test_a_pull_request_offers_reviews_and_remarks_too(github: GitHubServer) -> None:
    block = f"```\n{TEXT}\n```"
    address = github.issue(8, "", pull=True)
    github.comment(8, 1, block)
    github.review(8, 2, block)
    github.remark(8, 3, block)
    _web, listing = listed(github, address)
    assert [offer.author for offer in listing.offers] == ["grace", "alan", "alan"]
    assert "2026-11-05T08:00:00Z" in {offer.date for offer in listing.offers}


def test_a_link_to_a_comment_offers_that_comment_only(github: GitHubServer) -> None:
    block = f"```\n{TEXT}\n```"
    github.issue(7, block)
    address = github.comment(7, 5, block)
    _web, listing = listed(github, address)
    assert listing.title == "a comment on acme/pumps#7 by grace"
    assert len(listing.offers) == 1
    assert github.paths == ["/api/v3/repos/acme/pumps/issues/comments/5"]


def test_a_remark_and_a_review_can_be_linked(github: GitHubServer) -> None:
    github.issue(8, "", pull=True)
    for address in (
        github.review(8, 2, f"```\n{TEXT}\n```"),
        github.remark(8, 3, f"```\n{TEXT}\n```"),
    ):
        assert len(listed(github, address)[1].offers) == 1


def test_a_gist_that_github_cuts_short_is_fetched_whole(github: GitHubServer) -> None:
    web, listing = listed(github, github.gist("0123456789abcdef", {"a.json": TEXT}, cut=True))
    assert listing.offers[0].fetch(web) == SAMPLE


def test_a_link_to_a_file_offers_that_file(github: GitHubServer) -> None:
    web, listing = listed(github, github.attach("a.run.json", SAMPLE))
    assert [offer.fetch(web) for offer in listing.offers] == [SAMPLE]


def test_of_an_attachment_only_the_head_is_read_before_it_is_chosen(github: GitHubServer) -> None:
    start = SAMPLE.rstrip()[:-1]
    large = start + b"," + b'"padding":"' + b"x" * 8_000_000 + b'"}'
    address = github.issue(7, github.attach("a.run.json", large))
    web, listing = listed(github, address)
    assert listing.offers[0].size == len(large)
    assert web.limits.all_bytes - web._left < 1_000_000


def test_a_page_that_is_served_as_json_is_refused_in_words(github: GitHubServer) -> None:
    page = b"<!DOCTYPE html><title>Sign in</title>"
    body = " ".join(
        (
            github.attach("a.json", page, "application/json"),
            github.attach("b.json", SAMPLE, "text/html"),
        )
    )
    _web, listing = listed(github, github.issue(7, body))
    assert listing.offers == ()
    assert listing.notes == (
        "a.json is a web page, not a run.",
        "b.json is a web page, not a run.",
    )


def test_what_is_no_run_is_named_and_takes_nothing_from_the_others(github: GitHubServer) -> None:
    body = " ".join(
        (
            github.attach("data.json", b'{"a": 1}'),
            github.attach("bad.zip", b"PK\x03\x04nothing"),
            f"{github.url}/user-attachments/files/99/gone.json",
            github.attach("empty.zip", zipped(("x.txt", b"x"))),
            github.attach("trick.zip", zipped(("../a.run.json", SAMPLE))),
            f"{github.url}/gist/00000000000000ff",
            github.attach("good.json", SAMPLE),
        )
    )
    _web, listing = listed(github, github.issue(7, body))
    assert [offer.name for offer in listing.offers] == ["good.json"]
    said = "\n".join(listing.notes)
    for words in (
        "data.json is no run.",
        "bad.zip: The archive is cut off.",
        "gone.json: There is nothing at this address",
        "empty.zip holds no run.",
        "In trick.zip: '../a.run.json' is left out",
        "Gist 00000000: There is nothing",
    ):
        assert words in said


def test_an_attachment_that_leads_elsewhere_is_not_followed(github: GitHubServer) -> None:
    with GitHubServer() as stranger:
        target = stranger.attach("a.json", SAMPLE)
        address = github.attach("a.json", SAMPLE)
        path = address.removeprefix(github.url)
        github.answers[path] = github.answers[path]._replace(headers=(("location", target),))
        _web, listing = listed(github, github.issue(7, address))
        assert listing.offers == ()
        assert "none of its hosts" in listing.notes[0]
        assert stranger.log == []


def test_a_file_that_was_exchanged_after_it_was_listed_is_refused(github: GitHubServer) -> None:
    web, listing = listed(github, github.issue(7, github.attach("a.json", SAMPLE)))
    github.answers["/storage/1"] = github.answers["/storage/1"]._replace(body=b"<html>")
    with pytest.raises(FetchError, match="no run any more"):
        listing.offers[0].fetch(web)


def test_an_issue_that_says_odd_things_is_read_all_the_same(github: GitHubServer) -> None:
    github.issue(7, "")
    github.lists["/repos/acme/pumps/issues/7/comments"] = [
        {"body": None, "user": None},
        {"body": 5, "user": "x", "created_at": {}},
        "no object",  # type: ignore[list-item]
    ]
    _web, listing = listed(github, f"{github.url}/acme/pumps/issues/7")
    assert listing.offers == ()


@pytest.mark.parametrize(
    ("name", "kept"),
    [
        ("a.run.json", "a.run.json"),
        ("x/y/a.run.json.gz", "a.run.json.gz"),
        ("block 1", "block 1.run.json"),
        ("..\\..\\a.json", "a.json"),
        ("...", "run.run.json"),
        ("con.json", "run-con.json"),
        ("\x1b[2J\u202eevil.json", "2J_evil.json"),
        ("a" * 300 + ".run.json", "a" * 91 + ".run.json"),
    ],
)
def test_a_run_is_kept_under_a_harmless_name(name: str, kept: str) -> None:
    assert file_name(Offer(name, "attachment", "ada", "", "")) == kept


def test_what_other_programs_wrote_is_offered_where_its_format_is_known(
    github: GitHubServer,
) -> None:
    folder = Path(__file__).parents[1] / "data" / "foreign" / "haystack_snapshot"
    crash = next(path for path in sorted(folder.rglob("*.json")) if path.stat().st_size < 10**6)
    body = " ".join(
        (
            github.attach("crash.json", crash.read_bytes()),
            github.attach("crash.zip", zipped(("a/crash.json", crash.read_bytes()))),
            github.attach("package.json", b'{"name": "x", "dependencies": {}}'),
            github.attach("list.json", b"[1, 2, 3]"),
        )
    )
    web, listing = listed(github, github.issue(7, body))
    assert [(offer.name, offer.what) for offer in listing.offers] == [
        ("crash.json", "a Haystack snapshot"),
        ("a/crash.json", "a Haystack snapshot"),
    ]
    assert listing.notes == ("package.json is no run.", "list.json is no run.")
    assert listing.offers[0].fetch(web) == crash.read_bytes()
    assert len(load_runs(listing.offers[1].fetch(web))) == 1
