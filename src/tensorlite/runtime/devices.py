"""The devices of this process: which there are, and the thread that works for each.

The bytes that live on them are counted in core/accounts.py; where nodes go is passes/place.py.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from queue import SimpleQueue
from threading import RLock, Thread
from typing import TypeAlias

from tensorlite.core.deadlock import attends
from tensorlite.core.device import (
    DeviceName,
    Settings,
    local,
    settings,
)
from tensorlite.core.xp import cpu_count, gpu_count, xp_for

__all__ = [
    "Executor",
    "Settings",
    "Work",
    "executor",
    "logical_devices",
    "physical_devices",
    "release",
    "settings",
]

Work: TypeAlias = Callable[[], object]


class Executor:
    """Runs what is submitted on a device's own thread, one after the other.

    The thread starts at first use and is a daemon: a program ends without waiting for it. In a
    process that was forked it starts anew, and has nothing to do.
    """

    def __init__(self, device: DeviceName) -> None:
        self.device = device
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget the thread and what waits for it; what a forked process has of it is dead."""
        self._lock = RLock()
        self._retire()

    def _retire(self) -> None:
        self._inbox = _Inbox()
        self._thread: Thread | None = None

    def submit(self, work: Work) -> None:
        """Run `work` on the device's thread, after all that was submitted before.

        It handles its own errors; one that it does not goes to `threading.excepthook`.
        """
        with self._lock:
            self._inbox.put(work)
            if self._thread is None:
                self._thread = Thread(
                    target=_serve,
                    args=(self._inbox,),
                    name=f"tensorlite {self.device}",
                    daemon=True,
                )
                attends(self._thread, self._inbox.is_busy)
                self._start(self._thread)

    def _start(self, thread: Thread) -> None:
        """Start a thread; without one, or if interrupted meanwhile, the next call makes another."""
        try:
            thread.start()
        except BaseException:
            self._inbox.put(None)
            self._retire()
            raise

    def close(self) -> None:
        """Let the thread end, after what is submitted; returns when it has.

        What is submitted later starts another thread.
        """
        with self._lock:
            thread = self._thread
            self._inbox.put(None)
            self._retire()
        if thread is not None and thread is not threading.current_thread():
            thread.join()


class _Inbox:
    """What a thread was asked to do."""

    def __init__(self) -> None:
        self.waiting: SimpleQueue[Work | None] = SimpleQueue()
        self.asked = 0
        self.done = 0

    def put(self, work: Work | None) -> None:
        """Ask for `work`; one thread does at a time."""
        self.asked += 1
        self.waiting.put(work)

    def is_busy(self) -> bool:
        """Return whether the thread has something to do."""
        return self.asked != self.done


def _serve(inbox: _Inbox) -> None:
    while True:
        work = inbox.waiting.get()
        if work is None:
            return
        try:
            work()
        except BaseException as error:  # noqa: BLE001  the thread outlives whatever it runs
            _tell(error)
        del work  # nothing lives on because the thread has run it
        inbox.done += 1


def _tell(error: BaseException) -> None:
    """Show an error that nobody handled, as threads do."""
    thread = threading.current_thread()
    given = (type(error), error, error.__traceback__, thread)
    try:
        threading.excepthook(threading.ExceptHookArgs(given))
    except Exception:  # noqa: BLE001  a broken hook is told of, and ends nothing
        sys.excepthook(*sys.exc_info())


_executors: dict[DeviceName, Executor] = {}
_lock = RLock()


def executor(device: DeviceName) -> Executor:
    """Return what works for a device of this process; DeviceError when there is none such.

    It is the same one at every call; a device that is taken away later keeps it.
    """
    found = _executors.get(device)
    if found is not None:
        return found
    name = local(device.kind or "CPU", device.index or 0)
    xp_for(name)
    with _lock:
        if not _executors and hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=_after_fork)
        made = _executors.setdefault(name, Executor(name))
        _executors[device] = made
    return made


def release(device: DeviceName) -> None:
    """Let the thread of a device end when it has done what it was given."""
    found = _executors.get(device)
    if found is not None:
        found.close()


def _after_fork() -> None:
    global _lock  # noqa: PLW0603  another thread of the parent may have held it
    _lock = RLock()
    for each in _executors.values():
        each.begin_anew()


def physical_devices() -> list[DeviceName]:
    """Return what the machine has: one CPU, which all its cores are, and the GPUs."""
    return [local("CPU", 0), *_gpus()]


def logical_devices() -> list[DeviceName]:
    """Return the devices that programs may name: CPUs that share one memory, and the GPUs."""
    return [local("CPU", i) for i in range(cpu_count())] + _gpus()


def _gpus() -> list[DeviceName]:
    return [local("GPU", i) for i in range(gpu_count())]
