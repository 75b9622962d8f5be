"""tf.train.CheckpointManager, and what waits for new checkpoints of a folder.

What is saved and how it is restored stands in checkpoints.py.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tensorlite.compat.v2.checkpoint_trees import is_of_graph
from tensorlite.compat.v2.checkpoints import tell
from tensorlite.core.check import a_path, whole
from tensorlite.graph_mode.sessions import chosen_session
from tensorlite.interop.tensorflow.stored import checkpoints as stored, states


class CheckpointManager:
    """Saves checkpoints one after the other, and removes old ones."""

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
    ) -> None:
        if max_to_keep is not None:
            whole(max_to_keep, "CheckpointManager: max_to_keep", least=1)
        self.checkpoint = checkpoint
        self.directory = a_path(directory, "CheckpointManager: directory")
        self._most, self._name = max_to_keep, checkpoint_name
        self._counter, self._every = step_counter, checkpoint_interval
        self._init, self._hours = init_fn, keep_checkpoint_every_n_hours
        self._last_step: int | None = None
        self._preserved = time.time()
        state = states.get_checkpoint_state(self.directory)
        listed = [] if state is None else list(state.all_model_checkpoint_paths)
        self._paths = [path for path in listed if stored.exists(path)]
        times = [] if state is None else state.all_model_checkpoint_timestamps
        known = dict(zip(listed, times, strict=False))
        self._times = {path: known.get(path, self._preserved) for path in self._paths}
        if state is not None and state.last_preserved_timestamp:
            self._preserved = state.last_preserved_timestamp

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the checkpoint that was saved last, or None."""
        return self._paths[-1] if self._paths else None

    @property
    def checkpoints(self) -> list[str]:
        """The paths of the checkpoints that are kept, oldest first."""
        return list(self._paths)

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

        None is returned, and nothing saved, where check_interval holds and too few steps have
        passed.
        """
        if self._counter is not None and self._every and check_interval:
            step = _number(self._counter)
            if self._last_step is not None and step - self._last_step < self._every:
                return None
            self._last_step = step
        prefix = f"{self.directory}/{self._name}"
        number = (
            self.checkpoint.counted()
            if checkpoint_number is None
            else _number(checkpoint_number)
        )
        path = str(self.checkpoint.write(f"{prefix}-{number}"))
        self._paths = [*[x for x in self._paths if x != path], path]
        self._times[path] = time.time()
        self._sweep()
        states.update_checkpoint_state(
            self.directory,
            path,
            self._paths,
            all_model_checkpoint_timestamps=[self._times[x] for x in self._paths],
            last_preserved_timestamp=self._preserved,
            save_relative_paths=True,
        )
        tell(options, path)
        return path

    def _sweep(self) -> None:
        """Remove checkpoints of which there are too many."""
        while self._most and len(self._paths) > self._most:
            oldest = self._paths.pop(0)
            hours = (time.time() - self._preserved) / 3600
            if self._hours is not None and hours >= self._hours:
                self._preserved = time.time()
                continue
            stored.remove(oldest)

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint and return its path.

        If there is none, init_fn is called, where one was given, and None returned.
        """
        if self.latest_checkpoint is not None:
            self.checkpoint.restore(self.latest_checkpoint)
            return self.latest_checkpoint
        if self._init is not None:
            self._init()
        return None


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
