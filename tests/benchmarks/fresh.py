"""What importing costs, measured in fresh interpreters."""

from __future__ import annotations

import subprocess
import sys

REPEAT = 7
PROGRAM = """
import time, sys
import {first}
before, start = set(sys.modules), time.perf_counter()
import {then}
print(1000 * (time.perf_counter() - start), len(set(sys.modules) - before))
"""


def importing(first: str, then: str) -> tuple[float, int]:
    """Return the least milliseconds that importing `then` after `first` takes, and its modules."""
    program = PROGRAM.format(first=first, then=then)
    found = []
    for _ in range(REPEAT):
        ran = subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True
        )
        took, count = ran.stdout.split()
        found.append((float(took), int(count)))
    return min(found)
