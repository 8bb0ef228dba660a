"""A worker for archives that stalls or dies at files of certain names."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from eegcore.archive import Wanted
from eegcore.archive import set_up as real_set_up


def set_up(wanted: Wanted) -> Callable[[bytes], bytes]:
    work = real_set_up(wanted)

    def fail_at_some(payload: bytes) -> bytes:
        name = Path(os.fsdecode(payload))
        if "stalls" in name.name:
            time.sleep(600)
        if "dies" in name.name:
            os.kill(os.getpid(), signal.SIGKILL)
        tried = name.with_suffix(".tried")
        if "once" in name.name and not tried.exists():
            tried.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return work(payload)

    return fail_at_some
