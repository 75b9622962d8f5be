"""Runs of graphs that tf.contrib.learn has: run_n, run_feeds, infer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Any

from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.pipelines.input import start_queue_runners
from tensorlite.compat.v1.training.saver import Saver
from tensorlite.compat.v1.training.scaffolds import PARTS
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.train.coordinator import Coordinator


def run_feeds_iter(
    output_dict: Any, feed_dicts: Any, restore_checkpoint_path: Any = None
) -> Iterator[Any]:
    """Yield the outputs for each of some feeds, in a session whose variables begin or are restored.

    Variables that a checkpoint does not have begin.
    """
    if not output_dict:
        raise InvalidArgumentError(f"output_dict is invalid: {output_dict}.")
    if not feed_dicts:
        raise InvalidArgumentError(f"feed_dicts is invalid: {feed_dicts}.")
    graph = framework.get_default_graph()
    with graph.as_default(), framework.Session() as session:
        session.run(PARTS.init_op())
        if restore_checkpoint_path:
            Saver(scopes.global_variables()).restore(session, restore_checkpoint_path)
        session.run(PARTS.local_init_op())
        coordinator = Coordinator()
        threads = start_queue_runners(session, coord=coordinator)
        try:
            for feed in feed_dicts:
                yield session.run(output_dict, feed)
        finally:
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=120)


def run_feeds(
    output_dict: Any, feed_dicts: Any, restore_checkpoint_path: Any = None
) -> list[Any]:
    """Return the outputs for each of some feeds."""
    return list(run_feeds_iter(output_dict, feed_dicts, restore_checkpoint_path))


def run_n(
    output_dict: Any,
    feed_dict: Any = None,
    restore_checkpoint_path: Any = None,
    n: int = 1,
) -> list[Any]:
    """Return the outputs of so many runs."""
    feeds: Iterable[Any] = repeat(feed_dict, n)
    return run_feeds(output_dict, feeds, restore_checkpoint_path)


def infer(
    restore_checkpoint_path: Any, output_dict: Any, feed_dict: Any = None
) -> Any:
    """Return the outputs of one run."""
    return run_feeds(output_dict, [feed_dict], restore_checkpoint_path)[0]
