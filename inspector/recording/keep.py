"""Which runs are kept: all, those that failed, a sample, or any mix of these."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from inspector.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Mapping

_WENT_WELL = "completed"


@runtime_checkable
class Keep(Protocol):
    """Decides about one run, twice: before it starts, and when it is over."""

    def may_keep(self, run_id: str) -> bool:
        """Whether it is worth recording; False only where the end cannot change that."""
        ...

    def keeps(self, header: Mapping[str, Any]) -> bool:
        """Whether the finished run is kept."""
        ...


@dataclass(frozen=True, slots=True)
class Always:
    """Keeps every run."""

    def may_keep(self, run_id: str) -> bool:  # noqa: ARG002 - the id does not matter
        """Say yes."""
        return True

    def keeps(self, header: Mapping[str, Any]) -> bool:  # noqa: ARG002 - the end does not matter
        """Say yes."""
        return True


@dataclass(frozen=True, slots=True)
class OnFailure:
    """Keeps runs that did not complete: failed, canceled, paused at a breakpoint."""

    def may_keep(self, run_id: str) -> bool:  # noqa: ARG002 - nobody knows yet
        """Say yes, for it may fail."""
        return True

    def keeps(self, header: Mapping[str, Any]) -> bool:
        """Whether it ended other than well."""
        return header.get("status") != _WENT_WELL


@dataclass(frozen=True, slots=True)
class Sampled:
    """Keeps a share of all runs, chosen by their ids: everybody who asks gets the same answer.

    Args:
        share: From 0 to 1.

    """

    share: float

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise RecordingError(
                f"Cannot keep a share of {self.share} of all runs.",
                hint="Give a share from 0 to 1, such as 0.1 for every tenth run.",
            )

    def may_keep(self, run_id: str) -> bool:
        """Whether the run is in the sample."""
        drawn = int.from_bytes(sha256(run_id.encode()).digest()[:8]) / 2**64
        return drawn < self.share

    def keeps(self, header: Mapping[str, Any]) -> bool:
        """Whether the run is in the sample."""
        return self.may_keep(str(header.get("id", "")))


@dataclass(frozen=True, slots=True)
class AnyOf:
    """Keeps what any of several policies keeps: each failure, say, and a tenth of the rest."""

    policies: tuple[Keep, ...]

    def may_keep(self, run_id: str) -> bool:
        """Whether one of them may."""
        return any(policy.may_keep(run_id) for policy in self.policies)

    def keeps(self, header: Mapping[str, Any]) -> bool:
        """Whether one of them does."""
        return any(policy.keeps(header) for policy in self.policies)


def keep_policy(wanted: str | float | Keep | tuple[str | float | Keep, ...]) -> Keep:
    """Return the policy for what a person wrote: `"always"`, `"on_failure"`, `0.1`, or several.

    Raises:
        RecordingError: It is none of these.

    """
    if isinstance(wanted, Keep):
        return wanted
    if isinstance(wanted, tuple) and wanted:
        return AnyOf(tuple(keep_policy(one) for one in wanted))
    if wanted == "always":
        return Always()
    if wanted == "on_failure":
        return OnFailure()
    if isinstance(wanted, (int, float)) and not isinstance(wanted, bool):
        return Sampled(float(wanted))
    raise RecordingError(
        f"Cannot keep runs by {wanted!r}.",
        hint='Use "always", "on_failure", a share such as 0.1, or a tuple of these.',
    )
