"""`python -m tensorlite`: what is typed there traces its control flow."""

from __future__ import annotations

import linecache
import os
import pty
import subprocess
import sys
import time
from typing import Any

import tensorlite as tl
from tensorlite.__main__ import Prompt, banner, keep

SOURCE = """@tl.function
def collatz(n):
    steps = 0
    while n != 1:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    return steps

print("steps", int(collatz(tl.asarray(27))))
double = tl.function(lambda x: x * 2 if x > 0 else x)
print("double", float(double(tl.asarray(4.0))))
"""


def test_functions_typed_through_a_pipe_trace_control_flow() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tensorlite"],
        input=SOURCE,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert "steps 111" in done.stdout
    assert "double 8.0" in done.stdout
    assert done.stderr.startswith(banner())


def test_a_terminal_gets_a_prompt() -> None:
    leader, follower = pty.openpty()
    child = subprocess.Popen(
        [sys.executable, "-m", "tensorlite"],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "TERM": "dumb"},
    )
    os.close(follower)
    os.write(leader, b"print('sum', float(tl.sum(np.ones(3))))\nexit()\n")
    seen, end = b"", time.monotonic() + 60
    while b"sum 3.0" not in seen and time.monotonic() < end:
        seen += os.read(leader, 4096)
    os.write(leader, b"\n")
    child.wait(60)
    os.close(leader)
    assert b"tl and np are imported" in seen
    assert b"sum 3.0" in seen


def test_an_error_at_the_prompt_shows_the_typed_line(capsys: Any) -> None:
    prompt = Prompt({"tl": tl})
    prompt.push("def f(x):")
    prompt.push("    while x > 0:")
    prompt.push("        x = tl.reshape(x, (7, 7))")
    prompt.push("    return x")
    prompt.push("")
    prompt.push("tl.function(f)(tl.asarray(3.0))")
    shown = capsys.readouterr().err
    assert "x = tl.reshape(x, (7, 7))" in shown
    assert "ShapeError" in shown


def test_kept_sources_end_with_a_line_end() -> None:
    keep("x = 1", "<kept>")
    assert linecache.getlines("<kept>") == ["x = 1\n"]
