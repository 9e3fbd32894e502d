"""Numbers, times and states in words, the same wherever they are shown."""

from datetime import UTC, datetime, timedelta, timezone
from decimal import ROUND_HALF_EVEN, Decimal

from inspector.presentation.visible import one_line, visible_text

__all__ = [
    "THIN",
    "UNKNOWN",
    "byte_words",
    "clock_words",
    "count_words",
    "duration_words",
    "elided",
    "kind_words",
    "money_words",
    "number_words",
    "one_line",
    "percent_words",
    "plural",
    "price_words",
    "sentence",
    "started_words",
    "status_mark",
    "status_words",
    "token_words",
    "visible_text",
    "visit_words",
]

# A thin space that no line breaks at, between a number and its unit and between thousands.
THIN = "\u202f"
UNKNOWN = "–"

_US = 1_000
_MS = 1_000_000
_S = 1_000_000_000
_MINUTE_S = 60
_HOUR_S = 3_600
_DAY_S = 86_400

_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥"}
_BYTE_UNITS = ("kB", "MB", "GB", "TB", "PB")

_STATUS_WORDS = {
    "ok": "completed",
    "completed": "completed",
    "failed": "failed",
    "canceled": "canceled",
    "unfinished": "unfinished",
    "running": "running",
    "paused": "paused",
    "incomplete": "incomplete",
}
_STATUS_MARKS = {
    "failed": "✕",
    "canceled": "⊘",
    "unfinished": "◌",
    "incomplete": "◌",
    "running": "●",
    "paused": "❙❙",
}
_KIND_WORDS = {
    "pipeline": "Pipeline",
    "component": "Component",
    "agent": "Agent",
    "step": "Agent step",
    "llm": "LLM call",
    "tool": "Tool call",
    "hook": "Hook",
    "other": "Inner call",
}


def number_words(number: int) -> str:
    """Return a whole number with its thousands set apart: `2 422`."""
    digits = f"{number:,}"
    return digits.replace(",", THIN).replace("-", "−")


def count_words(number: int | None, unit: str) -> str:
    """Return a number with its unit, such as `2 422 tok`; unknown is not zero."""
    return UNKNOWN if number is None else f"{number_words(number)}{THIN}{unit}"


def token_words(tokens: int | None) -> str:
    """Return how many tokens: `2 422 tok`."""
    return count_words(tokens, "tok")


def plural(number: int, one: str, many: str | None = None) -> str:
    """Return `1 span`, `7 spans`; `many` is for words that do not just take an s."""
    word = one if number == 1 else (many or f"{one}s")
    return f"{number_words(number)}{THIN}{word}"


def duration_words(duration_ns: int | None) -> str:
    """Return how long something took, at the precision a person compares with.

    A span that has not ended has no duration, which is not a duration of zero.
    """
    if duration_ns is None:
        return UNKNOWN
    if duration_ns < 0:
        return f"−{duration_words(-duration_ns)}"
    if duration_ns < _US:
        return f"{duration_ns}{THIN}ns"
    # The limits stand where rounding would otherwise write "1000 ms" or "60.0 s".
    if duration_ns < 999_500:
        return f"{_short(duration_ns / _US)}{THIN}µs"
    if duration_ns < 999_500_000:
        return f"{_short(duration_ns / _MS)}{THIN}ms"
    if duration_ns < 59_950_000_000:
        return f"{_seconds(duration_ns / _S)}{THIN}s"
    return _long_duration(duration_ns)


def _short(amount: float) -> str:
    return f"{amount:.1f}" if amount < 9.95 else f"{amount:.0f}"


def _seconds(amount: float) -> str:
    return f"{amount:.2f}" if amount < 9.995 else f"{amount:.1f}"


