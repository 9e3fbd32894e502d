"""Over https a server has to be who it says, and a stream ends at once there too."""

import shutil
import ssl
import subprocess
import threading

import pytest

from inspector.hayhooks.client.access import Access
from inspector.hayhooks.client.client import HayhooksClient
from inspector.hayhooks.client.model import HayhooksError, Server
from tests.helpers.raw_server import RawServer, event, execution, reply, stream_head

pytestmark = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="openssl makes the certificates, and is not here"
)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    subprocess.run(
        [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes", "-keyout", "key.pem", "-out", "cert.pem", "-days", "2",
            "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
        ],
        cwd=folder, check=True, capture_output=True,
    )  # fmt: skip
    return folder


class SecretServer(RawServer):
    """A raw server behind TLS."""

    def __init__(self, answer, folder):
        super().__init__(answer)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(folder / "cert.pem", folder / "key.pem")

    def _serve(self, line):
        try:
            with self._context.wrap_socket(line, server_side=True) as wrapped:
                super()._serve(wrapped)
        except (ssl.SSLError, OSError):
            line.close()


def at(server, host="localhost"):
    url = server.url.replace("http://127.0.0.1", f"https://{host}")
    return HayhooksClient(Server("tls", url), Access("operator-token"))


def test_who_is_not_trusted_is_shown_nothing(certificate):
    with SecretServer(lambda asked, line: reply({}), certificate) as server:
        with pytest.raises(HayhooksError, match="is not trusted"):
            at(server).page("rag")
        assert server.asked == []


def test_a_certificate_is_for_its_own_name_only(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
    with SecretServer(lambda asked, line: reply(execution()), certificate) as server:
        assert at(server).inspect("rag", "e1").row.id == "e1"
        with pytest.raises(HayhooksError, match="is not trusted"):
            at(server, "127.0.0.1").inspect("rag", "e1")


def test_a_stream_comes_and_ends_at_once_when_it_is_closed(certificate, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
    hold = threading.Event()

    def open_ended(asked, line):
        if not asked.path.endswith("/stream"):
            return reply(execution())
        line.sendall(stream_head() + event("chunk", {"attempt": 1, "payload": 5}, number="1-0"))
        hold.wait(60)
        return None

    with SecretServer(open_ended, certificate) as server:
        client, told = at(server), []
        for one in client.stream("rag", "e1", poll_s=None):
            told.append((one.kind, one.payload))
            if one.kind == "chunk":
                client.close()
        hold.set()
    assert told[1:] == [("chunk", 5)]
