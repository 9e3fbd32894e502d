"""List the runs in a GitHub issue, pull request, comment or gist, and keep those you choose.

Nothing is fetched but what the link names, from GitHub's own hosts, and nothing is run.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE, FOUND
from inspector.cli.output import note, to_json, write_json, write_line
from inspector.errors import InspectorError
from inspector.presentation.offered import offer_facts, offer_title

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from inspector.sources.offers import Listing, Offer
    from inspector.sources.web import Web

_READ_ONLY = 0o400
BASE_URL = "RUN_INSPECTOR_GITHUB"


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("url", help="of an issue, a pull request, a comment, a gist, a file")
    parser.add_argument(
        "-o", "--output", metavar="DIR", help="a folder for the runs; otherwise they are listed"
    )
    parser.add_argument("--list", action="store_true", help="only list them")
    parser.add_argument(
        "--pick", action="append", default=[], type=int, metavar="N",
        help="the number of a run in the list; otherwise all are kept",
    )  # fmt: skip
    parser.add_argument(
        "--token-from", default="env", metavar="PLACE",
        help="env (GITHUB_TOKEN, GH_TOKEN, or GITHUB_ENTERPRISE_TOKEN with --base-url),"
        " env:NAME, keyring, prompt or none",
    )  # fmt: skip
    parser.add_argument(
        "--base-url", metavar="ADDRESS",
        help=f"of a GitHub Enterprise, such as https://github.example.com (default: {BASE_URL})",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """List or keep the runs that a link leads to. 1: there are none.

    Raises:
        InspectorError: It cannot be had, or not be written.

    """
    from inspector.sources.github import runs_at
    from inspector.sources.service import service_at
    from inspector.sources.tokens import token_from
    from inspector.sources.web import Web

    service = service_at(args.base_url or os.environ.get(BASE_URL))
    link = service.link(args.url)
    folder = None if args.list or args.output is None else _folder(args.output)
    web = Web(service, token_from(args.token_from, service))
    listing = runs_at(web, link)
    chosen = _chosen(listing, args.pick)
    kept = {} if folder is None else {place: _keep(web, chosen[place], folder) for place in chosen}
    if args.json:
        write_json([to_json(_tree(listing, kept))])
    else:
        _tell(listing, kept)
    for words in listing.notes:
        note(f"note: {words}")
    return FINE if listing.offers else FOUND


def _folder(given: str) -> Path:
    folder = Path(given)
    if not given or (folder.exists() and not folder.is_dir()):
        raise InspectorError(f"{given or '-o'} is no folder.", hint="Name a folder with -o.")
    return folder


def _chosen(listing: Listing, picked: list[int]) -> dict[int, Offer]:
    numbered = dict(enumerate(listing.offers, start=1))
    for number in picked:
        if number not in numbered:
            raise InspectorError(
                f"There is no run number {number}.",
                hint=f"There are {len(numbered)}; see --list.",
            )
    return {place: numbered[place] for place in picked} if picked else numbered


def _keep(web: Web, offer: Offer, folder: Path) -> Path:
    """Write a run where nothing is yet, as a file that nobody changes by accident."""
    from inspector.runfile.files import open_new, write_all
    from inspector.sources.offers import file_name

    data = offer.fetch(web)
    name = file_name(offer)
    stem, dot, rest = name.partition(".")
    for number in range(1, 1_000):
        place = folder / (name if number == 1 else f"{stem}-{number}{dot}{rest}")
        try:
            descriptor = open_new(str(place), os.O_WRONLY)
        except FileExistsError:
            continue
        except OSError as error:
            raise InspectorError(f"Cannot write {place}: {error.strerror}.") from error
        try:
            write_all(descriptor, data)
        except OSError as error:
            place.unlink()
            raise InspectorError(f"Cannot write {place}: {error.strerror}.") from error
        finally:
            os.close(descriptor)
        place.chmod(_READ_ONLY)
        return place
    raise InspectorError(f"{folder} is full of files called {name}.")


def _tell(listing: Listing, kept: dict[int, Path]) -> None:
    if kept:
        for place in kept.values():
            write_line(str(place))
        sys.stdout.flush()
        return
    write_line(listing.title)
    for number, offer in enumerate(listing.offers, start=1):
        write_line(f"{number:>3}  {offer_title(offer)}")
        write_line(f"     {offer_facts(offer)}")
    if not listing.offers:
        write_line("There is no run here.")


def _tree(listing: Listing, kept: dict[int, Path]) -> dict[str, Any]:
    return {
        "title": listing.title,
        "runs": [
            {
                "number": number,
                "name": offer.name,
                "how": offer.how,
                "archive": offer.archive or None,
                "author": offer.author,
                "date": offer.date,
                "bytes": offer.size,
                "where": offer.where,
                "format": offer.what or None,
                "sealed": offer.sealed,
                "path": str(kept[number]) if number in kept else None,
            }
            for number, offer in enumerate(listing.offers, start=1)
        ],
        "notes": list(listing.notes),
    }
