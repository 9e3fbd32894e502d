"""Known servers are kept without secrets; what is shown to them is shown in no other way."""

import json
import stat
import sys

import pytest

from inspector.errors import InspectorError
from inspector.hayhooks.client.access import (
    TOKEN_VARIABLE,
    Access,
    access_from_keyring,
    keep_in_keyring,
    with_environment,
)
from inspector.hayhooks.client.address import address_of, checked_url, path_of
from inspector.hayhooks.client.model import HayhooksError, Server
from inspector.hayhooks.client.servers import (
    add_server,
    known_servers,
    remove_server,
    rename_server,
)
from tests.replay.live.test_keys import BACKEND

HOME = Server("home", "http://localhost:1416", owner_headers=("X-User",))


@pytest.fixture
def file(tmp_path):
    return tmp_path / "config" / "servers.json"


def test_servers_are_kept_as_they_were_added(file):
    other = Server("other", "https://h.example.com/api/", ("https://h2.example.com",), ("X-A",))
    add_server(HOME, file)
    kept = add_server(other, file)
    assert kept.url == "https://h.example.com/api"
    assert known_servers(file) == (HOME, kept)
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_server_is_renamed_and_removed(file):
    add_server(HOME, file)
    add_server(Server("b", "http://b.example.com"), file)
    assert rename_server("home", "base", file).url == HOME.url
    with pytest.raises(InspectorError, match="already"):
        rename_server("base", "b", file)
    remove_server("base", file)
    assert [server.name for server in known_servers(file)] == ["b"]
    with pytest.raises(InspectorError, match="no server called base"):
        remove_server("base", file)


def test_a_name_is_taken_once(file):
    add_server(HOME, file)
    with pytest.raises(InspectorError, match="already"):
        add_server(HOME, file)


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", '{"servers": [{"name": 1}]}', '{"servers": 5}',
        '{"servers": [{"name": "a", "url": "http://h", "redis_url": 5}]}',
    ],
)  # fmt: skip
def test_a_damaged_list_is_said_and_left_as_it_is(file, text):
    file.parent.mkdir()
    file.write_text(text)
    with pytest.raises(InspectorError, match="no list of servers"):
        add_server(HOME, file)
    assert file.read_text() == text


@pytest.mark.parametrize(
    "url",
    [
        "", "localhost:1416", "file:///etc/passwd", "ftp://h", "http://", "http://h:99999",
        "http://user:secret@h", "http://h?token=x", "http://h#x", "http://h\r\nX: y", "http://h h",
        "http://\u0430pple.com", "javascript:alert(1)", "http://" + "h" * 3_000, "http://[::1",
    ],
)  # fmt: skip
def test_what_is_no_address_is_refused_and_no_secret_is_repeated(url):
    with pytest.raises(HayhooksError) as caught:
        checked_url(url)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "url", ["redis://:secret@h/0", "redis://:sec#ret@h/0", "redis://h?password=x"]
)
def test_a_password_of_a_store_is_not_kept(file, url):
    with pytest.raises(HayhooksError, match="password"):
        add_server(Server("a", "http://h", redis_url=url), file)
    assert not file.exists()


@pytest.mark.parametrize(
    ("url", "is_secret"),
    [
        ("https://h.example.com", True), ("http://127.0.0.1:1", True), ("http://[::1]:1", True),
        ("http://localhost", True), ("http://10.0.0.1", False),
        ("http://localhost.evil.com", False),
    ],
)  # fmt: skip
def test_an_address_says_whether_others_read_along(url, is_secret):
    assert address_of(url).is_secret == is_secret


@pytest.mark.parametrize("name", ["../status", "a/b", "a?b", "a b", "%2e%2e"])
def test_a_deployment_cannot_lead_to_another_path(name):
    path = path_of(name, action="run-durable")
    assert path.count("/") == 2
    assert "?" not in path
    assert " " not in path


@pytest.mark.parametrize("execution", ["", "..", "a/b", "a?b", "a" * 129, "é", "a\n"])
def test_an_id_that_is_none_is_never_asked_for(execution):
    with pytest.raises(HayhooksError, match="no id"):
        path_of("rag", execution=execution)


@pytest.mark.parametrize(
    ("token", "owner"),
    [
        ("a b", {}), ("a\r\nX: y", {}), ("", {"X": "v"}), (None, {"X": "a\nb"}),
        (None, {"Host": "h"}), (None, {"Content-Length": "5"}), (None, {"a b": "v"}),
    ],
)  # fmt: skip
def test_what_would_not_be_a_header_is_refused(token, owner):
    with pytest.raises(HayhooksError):
        Access(token, owner)


def test_no_secret_is_in_what_is_printed():
    access = Access("tok-secret", {"X-User": "alice-secret"})
    assert "secret" not in repr(access)
    assert access.scope != Access(None, {"X-User": "bob"}).scope
    assert "alice" not in access.scope


def test_secrets_are_kept_in_the_keyring_and_found_there(tmp_path, monkeypatch, file):
    (tmp_path / "paper_ring.py").write_text(BACKEND)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", "paper_ring.Ring")
    assert keep_in_keyring(HOME, Access("operator", {"X-User": "alice"})) == ""
    found, problem = access_from_keyring(HOME)
    assert (found.token, found.owner, problem) == ("operator", {"X-User": "alice"}, "")
    elsewhere, _problem = access_from_keyring(Server("x", "http://other"))
    assert elsewhere.token is None
    add_server(HOME, file)
    assert "operator" not in file.read_text()
    assert "redis_url" in json.loads(file.read_text())["servers"][0]


def test_the_environment_comes_first(monkeypatch):
    monkeypatch.setenv(TOKEN_VARIABLE, "from-there")
    assert with_environment(Access("known", {"X-A": "b"})) == Access("from-there", {"X-A": "b"})
