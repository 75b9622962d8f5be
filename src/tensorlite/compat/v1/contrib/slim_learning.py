"""slim.learning: the training loop of slim, by a Supervisor."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from tensorlite.compat.shared import elementwise, logging
from tensorlite.compat.v1 import summary
from tensorlite.compat.v1.contrib import train_ops
from tensorlite.compat.v1.contrib.train_ops import (
    USE_GLOBAL_STEP,
    Gradients,
    clip_gradient_norms,
    multiply_gradients,
)
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.supervisor import Supervisor
from tensorlite.compat.v1.training.averages import get_or_create_global_step
from tensorlite.compat.v1.training.saver import Saver
from tensorlite.core.errors import InvalidArgumentError, OutOfRangeError
from tensorlite.graph_mode.graph import get_default_graph, name_scope

__all__ = ["clip_gradient_norms", "multiply_gradients"]
_USE_DEFAULT = 0


def add_gradients_summaries(grads_and_vars: Gradients) -> list[Any]:
    """Return summaries of the gradients and of their norms, added to the graph's."""
    return train_ops.add_gradients_summaries(grads_and_vars, "/gradient")


def create_train_op(
    total_loss: Any,
    optimizer: Any,
    global_step: Any = USE_GLOBAL_STEP,
    update_ops: Iterable[Any] | None = None,
    variables_to_train: Any = None,
    clip_gradient_norm: float = 0,
    summarize_gradients: bool = False,
    gate_gradients: Any = 1,
    aggregation_method: Any = None,
    colocate_gradients_with_ops: bool = False,
    gradient_multipliers: Any = None,
    check_numerics: bool = True,
) -> Any:
    """Return the loss as a tensor; running it applies gradients and update_ops first.

    gradient_multipliers are by variable or its name; clip_gradient_norm, if positive, is for each
    gradient. update_ops are those of UPDATE_OPS if None. With check_numerics a loss that is NaN or
    infinite fails.
    """

    def changed(gradients: Gradients) -> Gradients:
        if gradient_multipliers:
            with name_scope("multiply_grads"):
                gradients = multiply_gradients(gradients, gradient_multipliers)
        if clip_gradient_norm > 0:
            with name_scope("clip_grads"):
                gradients = clip_gradient_norms(gradients, clip_gradient_norm)
        return gradients

    return train_ops.create_train_op(
        total_loss,
        optimizer,
        global_step,
        update_ops,
        variables_to_train,
        changed,
        summarize_gradients,
        gate_gradients,
        aggregation_method,
        colocate_gradients_with_ops,
        check_numerics,
    )


def train_step(
    sess: Any, train_op: Any, global_step: Any, train_step_kwargs: dict[str, Any]
) -> tuple[Any, Any]:
    """Run one step; return its loss, and whether it was the last."""
    begun = time.perf_counter()
    loss, step = sess.run([train_op, global_step])
    asked = train_step_kwargs
    if "should_log" in asked and sess.run(asked["should_log"]):
        taken = time.perf_counter() - begun
        logging.info("global step %d: loss = %.4f (%.3f sec/step)", step, loss, taken)
    return loss, "should_stop" in asked and sess.run(asked["should_stop"])


def train(
    train_op: Any,
    logdir: str | None,
    train_step_fn: Callable[..., tuple[Any, Any]] = train_step,
    train_step_kwargs: Any = _USE_DEFAULT,
    log_every_n_steps: int = 1,
    graph: Any = None,
    master: Any = "",
    is_chief: bool = True,
    global_step: Any = None,
    number_of_steps: int | None = None,
    init_op: Any = _USE_DEFAULT,
    init_feed_dict: Any = None,
    local_init_op: Any = _USE_DEFAULT,
    init_fn: Any = None,
    ready_op: Any = _USE_DEFAULT,
    summary_op: Any = _USE_DEFAULT,
    save_summaries_secs: float = 600,
    summary_writer: Any = _USE_DEFAULT,
    startup_delay_steps: int = 0,
    saver: Any = None,
    save_interval_secs: float = 600,
    sync_optimizer: Any = None,
    session_config: Any = None,
    session_wrapper: Any = None,
    trace_every_n_steps: int | None = None,
    ignore_live_threads: bool = False,
) -> Any:
    """Run train_op step after step until number_of_steps, and return the last loss.

    A Supervisor starts the session, restores a checkpoint of logdir, and writes summaries and
    checkpoints every so many seconds. With logdir None nothing is written.
    """
    _check(train_op, logdir, number_of_steps, summary_op, saver)
    chosen = get_default_graph() if graph is None else graph
    with chosen.as_default():
        step = get_or_create_global_step() if global_step is None else global_step
        given: dict[str, Any] = {"saver": saver or Saver()}
        given |= _operations(init_op, ready_op, local_init_op, summary_op)
        own = partial(_step_arguments, step, number_of_steps, log_every_n_steps)
        steps = _made(train_step_kwargs, own)
    supervisor = Supervisor(
        graph=chosen,
        is_chief=is_chief,
        logdir=logdir,
        init_feed_dict=init_feed_dict,
        global_step=step,
        save_summaries_secs=save_summaries_secs,
        save_model_secs=save_interval_secs,
        init_fn=init_fn,
        summary_writer=summary_writer,
        **given,
    )
    run = _Run(supervisor, train_step_fn, train_op, step, steps)
    return run.all(logdir, master, session_config, session_wrapper)


