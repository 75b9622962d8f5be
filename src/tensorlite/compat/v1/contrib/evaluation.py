"""Evaluation of checkpoints as they come: of tf.contrib.training and slim.evaluation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tensorlite.compat.v1 import summary
from tensorlite.compat.v1.functions.init_ops import Zeros
from tensorlite.compat.v1.graphs import scopes
from tensorlite.compat.v1.training.monitored import MonitoredSession
from tensorlite.compat.v1.training.saver import Saver
from tensorlite.compat.v1.training.scaffolds import ChiefSessionCreator, Scaffold
from tensorlite.core.dtypes import int64
from tensorlite.graph_mode.hooks import (
    FinalOpsHook,
    SessionRunArgs,
    SessionRunHook,
)
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.interop.tensorflow.stored.states import latest_checkpoint

_USE_DEFAULT = 0


def get_or_create_eval_step() -> Any:
    """Return the counter of batches evaluated, made now if there is none."""
    found = scopes.get_collection(GraphKeys.EVAL_STEP)
    if found:
        return found[0]
    return scopes.get_variable(
        "eval_step",
        [],
        int64,
        Zeros(),
        trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.EVAL_STEP],
    )


class StopAfterNEvalsHook(SessionRunHook):
    """Ends an evaluation behind so many batches."""

    def __init__(self, num_evals: int | None, log_progress: bool = True) -> None:
        self._count = num_evals
        self._step: Any = None

    def _set_evals_completed_tensor(self, updated_eval_step: Any) -> None:
        """Watch a tensor that counts evaluations: loops of libraries give theirs."""
        self._step = updated_eval_step

    def begin(self) -> None:
        """Find the count of evaluations that is to be watched."""
        if self._step is None:
            self._step = get_or_create_eval_step().assign_add(1)

    def before_run(self, run_context: Any) -> Any:
        """Ask each run for the count of evaluations."""
        return SessionRunArgs({"evals": self._step})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Ask for an end once there were enough evaluations."""
        if self._count is not None and run_values.results["evals"] >= self._count:
            run_context.request_stop()


class SummaryAtEndHook(SessionRunHook):
    """Writes a summary when an evaluation ends."""

    def __init__(
        self,
        log_dir: str | None = None,
        summary_writer: Any = None,
        summary_op: Any = None,
        feed_dict: Any = None,
    ) -> None:
        self._folder, self._writer = log_dir, summary_writer
        self._op, self._feeds = summary_op, feed_dict

    def begin(self) -> None:
        """Find the summaries that are to be written, their writer and the step."""
        if self._op is None:
            self._op = summary.merge_all()
        if self._writer is None and self._folder:
            self._writer = summary.FileWriterCache.get(self._folder)
        found = scopes.get_collection(GraphKeys.GLOBAL_STEP)
        self._step = found[0] if found else None

    def end(self, session: Any) -> None:
        """Run the summaries and write them with the step."""
        if self._op is None or self._writer is None:
            return
        step = 0 if self._step is None else session.run(self._step)
        made = session.run(self._op, feed_dict=self._feeds)
        self._writer.add_summary(made, int(step))
        self._writer.flush()


def wait_for_new_checkpoint(
    checkpoint_dir: str,
    last_checkpoint: str | None = None,
    seconds_to_sleep: float = 1,
    timeout: float | None = None,
) -> str | None:
    """Return the newest checkpoint when it is another one; None when the time is over."""
    ends = None if timeout is None else time.monotonic() + timeout
    while True:
        found = latest_checkpoint(checkpoint_dir)
        if found is not None and found != last_checkpoint:
            return str(found)
        if ends is not None and time.monotonic() + seconds_to_sleep > ends:
            return None
        time.sleep(seconds_to_sleep)


