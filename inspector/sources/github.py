"""The runs that stand in an issue, a pull request, a comment or a gist."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from inspector.errors import FetchError
from inspector.sources.looks import HEAD, Look, seen
from inspector.sources.offers import Listing, Offer, looked_at
from inspector.sources.texts import held_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from inspector.sources.service import Link
    from inspector.sources.web import Web

_LONGEST = 200


class Post(NamedTuple):
    """A text that somebody wrote."""

    author: str
    date: str
    where: str
    body: str


def runs_at(web: Web, link: Link, report: Callable[[float], None] | None = None) -> Listing:
    """Look at what a link leads to, and list the runs in it.

    Of an attachment its first bytes are fetched, of an archive all of it.

    Args:
        web: The GitHub that is asked.
        link: One of its links.
        report: Told now and then how far it is, from 0 to 1.

    Raises:
        FetchError: It cannot be had.

    """
    tell = report or (lambda _fraction: None)
    if link.kind == "gist":
        title, offers, notes = _gist(web, link)
        return Listing(title, tuple(offers), tuple(notes))
    if link.kind == "file":
        offer = Offer(link.name, "attachment", "", "", link.address, address=link.address)
        found, notes = looked_at(web, offer)
        return Listing(link.name, tuple(found), tuple(notes))
    title, posts, notes = _posts(web, link)
    tell(0.2)
    search = _Search(web)
    search.notes += notes
    for number, post in enumerate(posts, start=1):
        search.look_through(post)
        tell(0.2 + 0.8 * number / len(posts))
    return Listing(title, tuple(search.offers), tuple(search.notes))


class _Search:
    """Goes through texts; a file or gist that is named twice is looked at once."""

    def __init__(self, web: Web) -> None:
        self.offers: list[Offer] = []
        self.notes: list[str] = []
        self._web = web
        self._seen: set[str] = set()
        self._files = self._gists = 0

    def look_through(self, post: Post) -> None:
        held = held_by(post.body, self._web.service)
        limits = self._web.limits
        for number, block in enumerate(held.blocks, start=1):
            data = block.encode("utf-8", "surrogatepass")
            block_seen = seen(data[:HEAD])
            if block_seen.look in (Look.RUN, Look.FOREIGN):
                self.offers.append(
                    Offer(
                        f"block {number}", "block", post.author, post.date, post.where,
                        len(data), what=block_seen.words, held=data,
                    )
                )  # fmt: skip
        for link in held.files:
            if link.address in self._seen:
                continue
            self._seen.add(link.address)
            self._files += 1
            if self._files > limits.files:
                self._say(f"Only the first {limits.files} attachments were looked at.")
                break
            offer = Offer(
                link.name, "attachment", post.author, post.date, post.where, address=link.address
            )
            self._try(link.name, partial(looked_at, self._web, offer))
        for link in held.gists:
            if link.id in self._seen:
                continue
            self._seen.add(link.id)
            self._gists += 1
            if self._gists > limits.gists:
                self._say(f"Only the first {limits.gists} gists were looked at.")
                break
            self._try(f"Gist {link.id[:8]}", partial(_gist_runs, self._web, link))

    def _try(self, name: str, look: Callable[[], tuple[list[Offer], list[str]]]) -> None:
        # What one of them lacks takes nothing from the others.
        try:
            found, notes = look()
        except FetchError as error:
            if "stopped" in str(error):
                raise
            self._say(f"{name}: {error}")
            return
        self.offers += found
        for note in notes:
            self._say(note)

    def _say(self, words: str) -> None:
        if words not in self.notes:
            self.notes.append(words)


def _posts(web: Web, link: Link) -> tuple[str, list[Post], list[str]]:
    home = f"/repos/{link.owner}/{link.repo}"
    single = {
        "comment": f"{home}/issues/comments/{link.id}",
        "remark": f"{home}/pulls/comments/{link.id}",
        "review": f"{home}/pulls/{link.number}/reviews/{link.id}",
    }.get(link.kind)
    if single is not None:
        post = _post(web.answer(single))
        return f"{link.words} by {post.author}", [post], []
    head = web.answer(f"{home}/issues/{link.number}")
    posts = [_post(head)]
    notes = []
    lists = [f"{home}/issues/{link.number}/comments"]
    if link.kind == "pull" or isinstance(head.get("pull_request"), dict):
        lists += [f"{home}/pulls/{link.number}/{part}" for part in ("reviews", "comments")]
    for path in lists:
        items, whole = web.listed(path)
        posts += [_post(item) for item in items if isinstance(item, dict)]
        if not whole:
            notes.append(f"Only the first {len(items):,} comments were looked at.")
    title = _text(head, "title")
    return f"{link.words} {title}".strip(), posts, notes


def _gist(web: Web, link: Link) -> tuple[str, list[Offer], list[str]]:
    tree = web.answer(f"/gists/{link.id}")
    author, date = _login(tree, "owner"), _text(tree, "created_at")
    where = _text(tree, "html_url") or link.address
    files = tree.get("files")
    offers: list[Offer] = []
    notes: list[str] = []
    for file in _mappings(files):
        name = _text(file, "filename") or "a file"
        size = file.get("size")
        size = size if isinstance(size, int) else None
        offer = Offer(name, "gist", author, date, where, size, address=_text(file, "raw_url"))
        found, said = _gist_file(web, offer, file)
        offers += found
        notes += said
    if tree.get("truncated") is True:
        notes.append("The gist has more files than GitHub tells of at once.")
    return f"{link.words} by {author}", offers, notes


def _gist_runs(web: Web, link: Link) -> tuple[list[Offer], list[str]]:
    _title, offers, notes = _gist(web, link)
    return offers, notes


def _gist_file(web: Web, offer: Offer, file: Mapping[str, Any]) -> tuple[list[Offer], list[str]]:
    from dataclasses import replace

    content = file.get("content")
    if not isinstance(content, str):
        return [], [f"{offer.name} is no run."]
    data = content.encode("utf-8", "surrogatepass")
    found = seen(data[:HEAD])
    if not found.opens:
        return [], [f"{offer.name} is no run."]
    offer = replace(offer, sealed=found.look is Look.SEALED, what=found.words)
    if file.get("truncated") is not True:
        return [replace(offer, size=len(data), held=data)], []
    if not web.service.owns(offer.address):
        return [], [f"{offer.name} is said to be elsewhere, and was not fetched."]
    return [offer], []


def _post(tree: Mapping[str, Any]) -> Post:
    date = _text(tree, "created_at") or _text(tree, "submitted_at")
    return Post(_login(tree, "user"), date, _text(tree, "html_url"), _text(tree, "body", 2**22))


def _login(tree: Mapping[str, Any], key: str) -> str:
    person = tree.get(key)
    return (_text(person, "login") if isinstance(person, dict) else "") or "somebody"


def _text(tree: Mapping[str, Any], key: str, longest: int = _LONGEST) -> str:
    value = tree.get(key)
    return value[:longest] if isinstance(value, str) else ""


def _mappings(files: object) -> Iterator[Mapping[str, Any]]:
    if isinstance(files, dict):
        yield from (file for file in list(files.values())[:300] if isinstance(file, dict))
