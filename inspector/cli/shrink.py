"""Cut a run to the smallest part that still shows what you choose, for a report or a test.

What is left still replays STRICT on your pipeline, or on stubs where the run is a stranger's.
FILE is not changed. Ctrl+C ends it with the smallest that was found until then.
"""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.cli.exit_codes import FINE, FOUND, INTERRUPTED
from inspector.cli.output import (
    STDIN,
    add_run_choice,
    note,
    note_problems,
    opened,
    place_to_write,
    shown_file,
    to_json,
    write_json,
    write_line,
)
from inspector.errors import InspectorError
from inspector.export.shrink import MOST_S, MOST_TRIES, Progress, Shrunk, shrink
from inspector.export.shrink_keep import (
    FINDING,
    Keep,
    choices,
    keep_by_default,
    keep_divergence,
    keep_finding,
    keep_named,
)
from inspector.presentation.words import byte_words

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from inspector.replay.trials import Trials
    from inspector.runfile.model import PipelineRun

_ENDED = {
    "tries": "It ended after {tries:,} tries: there may be more to cut (--max-tries).",
    "time": "It ended after {seconds:g} seconds: there may be more to cut (--max-seconds).",
    "interrupted": "It was interrupted: there may be more to cut.",
}
_KIND_WORDS = {
    "items": ("item of a list", "items of lists"),
    "meta": ("entry of meta", "entries of meta"),
    "parts of texts": ("part of a text", "parts of texts"),
    "turns": ("turn of a loop", "turns of loops"),
}


def add_arguments(parser: ArgumentParser) -> None:
    """Describe what the command takes."""
    parser.add_argument("file", help="a run file; - is standard input")
    add_run_choice(parser)
    parser.add_argument("-o", "--output", metavar="OUT", help="the run file to write")
    parser.add_argument(
        "--list", action="store_true", help="say what can be kept of this run; nothing is cut"
    )
    parser.add_argument(
        "--keep", action="append", default=[], metavar="WHAT",
        help="what is still to be seen, as --list names it: failure, answer, or a decision such as"
        " tool/PATH; may be said again. The failure unless given, or else the answer",
    )  # fmt: skip
    parser.add_argument(
        "--finding", action="append", default=[], metavar="RULE",
        help="keep what this rule finds; alone it needs no replay",
    )  # fmt: skip
    parser.add_argument(
        "--against", metavar="OTHER", help="keep the first decision that differs from this run"
    )
    target = parser.add_mutually_exclusive_group()
    target.add_argument(
        "--pipeline", metavar="TARGET",
        help="what it is to replay on: package.module:attribute, or a pipeline YAML",
    )  # fmt: skip
    target.add_argument(
        "--stub", action="store_true",
        help="for a run of a stranger: replay it on stubs, in a process that reaches nothing;"
        " components that nothing depends on are cut out, too",
    )  # fmt: skip
    parser.add_argument(
        "--async", action="store_true", dest="asynchronous", help="call run_async, not run"
    )
    parser.add_argument(
        "--max-tries", type=_count, default=MOST_TRIES, metavar="N",
        help=f"try at most so many cuts ({MOST_TRIES:,})",
    )  # fmt: skip
    parser.add_argument(
        "--max-seconds", type=_seconds, default=MOST_S, metavar="S",
        help=f"take at most so long ({MOST_S:g})",
    )  # fmt: skip
    parser.add_argument("--json", action="store_true", help="for programs")


def run(args: Namespace) -> int:
    """Cut one run. 1: there may be more to cut. 2: it could not be done.

    Raises:
        InspectorError: It does not replay as it is, or does not show what is to be kept.

    """
    if args.list:
        return _list(args)
    if not args.output:
        raise InspectorError("Say with -o where the cut run is to be written.")
    place = place_to_write(Path(args.output))
    loaded = opened(args.file, args.number)
    if args.file != STDIN and place.exists() and place.samefile(args.file):
        raise InspectorError(
            f"{place.name} is the run itself and would be overwritten.",
            hint="Name another place with -o.",
        )
    note_problems(loaded)
    keeps = _keeps(args, loaded)
    only_findings = all(keep.name.startswith(f"{FINDING}/") for keep in keeps)
    if not (args.pipeline or args.stub or only_findings):
        raise InspectorError(
            "What is left is replayed, which needs the pipeline that was recorded.",
            hint="Name it with --pipeline package.module:attribute; --stub does without.",
        )
    told = _told()
    try:
        with _trials(args, loaded) as trials:
            found = shrink(
                loaded, keeps, trials, most_tries=args.max_tries, most_s=args.max_seconds,
                progress=told,
            )  # fmt: skip
    finally:
        told(None)
    found.run.save(place)
    _tell(args, keeps, found, place)
    if found.ended == "interrupted":
        return INTERRUPTED
    return FINE if found.is_smallest else FOUND


