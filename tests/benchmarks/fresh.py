"""What importing costs, measured in fresh interpreters.

The processor's time counts: an import is too long for a sample that nothing disturbs. NumPy's
threads, which spin for a while after they start, are kept out of it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from tempfile import TemporaryDirectory

REPEAT = 7
PROGRAM = """
import time, sys
import {first}
before, start = set(sys.modules), time.process_time()
import {then}
print(1000 * (time.process_time() - start), len(set(sys.modules) - before))
"""


def importing(first: str, then: str) -> tuple[float, int]:
    """Return the least milliseconds that importing `then` after `first` takes, and its modules."""
    program = PROGRAM.format(first=first, then=then)
    with TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "PYTHONPYCACHEPREFIX": folder,
            "OPENBLAS_NUM_THREADS": "1",
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        return min([run(program, environment) for _ in range(REPEAT)])


def run(program: str, environment: dict[str, str]) -> tuple[float, int]:
    """Return the two numbers that a program prints."""
    command = [sys.executable, "-c", program]
    ran = subprocess.run(
        command, env=environment, capture_output=True, text=True, check=True
    )
    took, count = ran.stdout.split()
    return float(took), int(count)
