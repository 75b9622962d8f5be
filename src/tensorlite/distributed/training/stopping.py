"""Signals that ask a program to end, taken as a wish that is met when a step is done."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def asked_to_stop(stop: Callable[[str], object]) -> Iterator[None]:
    """Call `stop` with the signal's name when SIGTERM or SIGINT (Ctrl-C) comes, inside the block.

    When one comes for the second time, what would have happened without this does. Only the main
    thread is sent signals; in others nothing changes.

    >>> import os, signal
    >>> from tensorlite.distributed.training.stopping import asked_to_stop
    >>> with asked_to_stop(print):
    ...     os.kill(os.getpid(), signal.SIGTERM)
    SIGTERM
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before: dict[int, Any] = {number: signal.getsignal(number) for number in SIGNALS}

    def handle(number: int, _: FrameType | None) -> None:
        signal.signal(number, before[number])
        stop(signal.Signals(number).name)

    ours = [number for number in SIGNALS if before[number] is not None]
    for number in ours:
        signal.signal(number, handle)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, before[number])
