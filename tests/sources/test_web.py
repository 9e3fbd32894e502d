"""One GitHub is asked, nobody else, and what goes wrong is a sentence."""

import json
import socket
from datetime import datetime
from pathlib import Path

import pytest

from inspector.errors import FetchError
from inspector.sources.service import service_at
from inspector.sources.web import FetchLimits, Web
from tests.helpers.github_server import JSON, Answer, GitHubServer

TOKEN = "made-" + "up-" * 3


def web_of(server: GitHubServer, token: str | None = None, **limits: int) -> Web:
    return Web(service_at(server.url), token, limits=FetchLimits(**limits))


def refusal(web: Web, path: str = "/x") -> FetchError:
    with pytest.raises(FetchError) as caught:
        web.answer(path)
    return caught.value


def whole(web: Web, address: str) -> bytes:
    with web.download(address) as download:
        return download.read(10_000_000)


def test_a_token_is_shown_to_the_api(
    github: GitHubServer,
) -> None:
    github.issue(7, "")
    web_of(github, TOKEN).answer("/repos/acme/pumps/issues/7")
    assert github.log[0].authorization == f"Bearer {TOKEN}"


def test_without_a_token_none_is_shown(github: GitHubServer) -> None:
    github.issue(7, "")
    web_of(github).answer("/repos/acme/pumps/issues/7")
    assert github.log[0].authorization is None


def test_nobody_else_is_asked_whatever_a_redirect_says(github: GitHubServer) -> None:
    with GitHubServer() as stranger:
        stranger.answers["/bait"] = Answer(200, b"{}")
        github.answers["/away"] = Answer(302, headers=(("location", f"{stranger.url}/bait"),))
        with pytest.raises(FetchError, match="none of its hosts"):
            whole(web_of(github, TOKEN), f"{github.url}/away")
        assert stranger.log == []


@pytest.mark.parametrize("target", ["file:///etc/passwd", "ftp://127.0.0.1/x", "//example.org/x"])
def test_a_redirect_out_of_the_web_goes_nowhere(github: GitHubServer, target: str) -> None:
    github.answers["/away"] = Answer(302, headers=(("location", target),))
    with pytest.raises(FetchError, match="none of its hosts"):
        whole(web_of(github), f"{github.url}/away")


def test_a_circle_of_redirects_ends(github: GitHubServer) -> None:
    github.answers["/round"] = Answer(302, headers=(("location", "/round"),))
    with pytest.raises(FetchError, match="circles"):
        whole(web_of(github), f"{github.url}/round")
    assert len(github.log) == 6


def test_a_next_page_elsewhere_is_not_asked_for(github: GitHubServer) -> None:
    with GitHubServer() as stranger:
        headers = (("content-type", JSON), ("link", f'<{stranger.url}/bait>; rel="next"'))
        github.answers["/api/v3/list"] = Answer(200, b"[]", headers)
        with pytest.raises(FetchError, match="none of its hosts"):
            web_of(github).listed("/list")
        assert stranger.log == []


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (Answer(404), "nothing at this address"),
        (Answer(410), "was deleted"),
        (Answer(401), "does not accept the token"),
        (Answer(403), "does not let us read this"),
        (Answer(451), "legal reasons"),
        (Answer(502), "is in trouble (status 502)"),
        (Answer(418), "refused with status 418"),
        (Answer(200, b"<html>Sign in</html>"), "a web page instead of data"),
        (Answer(200, b"{}", (("content-type", "text/html"),)), "a web page instead of data"),
        (Answer(200, b"{"), "damaged data"),
        (Answer(200, b"[" * 200_000), "damaged data"),
        (Answer(200, b"[]"), "something else than asked for"),
    ],
)
def test_a_refusal_is_a_sentence(github: GitHubServer, answer: Answer, words: str) -> None:
    github.answers["/api/v3/x"] = answer
    assert words in str(refusal(web_of(github)))


def test_a_limit_of_requests_says_until_when(github: GitHubServer) -> None:
    until = 1_800_000_000
    headers = (("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", str(until)))
    github.answers["/api/v3/x"] = Answer(403, b"{}", headers)
    error = refusal(web_of(github))
    assert f"again at {datetime.fromtimestamp(until):%H:%M}" in str(error)
    assert "token" in error.hint
    assert refusal(web_of(github, TOKEN)).hint == ""


