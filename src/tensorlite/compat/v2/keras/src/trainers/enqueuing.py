"""Enqueuers: batches that threads make ahead, in order, of a Sequence or a generator.

Processes of their own, which Keras has for use_multiprocessing, are threads here.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import Empty, Full, Queue
from threading import Event, Lock, Thread
from typing import Any

__all__ = ["GeneratorEnqueuer", "OrderedEnqueuer", "SequenceEnqueuer"]

_LOOK = 0.05
"""After how many seconds a wait looks whether all has been stopped."""
_END = object()


class SequenceEnqueuer(ABC):
    """Batches that are made before they are asked for, from `start` to `stop`."""

    def __init__(self, sequence: Any, use_multiprocessing: bool = False) -> None:
        self.sequence, self.use_multiprocessing = sequence, use_multiprocessing
        self.workers = 0
        self.queue: Queue[Any] | None = None
        self.stop_signal: Event | None = None
        self.run_thread: Thread | None = None

    def is_running(self) -> bool:
        """Return whether batches are being made."""
        return self.stop_signal is not None and not self.stop_signal.is_set()

    def start(self, workers: int = 1, max_queue_size: int = 10) -> None:
        """Begin to make batches, at most so many ahead, by so many threads."""
        self.workers = workers
        self.queue, self.stop_signal = Queue(max_queue_size), Event()
        self.run_thread = Thread(target=self._run, daemon=True)
        self.run_thread.start()

    def stop(self, timeout: float | None = None) -> None:
        """Make no more batches, and forget those that nobody asked for."""
        if self.stop_signal is None or self.run_thread is None:
            return
        self.stop_signal.set()
        self.run_thread.join(timeout)

    def get(self) -> Iterator[Any]:
        """Yield batches as long as they are made; an error of one is raised."""
        while self.is_running():
            found = self._next()
            if found is _END:
                return
            if found.exception() is not None or found.result() is _END:
                self.stop()
            batch = found.result()
            if batch is _END:
                return
            if batch is not None:
                yield batch

    def _next(self) -> Any:
        """Return what was put first, once it is there; the end where all has been stopped."""
        assert self.queue is not None
        while self.is_running():
            with suppress(Empty):
                return self.queue.get(timeout=_LOOK)
        return _END

    def _put(self, made: Future[Any]) -> bool:
        """Put a batch in the making, when there is room; return whether that came to pass."""
        assert self.queue is not None
        while self.is_running():
            with suppress(Full):
                self.queue.put(made, timeout=_LOOK)
                return True
        return False

    @abstractmethod
    def _run(self) -> None:
        """Make batches until all is stopped."""


class OrderedEnqueuer(SequenceEnqueuer):
    """The batches of a Sequence, epoch after epoch, in order whichever thread makes them."""

    def __init__(
        self, sequence: Any, use_multiprocessing: bool = False, shuffle: bool = False
    ) -> None:
        super().__init__(sequence, use_multiprocessing)
        self.shuffle = shuffle

    def _run(self) -> None:
        order = list(range(len(self.sequence)))
        with ThreadPoolExecutor(max(self.workers, 1)) as pool:
            while self.is_running():
                if self.shuffle:
                    random.shuffle(order)
                made: list[Future[Any]] = []
                for i in order:
                    made.append(pool.submit(self.sequence.__getitem__, i))
                    if not self._put(made[-1]):
                        pool.shutdown(wait=False, cancel_futures=True)
                        return
                for one in made:
                    one.exception()  # the epoch is over when all of it is made
                self.sequence.on_epoch_end()


class GeneratorEnqueuer(SequenceEnqueuer):
    """What a generator yields, in order, to its end."""

    def __init__(
        self,
        sequence: Any,
        use_multiprocessing: bool = False,
        random_seed: int | None = None,
    ) -> None:
        super().__init__(sequence, use_multiprocessing)
        self.random_seed = random_seed
        self._lock = Lock()

    def _run(self) -> None:
        is_open = True
        while is_open:
            made: Future[Any] = Future()
            try:
                made.set_result(self._following())
            except Exception as error:  # noqa: BLE001  whoever asks for the batch is told
                made.set_exception(error)
            is_open = self._put(made) and made.exception() is None
            is_open = is_open and made.result() is not _END

    def _following(self) -> Any:
        with self._lock:
            return next(self.sequence, _END)
