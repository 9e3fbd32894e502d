"""Recording Haystack runs, inside the user's own program.

`inspector.recording` is two things at once: this package, and the function that people
call, `with inspector.recording() as recorder:`. So the package can be called.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inspector.recording.recorder import PipelineRecorder


class _CallablePackage(ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> PipelineRecorder:
        from inspector.recording.api import recording

        return recording(*args, **kwargs)


sys.modules[__name__].__class__ = _CallablePackage
