"""A small GitHub on this machine, with the answers that its API documents.

It stands where a GitHub Enterprise would: pages below `url`, the API below `url/api/v3`. What
it was asked, and with which token, is kept here, out of reach of the code under test.
"""

import json
import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self
from urllib.parse import parse_qs, urlsplit

JSON = "application/json; charset=utf-8"
BYTES = "application/octet-stream"


class Asked(NamedTuple):
    """One request."""

    path: str
    authorization: str | None


class Answer(NamedTuple):
    """What is answered to a path."""

    status: int = 200
    body: bytes = b""
    headers: tuple[tuple[str, str], ...] = ()


class GitHubServer:
    """Serves issues, pull requests, comments, gists and attachments; see its methods."""

    def __init__(self, certificate: Path | None = None) -> None:
        self.log: list[Asked] = []
        self.answers: dict[str, Answer] = {}
        self.lists: dict[str, list[dict[str, Any]]] = {}
        self.hold = threading.Event()  # cleared, attachments end only when it is set
        self.hold.set()
        self.waiting = threading.Event()  # set when an attachment is held
        self._files = 0
        self._http = _Http(("127.0.0.1", 0), _Handler)
        self._http.owner = self
        if certificate is not None:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            # Shaking hands is the work of a thread of its own, and may fail there.
            self._http.socket = context.wrap_socket(
                self._http.socket, server_side=True, do_handshake_on_connect=False
            )
        self._thread = threading.Thread(
            target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )

    @property
    def port(self) -> int:
        return int(self._http.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.hold.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    @property
    def paths(self) -> list[str]:
        """What was asked for, in order."""
        return [asked.path for asked in self.log]

    # What stands there

    def issue(self, number: int, body: str, *, title: str = "It fails", pull: bool = False) -> str:
        """Put an issue there, and return its address."""
        kind = "pull" if pull else "issues"
        address = f"{self.url}/acme/pumps/{kind}/{number}"
        tree = self._post(number, "ada", body, address) | {
            "number": number, "title": title, "state": "open", "comments": 0,
        }  # fmt: skip
        if pull:
            tree["pull_request"] = {"html_url": address, "merged_at": None}
        self._answer(f"/repos/acme/pumps/issues/{number}", tree)
        self.lists[f"/repos/acme/pumps/issues/{number}/comments"] = []
        if pull:
            self.lists[f"/repos/acme/pumps/pulls/{number}/reviews"] = []
            self.lists[f"/repos/acme/pumps/pulls/{number}/comments"] = []
        return address

    def comment(self, number: int, identity: int, body: str, author: str = "grace") -> str:
        """Put a comment below an issue or pull request, and return its address."""
        address = f"{self.url}/acme/pumps/issues/{number}#issuecomment-{identity}"
        tree = self._post(identity, author, body, address)
        self.lists[f"/repos/acme/pumps/issues/{number}/comments"].append(tree)
        self._answer(f"/repos/acme/pumps/issues/comments/{identity}", tree)
        return address

    def remark(self, number: int, identity: int, body: str) -> str:
        """Put a remark on a line of a pull request, and return its address."""
        address = f"{self.url}/acme/pumps/pull/{number}#discussion_r{identity}"
        tree = self._post(identity, "alan", body, address) | {"path": "pump.py", "line": 3}
        self.lists[f"/repos/acme/pumps/pulls/{number}/comments"].append(tree)
        self._answer(f"/repos/acme/pumps/pulls/comments/{identity}", tree)
        return address

    def review(self, number: int, identity: int, body: str) -> str:
        """Put a review below a pull request, and return its address."""
        address = f"{self.url}/acme/pumps/pull/{number}#pullrequestreview-{identity}"
        tree = self._post(identity, "alan", body, address)
        del tree["created_at"], tree["updated_at"]
        tree |= {"submitted_at": "2026-11-05T08:00:00Z", "state": "COMMENTED"}
        self.lists[f"/repos/acme/pumps/pulls/{number}/reviews"].append(tree)
        self._answer(f"/repos/acme/pumps/pulls/{number}/reviews/{identity}", tree)
        return address

    def gist(self, identity: str, files: dict[str, str], *, cut: bool = False) -> str:
        """Put a gist there, cut short as GitHub cuts large files; return its address."""
        address = f"{self.url}/gist/{identity}"
        told = {}
        for name, text in files.items():
            raw = f"{self.url}/gist/raw/{identity}/{name}"
            self.answers[urlsplit(raw).path] = Answer(
                200, text.encode(), (("content-type", "text/plain; charset=utf-8"),)
            )
            told[name] = {
                "filename": name, "type": "application/json", "language": "JSON", "raw_url": raw,
                "size": len(text.encode()), "truncated": cut,
                "content": text[:1_000] if cut else text,
            }  # fmt: skip
        self._answer(
            f"/gists/{identity}",
            {
                "id": identity, "html_url": address, "files": told, "public": True,
                "created_at": "2026-11-03T09:30:00Z", "owner": {"login": "joan", "type": "User"},
                "truncated": False,
            },
        )  # fmt: skip
        return address

    def attach(self, name: str, data: bytes, kind: str = BYTES) -> str:
        """Attach a file, and return the address that stands in a text; it leads on to storage."""
        self._files += 1
        stored = f"/storage/{self._files}"
        self.answers[stored] = Answer(200, data, (("content-type", kind),))
        path = f"/user-attachments/files/{self._files}/{name}"
        self.answers[path] = Answer(302, b"", (("location", f"{self.url}{stored}"),))
        return f"{self.url}{path}"

    def _post(self, identity: int, author: str, body: str, address: str) -> dict[str, Any]:
        return {
            "id": identity, "node_id": f"N_{identity}", "html_url": address, "body": body,
            "user": {"login": author, "id": 1, "type": "User"},
            "created_at": "2026-11-04T10:20:30Z", "updated_at": "2026-11-04T10:20:30Z",
            "author_association": "CONTRIBUTOR",
        }  # fmt: skip

    def _answer(self, path: str, tree: dict[str, Any]) -> None:
        body = json.dumps(tree).encode()
        self.answers[f"/api/v3{path}"] = Answer(200, body, (("content-type", JSON),))

    def answer_to(self, target: str) -> Answer:
        """Return what is answered to a request."""
        parts = urlsplit(target)
        known = self.answers.get(parts.path)
        if known is not None:
            return known
        items = self.lists.get(parts.path.removeprefix("/api/v3"))
        if items is None:
            body = json.dumps({"message": "Not Found", "status": "404"}).encode()
            return Answer(404, body, (("content-type", JSON),))
        query = parse_qs(parts.query)
        size, page = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
        headers = [("content-type", JSON)]
        if page * size < len(items):
            following = f"{self.url}{parts.path}?per_page={size}&page={page + 1}"
            headers.append(("link", f'<{following}>; rel="next", <{following}>; rel="last"'))
        return Answer(
            200, json.dumps(items[(page - 1) * size : page * size]).encode(), tuple(headers)
        )


class _Http(ThreadingHTTPServer):
    owner: GitHubServer
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """Keep quiet about those who go away in the middle."""


class _Handler(BaseHTTPRequestHandler):
    server: _Http

    def do_GET(self) -> None:
        owner = self.server.owner
        owner.log.append(Asked(self.path, self.headers.get("authorization")))
        status, body, headers = owner.answer_to(self.path)
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        if not any(name.lower() == "content-length" for name, _value in headers):
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        try:
            if self.path.startswith("/storage/") and not owner.hold.is_set():
                self.wfile.write(body[:10])
                self.wfile.flush()
                owner.waiting.set()
                owner.hold.wait()
                body = body[10:]
            self.wfile.write(body)
        except ConnectionError:
            pass  # the other side has seen enough

    def log_message(self, *args: Any) -> None:
        """Keep quiet: the log is `owner.log`."""
