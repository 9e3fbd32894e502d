"""Which addresses are GitHub's, and which of its links lead to runs."""

import pytest

from inspector.errors import FetchError
from inspector.sources.service import PUBLIC, is_web_link, service_at

COMPANY = service_at("https://github.example.com")


@pytest.mark.parametrize(
    ("address", "kind", "words"),
    [
        ("https://github.com/acme/pumps/issues/7", "issue", "acme/pumps#7"),
        ("https://github.com/acme/pumps/issues/7/", "issue", "acme/pumps#7"),
        ("https://github.com/acme/pumps/pull/8/files", "pull", "acme/pumps#8"),
        ("https://github.com/a/b.c/issues/7#issuecomment-99", "comment", "a comment on a/b.c#7"),
        ("https://github.com/a/b/pull/7#discussion_r99", "remark", "a comment on a/b#7"),
        ("https://github.com/a/b/pull/7/files#r99", "remark", "a comment on a/b#7"),
        ("https://github.com/a/b/pull/7#pullrequestreview-9", "review", "a review of a/b#7"),
        ("https://gist.github.com/joan/0123456789abcdef", "gist", "gist 01234567"),
        ("https://gist.github.com/0123456789abcdef#file-a-json", "gist", "gist 01234567"),
        ("https://github.com/user-attachments/files/12/a.json", "file", "a.json"),
        ("https://github.com/acme/pumps/files/12/a.zip", "file", "a.zip"),
    ],
)
def test_a_link_is_taken_apart(address: str, kind: str, words: str) -> None:
    link = PUBLIC.link(address)
    assert (link.kind, link.words) == (kind, words)


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com/acme/pumps",
        "https://github.com/acme/../issues/7",
        "https://github.com/acme/pumps/issues/seven",
        "https://github.com/acme/pumps/discussions/7",
        "https://api.github.com/repos/acme/pumps/issues/7",
    ],
)
def test_a_page_without_runs_is_said_to_be_none(address: str) -> None:
    with pytest.raises(FetchError, match="leads to no issue"):
        PUBLIC.link(address)


@pytest.mark.parametrize(
    "address",
    [
        "https://github.com.example.org/a/b/issues/7",
        "https://notgithub.com/a/b/issues/7",
        "http://github.com/a/b/issues/7",
        "https://github.com:8443/a/b/issues/7",
        "https://github.com@example.org/a/b/issues/7",
        "https://me:word@github.com/a/b/issues/7",
        "https://127.0.0.1/a/b/issues/7",
        "https://github.example.com/a/b/issues/7",
    ],
)
def test_what_only_looks_like_github_is_not_asked(address: str) -> None:
    assert not PUBLIC.owns(address)
    with pytest.raises(FetchError, match="nothing else is asked"):
        PUBLIC.link(address)


@pytest.mark.parametrize(
    "text", ["", "file:///etc/passwd", "ftp://github.com/a/b/issues/7", "https:\\\\github.com/a",
             "https://github.com/a/b\n/issues/7", "https://[github.com/a", "https://github.com:x/"]
)  # fmt: skip
def test_what_is_no_address_is_no_link(text: str) -> None:
    with pytest.raises(FetchError, match="no link to GitHub"):
        PUBLIC.link(text)


def test_a_company_has_a_github_of_its_own() -> None:
    assert COMPANY.api == "https://github.example.com/api/v3"
    assert COMPANY.link("https://github.example.com/a/b/issues/7").kind == "issue"
    assert COMPANY.link("https://github.example.com/gist/joan/0123456789abcdef").kind == "gist"
    assert COMPANY.link("https://gist.github.example.com/0123456789abcdef").kind == "gist"
    assert COMPANY.owns("https://media.github.example.com/x")
    assert not COMPANY.owns("https://github.com/a/b/issues/7")


def test_github_for_one_company_in_the_cloud() -> None:
    service = service_at("octo.ghe.com")
    assert (service.web, service.api) == ("https://octo.ghe.com", "https://api.octo.ghe.com")


@pytest.mark.parametrize("given", ["", None, "github.com", "https://www.github.com/"])
def test_without_an_address_it_is_github_com(given: str | None) -> None:
    assert service_at(given) is PUBLIC


@pytest.mark.parametrize("given", ["http://github.example.com", "ftp://x", "https://", "a b://"])
def test_an_address_that_is_no_safe_one_is_refused(given: str) -> None:
    with pytest.raises(FetchError):
        service_at(given)


def test_a_token_is_for_two_places_only() -> None:
    assert PUBLIC.may_know_token("https://api.github.com/gists/1")
    assert PUBLIC.may_know_token("https://github.com/user-attachments/files/1/a.json")
    for elsewhere in (
        "https://objects.githubusercontent.com/x",
        "https://gist.githubusercontent.com/x",
        "http://api.github.com/x",
        "https://example.org/x",
    ):
        assert not PUBLIC.may_know_token(elsewhere)


def test_a_web_link_is_one_address() -> None:
    assert is_web_link(" https://github.com/a/b/issues/7\n")
    assert not is_web_link("see https://github.com/a/b/issues/7")
    assert not is_web_link("/home/me/a.run.json")
