"""tf.train.CheckpointManager, and what waits for new checkpoints of a folder.

What is saved and how it is restored stands in checkpoints.py.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tensorlite.compat.v2.checkpoint_trees import is_of_graph
from tensorlite.core.check import a_path, whole
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.sessions import chosen_session
from tensorlite.interop.tensorflow.stored import checkpoints as stored, states


class CheckpointManager:
    """Saves checkpoints one after the other, and removes old ones.

    What a manager has saved is managed by later ones of the folder too, but for what is kept for
    good: every so many hours one. What others saved there is left alone.
    """

    def __init__(
        self,
        checkpoint: Any,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Any = None,
        last_checkpoint_step: int | None = None,
    ) -> None:
        if max_to_keep is not None:
            whole(max_to_keep, "CheckpointManager: max_to_keep", least=1)
        if checkpoint_interval is not None and step_counter is None:
            raise InvalidArgumentError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self.checkpoint = checkpoint
        self.directory = a_path(directory, "CheckpointManager: directory")
        self._most = max_to_keep
        self._prefix = os.path.join(self.directory, checkpoint_name)  # noqa: PTH118  as given
        self._counter, self._every = step_counter, checkpoint_interval
        self._init, self._hours = init_fn, keep_checkpoint_every_n_hours
        self._last_step = last_checkpoint_step or None
        self._latest: str | None = None
        self._times: dict[str, float] = {}
        """When each managed checkpoint was saved, oldest first."""
        # A bit earlier than now, so that what is saved at once is managed by a next manager.
        self._preserved = time.time() - 1
        self._take_up(states.get_checkpoint_state(self.directory))

    def _take_up(self, state: states.CheckpointState | None) -> None:
        """Go on from what the folder's file says."""
        if state is None:
            return
        now, self._preserved = time.time(), state.last_preserved_timestamp
        self._latest = state.model_checkpoint_path
        if now < self._preserved:
            warnings.warn(
                f"time.time() returned a value {self._preserved - now:f} seconds behind the last "
                "preserved checkpoint timestamp; what is there is kept",
                stacklevel=3,
            )
            self._preserved = now
        paths = state.all_model_checkpoint_paths
        times = state.all_model_checkpoint_timestamps or [self._preserved] * len(
            paths
        )
        for path, moment in zip(paths, times, strict=False):
            if min(moment, now) > self._preserved:
                self._times[path] = min(moment, now)

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the checkpoint that was saved last, or None."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of the checkpoints that are managed, oldest first."""
        return list(self._times)

    @property
    def checkpoint_interval(self) -> int | None:
        """The least number of steps between two saves, or None."""
        return self._every

    def save(
        self,
        checkpoint_number: Any = None,
        check_interval: bool = True,
        options: Any = None,
    ) -> str | None:
        """Save a checkpoint, remove what is too old, and return the new one's path.

        None is returned, and nothing saved, where the step is that of the last save, or, if
        check_interval holds, too few steps have passed since.
        """
        if self._every is not None and not self._is_due(check_interval):
            return None
        counted = self.checkpoint.counted()
        number = counted if checkpoint_number is None else _number(checkpoint_number)
        path = str(self.checkpoint.write(f"{self._prefix}-{number}", options))
        self._times.pop(path, None)
        self._times[path] = time.time()
        self._latest = path
        # Twice: whoever is stopped while files are removed finds the new one.
        self._record()
        self._sweep()
        self._record()
        return path

    def _is_due(self, check_interval: bool) -> bool:
        """Return whether a step is one to save at, and remember that it was."""
        step, last = _number(self._counter), self._last_step
        least = 0 if self._every is None else self._every
        if last is not None and (
            step == last or (check_interval and step < last + least)
        ):
            return False
        self._last_step = step
        return True

    def _record(self) -> None:
        """Write the folder's file."""
        states.update_checkpoint_state(
            self.directory,
            str(self._latest),
            list(self._times),
            all_model_checkpoint_timestamps=list(self._times.values()),
            last_preserved_timestamp=self._preserved,
            save_relative_paths=True,
        )

    def _sweep(self) -> None:
        """Remove checkpoints of which there are too many, but for what is kept for good."""
        while self._most and len(self._times) > self._most:
            oldest = next(iter(self._times))
            moment = self._times.pop(oldest)
            if self._hours and moment - self._hours * 3600 >= self._preserved:
                self._preserved = moment
            else:
                stored.remove(oldest)

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint and return its path.

        If there is none, init_fn is called, where one was given, and None returned.
        """
        if self._latest is not None:
            self.checkpoint.restore(self._latest)
            if self._every is not None:
                self._last_step = _number(self._counter)
            return self._latest
        if self._init is not None:
            self._init()
        return None

    def sync(self) -> None:
        """Do nothing: what was saved or restored is so when the call returns."""


def _number(counter: Any) -> int:
    """Return what counts as a number, which sessions have of graphs' variables."""
    if is_of_graph(counter):
        return int(chosen_session(None, "CheckpointManager.save").run(counter))
    return int(counter)


@dataclass
class CheckpointOptions:
    """What is called when a checkpoint is written: functions of its path, or of nothing.

    The other options are TensorFlow's and change nothing of how files are written here.

    >>> from tensorlite.compat import v2 as tf
    >>> tf.train.CheckpointOptions(experimental_write_callbacks=[print]).enable_async
    False
    """

    experimental_io_device: str | None = None
    experimental_enable_async_checkpoint: bool = False
    experimental_write_callbacks: Any = None
    enable_async: bool = False
    experimental_skip_slot_variables: bool = False
    experimental_sharding_callback: Any = None


def checkpoints_iterator(
    checkpoint_dir: Any,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Any = None,
) -> Iterator[str]:
    """Yield new checkpoints of a folder as they come."""
    last: str | None = None
    while True:
        begun = time.monotonic()
        found = states.latest_checkpoint(checkpoint_dir)
        while found is None or found == last:
            if timeout is not None and time.monotonic() - begun > timeout:
                if timeout_fn is None or timeout_fn():
                    return
                begun = time.monotonic()
            time.sleep(min(1.0, timeout or 1.0))
            found = states.latest_checkpoint(checkpoint_dir)
        last = found
        yield found
        time.sleep(max(0.0, min_interval_secs - (time.monotonic() - begun)))