def _list(args: Namespace) -> int:
    there = choices(opened(args.file, args.number))
    if args.json:
        write_json([to_json({"choices": [choice._asdict() for choice in there]}, indent=2)])
        return FINE
    width = max((len(choice.name) for choice in there), default=0)
    for choice in there:
        write_line(f"{choice.name:<{width}}  {choice.words}")
    if not there:
        note(f"{shown_file(args.file)} shows nothing that could be kept.")
    return FINE


def _keeps(args: Namespace, loaded: PipelineRun) -> list[Keep]:
    keeps = [keep_named(loaded, name) for name in args.keep]
    keeps += [keep_finding(loaded, rule) for rule in args.finding]
    if args.against:
        keeps.append(keep_divergence(loaded, opened(args.against)))
    return keeps or [keep_by_default(loaded)]


def _trials(
    args: Namespace, loaded: PipelineRun
) -> AbstractContextManager[Trials] | nullcontext[None]:
    if not (args.pipeline or args.stub):
        return nullcontext()
    from inspector.cli.replay import need_haystack
    from inspector.replay.trials import Trials

    need_haystack()
    if args.stub:
        from inspector.replay.stub_plan import plan_stub

        note(f"run-inspector: To replay {loaded.name or 'this run'}, this is built:")
        for line in plan_stub(loaded).lines():
            note(f"  {line}")
    return Trials(args.pipeline or "", asynchronous=args.asynchronous)


def _told() -> Callable[[Progress | None], None]:
    """Return what shows how far it is, on a terminal; None is the end of it."""
    if not sys.stderr.isatty():
        return lambda _progress: None

    def tell(progress: Progress | None) -> None:
        line = "" if progress is None else (
            f"{byte_words(progress.size)} left after {progress.tries:,} tries"
            f" ({progress.kind})"
        )  # fmt: skip
        sys.stderr.write(f"\r\x1b[K{line}")
        sys.stderr.flush()

    return tell


def _tell(args: Namespace, keeps: list[Keep], found: Shrunk, place: Path) -> None:
    if args.json:
        write_json([to_json(_tree(args, keeps, found, place), indent=2)])
        return
    before, after = byte_words(found.size_before), byte_words(len(found.data))
    if not found.cut:
        write_line(f"{place}: {after}. Nothing could be cut out.")
    else:
        write_line(f"{place}: {after}, from {before}, after {found.tries:,} tries")
        cut = ", ".join(_counted(count, kind) for kind, count in found.cut.items())
        write_line(f"cut out: {cut}")
    for keep in keeps:
        moved = found.places.get(keep.name)
        write_line(f"kept: {keep.name}{f', at {moved} now' if moved else ''}: {keep.words}")
    if words := _ENDED.get(found.ended):
        note(words.format(tries=args.max_tries, seconds=args.max_seconds))


def _counted(count: int, kind: str) -> str:
    one, many = _KIND_WORDS.get(kind, (kind.removesuffix("s"), kind))
    return f"{count:,} {one if count == 1 else many}"


def _tree(args: Namespace, keeps: list[Keep], found: Shrunk, place: Path) -> dict[str, Any]:
    return {
        "recording": args.file,
        "run": found.run.id,
        "output": str(place),
        "bytes": len(found.data),
        "bytes_before": found.size_before,
        "kept": [
            {"name": keep.name, "words": keep.words, "moved_to": found.places.get(keep.name)}
            for keep in keeps
        ],
        "cut": dict(found.cut),
        "tries": found.tries,
        "ended": found.ended,
        "replayed": bool(args.pipeline or args.stub),
    }


def _count(words: str) -> int:
    from argparse import ArgumentTypeError

    if not words.isdecimal():
        raise ArgumentTypeError(f"{words!r} is no number of tries")
    return int(words)


def _seconds(words: str) -> float:
    from argparse import ArgumentTypeError

    try:
        seconds = float(words)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < float("inf"):
        raise ArgumentTypeError(f"{words!r} is no time in seconds")
    return seconds