def checkpoints_iterator(
    checkpoint_dir: str,
    min_interval_secs: float = 0,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Iterator[str]:
    """Yield checkpoints as they appear, until none does for too long."""
    last: str | None = None
    while True:
        found = wait_for_new_checkpoint(checkpoint_dir, last, timeout=timeout)
        if found is None:
            if timeout_fn is None or timeout_fn():
                return
            continue
        begun, last = time.monotonic(), found
        yield found
        time.sleep(max(0.0, begun + min_interval_secs - time.monotonic()))


def evaluate_checkpoint(
    checkpoint_path: str,
    master: Any = "",
    scaffold: Scaffold | None = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    hooks: Iterable[Any] | None = None,
    config: Any = None,
) -> Any:
    """Return what final operators yield when batches of one checkpoint are evaluated."""
    last = FinalOpsHook(final_ops, final_ops_feed_dict)
    creator = ChiefSessionCreator(
        scaffold, master, config, checkpoint_filename_with_path=checkpoint_path
    )
    with MonitoredSession(creator, [*(hooks or ()), last]) as session:
        while eval_ops is not None and not session.should_stop():
            session.run(eval_ops, feed_dict=feed_dict)
    return last.final_ops_values


def evaluate_repeatedly(
    checkpoint_dir: str,
    master: Any = "",
    scaffold: Scaffold | None = None,
    eval_ops: Any = None,
    feed_dict: Any = None,
    final_ops: Any = None,
    final_ops_feed_dict: Any = None,
    eval_interval_secs: float = 60,
    hooks: Iterable[Any] | None = None,
    config: Any = None,
    max_number_of_evaluations: int | None = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
) -> Any:
    """Evaluate checkpoints as they appear; return what the last one yielded."""
    value = None
    found = checkpoints_iterator(
        checkpoint_dir, eval_interval_secs, timeout, timeout_fn
    )
    for count, path in enumerate(found, 1):
        value = evaluate_checkpoint(
            path,
            master,
            scaffold,
            eval_ops,
            feed_dict,
            final_ops,
            final_ops_feed_dict,
            hooks,
            config,
        )
        if (
            max_number_of_evaluations is not None
            and count >= max_number_of_evaluations
        ):
            break
    return value


def evaluate_once(
    master: Any,
    checkpoint_path: str,
    logdir: str | None,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _USE_DEFAULT,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    session_config: Any = None,
    hooks: Iterable[Any] | None = None,
) -> Any:
    """slim.evaluation.evaluate_once."""
    return evaluate_checkpoint(
        checkpoint_path,
        master,
        _scaffold(initial_op, initial_op_feed_dict, None, variables_to_restore),
        eval_op,
        eval_op_feed_dict,
        final_op,
        final_op_feed_dict,
        _hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        session_config,
    )


def evaluation_loop(
    master: Any,
    checkpoint_dir: str,
    logdir: str | None,
    num_evals: int = 1,
    initial_op: Any = None,
    initial_op_feed_dict: Any = None,
    init_fn: Any = None,
    eval_op: Any = None,
    eval_op_feed_dict: Any = None,
    final_op: Any = None,
    final_op_feed_dict: Any = None,
    summary_op: Any = _USE_DEFAULT,
    summary_op_feed_dict: Any = None,
    variables_to_restore: Any = None,
    eval_interval_secs: float = 60,
    max_number_of_evaluations: int | None = None,
    session_config: Any = None,
    timeout: float | None = None,
    timeout_fn: Callable[[], bool] | None = None,
    hooks: Iterable[Any] | None = None,
) -> Any:
    """slim.evaluation.evaluation_loop."""
    return evaluate_repeatedly(
        checkpoint_dir,
        master,
        _scaffold(initial_op, initial_op_feed_dict, init_fn, variables_to_restore),
        eval_op,
        eval_op_feed_dict,
        final_op,
        final_op_feed_dict,
        eval_interval_secs,
        _hooks(num_evals, logdir, summary_op, summary_op_feed_dict, hooks),
        session_config,
        max_number_of_evaluations,
        timeout,
        timeout_fn,
    )


def _scaffold(initial_op: Any, feeds: Any, init_fn: Any, variables: Any) -> Scaffold:
    saver = None if variables is None else Saver(variables)
    return Scaffold(initial_op, feeds, init_fn, saver=saver)


def _hooks(
    count: int, logdir: Any, summary_op: Any, feeds: Any, hooks: Any
) -> list[Any]:
    default = isinstance(summary_op, int) and summary_op == _USE_DEFAULT
    chosen = summary.merge_all() if default else summary_op
    made: list[Any] = [StopAfterNEvalsHook(count)]
    if chosen is not None:
        made.append(SummaryAtEndHook(logdir, None, chosen, feeds))
    return [*made, *(hooks or ())]


_StopAfterNEvalsHook = StopAfterNEvalsHook
_get_or_create_eval_step = get_or_create_eval_step
_evaluate_once = evaluate_checkpoint