def test_a_second_limit_says_how_long(github: GitHubServer) -> None:
    github.answers["/api/v3/x"] = Answer(429, b"{}", (("retry-after", "60"),))
    assert "in 60 seconds" in str(refusal(web_of(github)))


def test_what_is_private_is_told_from_what_needs_a_token(github: GitHubServer) -> None:
    assert "needs a token" in refusal(web_of(github)).hint
    assert "may not read it" in refusal(web_of(github, TOKEN)).hint


def test_a_machine_without_a_network_is_a_sentence() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    error = refusal(Web(service_at(f"http://127.0.0.1:{port}")))
    assert "cannot be reached" in str(error)


def test_a_name_that_nobody_knows_reads_as_offline() -> None:
    error = refusal(Web(service_at("https://github.nowhere.invalid")))
    assert "offline" in str(error) or "cannot be reached" in str(error)


def test_a_file_that_says_it_is_too_large_is_not_fetched(github: GitHubServer) -> None:
    address = github.attach("a.json", b"{" * 5_000)
    with pytest.raises(FetchError, match="has 5,000 bytes"):
        whole(web_of(github, file_bytes=4_000), address)


def test_a_file_that_hides_its_size_is_counted(github: GitHubServer) -> None:
    github.answers["/user-attachments/files/9/a.json"] = Answer(
        200, b"{" * 5_000, (("content-length", "5000"), ("content-length", "5000"))
    )
    web = web_of(github, all_bytes=4_000)
    with pytest.raises(FetchError, match="altogether"):
        whole(web, f"{github.url}/user-attachments/files/9/a.json")


def test_an_answer_is_counted_too(github: GitHubServer) -> None:
    github.answers["/api/v3/x"] = Answer(200, json.dumps({"a": "b" * 5_000}).encode())
    assert "more than" in str(refusal(web_of(github, answer_bytes=4_000)))


def test_a_list_ends_after_as_many_pages_as_agreed(github: GitHubServer) -> None:
    github.issue(7, "")
    for number in range(250):
        github.comment(7, number + 1, "")
    path = "/repos/acme/pumps/issues/7/comments"
    items, is_whole = web_of(github).listed(path)
    assert (len(items), is_whole) == (250, True)
    items, is_whole = web_of(github, pages=2).listed(path)
    assert (len(items), is_whole) == (200, False)


def test_what_is_stopped_asks_nothing(github: GitHubServer) -> None:
    web = Web(service_at(github.url), cancelled=lambda: True)
    assert "stopped" in str(refusal(web))
    assert github.log == []


def test_a_token_with_a_line_end_adds_no_header() -> None:
    with pytest.raises(FetchError, match="none"):
        Web(service_at(None), "a\r\nx: y")


def test_a_token_is_in_no_words_about_what_holds_it() -> None:
    assert TOKEN not in repr(Web(service_at(None), TOKEN))


def certificate(folder: Path) -> Path:
    """Return a file with a certificate that nobody vouches for, and its key."""
    pytest.importorskip("cryptography", reason="cryptography, which makes certificates, is missing")
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.x509.oid import NameOID

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(datetime(2020, 1, 1))
        .not_valid_after(datetime(2120, 1, 1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    place = folder / "both.pem"
    place.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return place


def test_a_server_that_nobody_vouches_for_is_told_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = certificate(tmp_path)
    with GitHubServer(certificate=place) as server:
        server.issue(7, "")
        address = f"https://localhost:{server.port}"
        monkeypatch.setenv("no_proxy", "localhost")
        error = refusal(Web(service_at(address), TOKEN), "/repos/acme/pumps/issues/7")
        assert "is not trusted" in str(error)
        assert server.log == []
        monkeypatch.setenv("SSL_CERT_FILE", str(place))
        web = Web(service_at(address), TOKEN)
        assert web.answer("/repos/acme/pumps/issues/7")["number"] == 7
        assert server.log[0].authorization == f"Bearer {TOKEN}"
