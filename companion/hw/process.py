"""What a process keeps from everybody else on its machine: its memory.

A service that knows a secret length must not leave it in a core dump, and nobody who happens to run under the same
account may read it from `/proc` or with a debugger. Both are one word to the kernel, said before anything is read.
"""

from __future__ import annotations

import ctypes
import os
import resource

_PR_SET_DUMPABLE = 4


def close_memory() -> None:
    """No core dump of this process, and no look into it from outside, from here on.

    Raises:
        OSError: The kernel refuses; then the service must not start.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