def _operations(
    init_op: Any, ready_op: Any, local_init_op: Any, summary_op: Any
) -> dict[str, Any]:
    """Return what a supervisor runs, made now where it is not given."""
    with name_scope("init_ops"):
        return {
            "init_op": _made(init_op, scopes.global_variables_initializer),
            "ready_op": _made(ready_op, scopes.report_uninitialized_variables),
            "local_init_op": _made(local_init_op, _local_initializer),
            "summary_op": _made(summary_op, summary.merge_all),
        }


def _check(
    train_op: Any, logdir: Any, steps: int | None, summary_op: Any, saver: Any
) -> None:
    if train_op is None:
        raise InvalidArgumentError("train_op cannot be None.")
    if logdir is None and summary_op not in (_USE_DEFAULT, None):
        raise InvalidArgumentError("Cannot provide summary_op because logdir=None")
    if logdir is None and saver is not None:
        raise InvalidArgumentError("Cannot provide saver because logdir=None")
    if steps is not None and steps <= 0:
        raise InvalidArgumentError(
            "`number_of_steps` must be either None or a positive number."
        )


def _made(given: Any, make: Callable[[], Any]) -> Any:
    return make() if isinstance(given, int) and given == _USE_DEFAULT else given


def _local_initializer() -> Any:
    return framework.group(
        scopes.local_variables_initializer(), scopes.tables_initializer()
    )


def _step_arguments(step: Any, count: int | None, every: int) -> dict[str, Any]:
    """Return what says when steps end, and when they are told of."""
    with name_scope("train_step"):
        stop = (
            elementwise.greater_equal(step, count)
            if count
            else framework.constant(False)
        )
        asked = {"should_stop": stop}
        if every > 0:
            asked["should_log"] = elementwise.equal(
                elementwise.floormod(step, every), 0
            )
        return asked


class _Run:
    """The steps of one training."""

    def __init__(
        self,
        supervisor: Supervisor,
        step_function: Callable[..., tuple[Any, Any]],
        train_op: Any,
        step: Any,
        asked: dict[str, Any],
    ) -> None:
        self.supervisor, self.step_function = supervisor, step_function
        self.train_op, self.step = train_op, step
        self.asked = {**asked, "summary_writer": supervisor.summary_writer}
        self.loss: Any = None

    def all(self, logdir: str | None, master: Any, config: Any, wrapper: Any) -> Any:
        own = self.supervisor
        with own.managed_session(
            master, start_standard_services=False, config=config
        ) as session:
            used = session if wrapper is None else wrapper(session)
            if own.is_chief and logdir:
                own.start_standard_services(used)
            own.start_queue_runners(used)
            try:
                self._steps(used)
            except OutOfRangeError as error:
                logging.info("Caught OutOfRangeError. Stopping Training. %s", error)
            if logdir and own.is_chief:
                logging.info("Finished training! Saving model to disk.")
                own.saver.save(used, own.save_path, global_step=own.global_step)
        return self.loss

    def _steps(self, session: Any) -> None:
        while not self.supervisor.should_stop():
            self.loss, last = self.step_function(
                session, self.train_op, self.step, self.asked
            )
            if last:
                self.supervisor.request_stop()
                return
