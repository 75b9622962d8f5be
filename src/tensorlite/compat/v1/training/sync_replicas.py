"""SyncReplicasOptimizer: replicas' gradients are averaged before they are applied.

Strategies of clusters, which do the same over tasks, are in tl.distribute.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tensorlite.compat.shared.arrays import fill
from tensorlite.compat.v1.graphs import framework, scopes
from tensorlite.compat.v1.graphs.variables import Variable
from tensorlite.compat.v1.pipelines.input import QueueRunner
from tensorlite.compat.v1.pipelines.queues import FIFOQueue
from tensorlite.compat.v1.training.accumulators import (
    ConditionalAccumulator,
    SparseConditionalAccumulator,
)
from tensorlite.compat.v1.training.optimizer import Optimizer
from tensorlite.core.dtypes import int32
from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError
from tensorlite.core.tensor import IndexedSlices
from tensorlite.graph_mode.graph import name_scope
from tensorlite.graph_mode.hooks import SessionRunHook
from tensorlite.graph_mode.keys import GraphKeys

UNBOUNDED = 2**31 - 1


class SyncReplicasOptimizer(Optimizer):
    """Applies the mean of so many replicas' gradients, and drops those that come too late."""

    def __init__(
        self,
        opt: Optimizer,
        replicas_to_aggregate: int,
        total_num_replicas: int | None = None,
        variable_averages: Any = None,
        variables_to_average: Any = None,
        use_locking: bool = False,
        name: str = "sync_replicas",
    ) -> None:
        super().__init__(use_locking, name)
        self._opt, self._count = opt, replicas_to_aggregate
        total = (
            replicas_to_aggregate
            if total_num_replicas is None
            else total_num_replicas
        )
        self._tokens_per_step = max(total, replicas_to_aggregate)
        self._averages, self._averaged = variable_averages, variables_to_average
        self._runner: Any = None
        self._queue: Any = None

    def compute_gradients(self, *args: Any, **kwargs: Any) -> Any:
        """Return pairs of gradients and variables, as the inner optimizer computes them."""
        return self._opt.compute_gradients(*args, **kwargs)

    def apply_gradients(
        self,
        grads_and_vars: Iterable[Any],
        global_step: Any = None,
        name: str | None = None,
    ) -> Any:
        """Return an operator that hands in gradients, and waits for the replicas' mean.

        No pairs, and no global_step, raise InvalidArgumentError.
        """
        pairs = list(grads_and_vars)
        if not pairs:
            raise InvalidArgumentError("Must supply at least one variable")
        if global_step is None:
            raise InvalidArgumentError("Global step is required to check staleness")
        beside = framework.no_op().device  # where a replica's own operators go
        with framework.device(None), framework.device(beside):
            self._local_step = Variable(
                0,
                dtype=global_step.dtype,
                trainable=False,
                collections=[GraphKeys.LOCAL_VARIABLES],
                name="sync_rep_local_step",
            )
        self._global_step = global_step
        self.local_step_init_op = self._local_step.assign(global_step)
        self.ready_for_local_init_op = scopes.report_uninitialized_variables(
            scopes.global_variables()
        )
        with name_scope(None, self._name):
            given = []
            for gradient, variable in pairs:
                with framework.device(variable.device):
                    given.append(self._gathered(gradient, variable))
            variables = [variable for _, variable in pairs]
            aggregated = [taken for taken, _, _ in given]
            put = [applied for _, applied, _ in given if applied is not None]
            with framework.device(global_step.device), framework.name_scope(""):
                updates = zip(aggregated, variables, strict=True)
                update = self._opt.apply_gradients(updates, global_step)
                train_op = self._ordered(update, put)
            self._begin([x for _, _, x in given if x is not None])
        return train_op

    def _gathered(self, gradient: Any, variable: Any) -> tuple[Any, Any, Any]:
        """Return the mean of a gradient, what adds to it, and where it is gathered."""
        if gradient is None:
            return None, None, None
        shared = f"{variable.name}/grad_accum"
        if isinstance(gradient, IndexedSlices):
            sparse = SparseConditionalAccumulator(
                gradient.values.dtype, shared_name=shared
            )
            added = sparse.apply_indexed_slices_grad(
                gradient, local_step=self._local_step
            )
            return sparse.take_indexed_slices_grad(self._count), added, sparse
        gathered = ConditionalAccumulator(
            gradient.dtype, variable.get_shape(), shared_name=shared
        )
        added = gathered.apply_grad(gradient, local_step=self._local_step)
        return gathered.take_grad(self._count), added, gathered

    def _ordered(self, update: Any, put: list[Any]) -> Any:
        """Return what a replica runs: it gives its gradients, and waits for a token."""
        dtype = self._global_step.dtype
        self._queue = FIFOQueue(
            UNBOUNDED,
            [dtype],
            shapes=[()],
            name="sync_token_q",
            shared_name="sync_token_q",
        )
        spare = FIFOQueue(
            1, [int32], shapes=[()], name="dummy_queue", shared_name="dummy_queue"
        )
        with framework.control_dependencies(put):
            token = self._queue.dequeue()
        train_op = self._local_step.assign(token)
        with framework.control_dependencies([update]):
            tokens = fill([self._tokens_per_step], self._global_step)
            synced = self._queue.enqueue_many((tokens,))
        if self._averages is not None:
            with framework.control_dependencies([synced]):
                synced = self._averages.apply(self._averaged)
        self._runner = QueueRunner(spare, [synced])
        return train_op

    def _begin(self, gathered: Iterable[Any]) -> None:
        """Make what sets the steps before any replica takes one."""
        begun = []
        for x in gathered:
            with framework.device(x.accumulator_ref.device):
                begun.append(
                    x.set_global_step(self._global_step, name="SetGlobalStep")
                )
        self.chief_init_op = framework.group(self.local_step_init_op, *begun)

    def _checked(self, found: Any) -> Any:
        if found is None:
            raise FailedPreconditionError("Should be called after apply_gradients().")
        return found

    def check_applied(self) -> None:
        """Raise InvalidArgumentError before gradients were applied."""
        if self._runner is None:
            raise InvalidArgumentError(
                "apply_gradient should be called before using the hook."
            )

    def get_chief_queue_runner(self) -> Any:
        """Return the runner that applies the means, for the chief to start."""
        return self._checked(self._runner)

    def get_slot(self, var: Any, name: str) -> Any:
        """Return the variable that the inner optimizer keeps for var by a name, or None."""
        return self._opt.get_slot(var, name)

    def get_slot_names(self) -> list[str]:
        """Return the names of the inner optimizer's slots."""
        return self._opt.get_slot_names()

    def variables(self) -> list[Any]:
        """Return the inner optimizer's variables."""
        return self._opt.variables()

    def get_init_tokens_op(self, num_tokens: int = -1) -> Any:
        """Return an operator that lets so many replicas take a first step, all by default.

        Too few for a first step raise InvalidArgumentError.
        """
        queue = self._checked(self._queue)
        needed = self._count - self._tokens_per_step
        count = self._count if num_tokens == -1 else num_tokens
        if count < needed:
            raise InvalidArgumentError(
                f"Too few tokens to finish the first step: {count}"
            )
        if count <= 0:
            return framework.no_op(name="no_init_tokens")
        tokens = fill([count], self._global_step)
        return queue.enqueue_many((tokens,))

    def make_session_run_hook(
        self, is_chief: bool, num_tokens: int = -1
    ) -> SessionRunHook:
        """Return a hook that starts what the chief, or another worker, needs."""
        return _Hook(self, is_chief, num_tokens)


class _Hook(SessionRunHook):
    """Begins the synchronisation in a session."""

    def __init__(
        self, optimizer: SyncReplicasOptimizer, is_chief: bool, tokens: int
    ) -> None:
        self._sync_optimizer = optimizer
        self._is_chief, self._tokens = is_chief, tokens

    def begin(self) -> None:
        self._sync_optimizer.check_applied()
        if self._is_chief:
            self._init = self._sync_optimizer.chief_init_op
            self._begun = self._sync_optimizer.get_init_tokens_op(self._tokens)
            self._runner = self._sync_optimizer.get_chief_queue_runner()
        else:
            self._init = self._sync_optimizer.local_step_init_op

    def after_create_session(self, session: Any, coord: Any) -> None:
        session.run(self._init)
        if self._is_chief:
            session.run(self._begun)
            self._runner.create_threads(session, coord=coord, daemon=True, start=True)
