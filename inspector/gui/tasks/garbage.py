"""Has Python look for garbage on the GUI thread only.

The collector runs on whichever thread happens to make an object, and frees what it finds
there. A closed widget that stands in a cycle would then be destroyed on a worker thread,
which ends the process. So nobody collects of his own accord while workers run: the GUI
thread does it now and then.
"""

import gc

_holders = 0
_by_itself = True  # whether Python collected before the first `hold`


def hold() -> None:
    """Stop collecting by itself, because a worker thread is about to run. GUI thread only."""
    global _holders, _by_itself
    if _holders == 0:
        _by_itself = gc.isenabled()
    _holders += 1
    gc.disable()


def release() -> None:
    """Undo one `hold`; the last one leaves it as it was before the first. GUI thread only."""
    global _holders
    _holders -= 1
    if _holders == 0:
        # What has come together would be collected by whoever makes the next object.
        gc.collect(1)
        if _by_itself:
            gc.enable()


def sweep() -> None:
    """Collect what Python would have collected by now. GUI thread only."""
    gc.disable()  # whoever loaded a run meanwhile turned it on again behind himself
    counts, thresholds = gc.get_count(), gc.get_threshold()
    for generation in (1, 0):
        if counts[generation] > thresholds[generation]:
            gc.collect(generation)
            return
