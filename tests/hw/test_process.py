"""A service that knows a secret leaves no core dump, and nobody under its account looks into its memory."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys

import pytest

from companion.hw import process

DYING = """
import ctypes, os, resource
from companion.hw.process import close_memory
close_memory()
print(resource.getrlimit(resource.RLIMIT_CORE), ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), flush=True)
os.abort()
"""


def test_closed_process_dies_without_a_core() -> None:
    """Neither the limit nor the kernel's own flag lets one be written."""
    died = subprocess.run([sys.executable, "-c", DYING], capture_output=True, text=True, check=False)
    limit, dumpable = died.stdout.rsplit(" ", 1)

    assert (-6, "(0, 0)", "0") == (died.returncode, limit, dumpable.strip())


def test_kernel_that_refuses_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """A service that would leave its memory open must not start."""

    class Refusing:
        def prctl(self, *_args: int) -> int:
            ctypes.set_errno(1)
            return -1

    monkeypatch.setattr(process.resource, "setrlimit", lambda *_args: None)
    monkeypatch.setattr(process.ctypes, "CDLL", lambda *_args, **_more: Refusing())
    with pytest.raises(OSError, match=os.strerror(1)):
        process.close_memory()