def _long_duration(duration_ns: int) -> str:
    whole_s = (duration_ns + _S // 2) // _S
    days, rest_s = divmod(whole_s, _DAY_S)
    hours, rest_s = divmod(rest_s, _HOUR_S)
    minutes, seconds = divmod(rest_s, _MINUTE_S)
    if days:
        return _pair(number_words(days), "d", hours, "h")
    if hours:
        return _pair(str(hours), "h", minutes, "min")
    return _pair(str(minutes), "min", seconds, "s")


def _pair(first: str, first_unit: str, second: int, second_unit: str) -> str:
    return f"{first}{THIN}{first_unit} {second}{THIN}{second_unit}"


def money_words(
    amount: Decimal | float | None,
    currency: str = "USD",
    *,
    estimate: bool = True,
    at_least: bool = False,
) -> str:
    """Return an amount of money, said to be an estimate unless it is not one.

    Args:
        amount: `None` when no price is known, which is not free.
        currency: An ISO 4217 code.
        estimate: Whether to mark the amount with `≈`.
        at_least: Whether parts of the sum have no price, marked with `≥`.

    """
    if amount is None:
        return "no price"
    exact = amount if isinstance(amount, Decimal) else Decimal(repr(amount))
    sign = "−" if exact < 0 else ""
    symbol = _SYMBOLS.get(currency)
    digits = _money_digits(abs(exact))
    written = f"{symbol}{digits}" if symbol else f"{digits}{THIN}{currency}"
    mark = "≥ " if at_least else "≈ " if estimate else ""
    return f"{mark}{sign}{written}"


def price_words(price: Decimal, currency: str = "USD") -> str:
    """Return a price as it is listed, to its last digit: `$0.0125`."""
    digits = f"{price:f}"
    digits = digits.rstrip("0").rstrip(".") if "." in digits else digits
    symbol = _SYMBOLS.get(currency)
    return f"{symbol}{digits}" if symbol else f"{digits}{THIN}{currency}"


def _money_digits(amount: Decimal) -> str:
    """Two significant digits below a cent's neighbourhood, cents above it."""
    if not amount.is_finite():
        return UNKNOWN
    if amount == 0:
        return "0.00"
    places = 2 if amount >= 1 else max(2, 1 - amount.adjusted())
    rounded = amount.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)
    return f"{rounded:,f}".replace(",", THIN)


def byte_words(size: int | None) -> str:
    """Return a size in decimal units: `412 B`, `1.2 kB`, `38 MB`."""
    if size is None:
        return UNKNOWN
    if size < 1_000:
        return f"{size}{THIN}B"
    amount = float(size)
    unit = _BYTE_UNITS[-1]
    for unit in _BYTE_UNITS:  # noqa: B007 - the unit reached is the result
        amount /= 1_000
        if amount < 999.5:
            break
    return f"{_short(amount)}{THIN}{unit}"


def percent_words(part: float, whole: float) -> str:
    """Return a share as `38 %`; a share of nothing is unknown.

    What is little but there is `<1 %`, and what is nearly all is never `100 %`.
    """
    if whole <= 0:
        return UNKNOWN
    share = 100 * part / whole
    if 0 < share < 1:
        return f"<1{THIN}%"
    if 99 < share < 100:
        return f">99{THIN}%"
    return f"{share:.0f}{THIN}%"


def started_words(started_at: str | None, utc_offset_s: int | None = None) -> str:
    """Return when a run started, on the clock of the machine that recorded it."""
    moment = _moment(started_at, utc_offset_s)
    return UNKNOWN if moment is None else moment.strftime("%Y-%m-%d %H:%M:%S")


def clock_words(started_at: str | None, utc_offset_s: int | None = None, at_ns: int = 0) -> str:
    """Return the time of day of a moment of the run, `at_ns` after its start."""
    moment = _moment(started_at, utc_offset_s)
    if moment is None:
        return UNKNOWN
    try:
        return (moment + timedelta(microseconds=at_ns // _US)).strftime("%H:%M:%S")
    except OverflowError:
        return UNKNOWN


def _moment(started_at: str | None, utc_offset_s: int | None) -> datetime | None:
    if started_at is None:
        return None
    try:
        moment = datetime.fromisoformat(started_at)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        if utc_offset_s is not None:
            moment = moment.astimezone(timezone(timedelta(seconds=utc_offset_s)))
    except (ValueError, OverflowError, TypeError):
        return None
    return moment


def status_words(status: str) -> str:
    """Return how something ended, in one word."""
    return _STATUS_WORDS.get(status, status)


def status_mark(status: str) -> str:
    """Return the sign that stands beside a state, since colour never speaks alone."""
    return _STATUS_MARKS.get(status, "")


def kind_words(kind: str) -> str:
    """Return what sort of operation a span is, in words."""
    return _KIND_WORDS.get(kind, kind)


def visit_words(visit: int, total: int) -> str:
    """Return `visit 3 of 5`, or nothing where there is only one."""
    return f"visit {number_words(visit)} of {number_words(total)}" if total > 1 else ""


def elided(text: str, length: int) -> str:
    """Shorten `text` to `length` characters by leaving out its middle."""
    if len(text) <= length:
        return text
    if length <= 1:
        return "…"[:length]
    head = length // 2
    tail = length - 1 - head
    return f"{text[:head]}…{text[len(text) - tail :]}"


def sentence(parts: list[str], separator: str = " · ") -> str:
    """Join what is known, leaving out what is empty."""
    return separator.join(part for part in parts if part)
