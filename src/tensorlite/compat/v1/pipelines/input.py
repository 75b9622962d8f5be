"""tf.train's input pipelines: producers, and the runners of queues. Batches are in batching.py."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Thread
from typing import Any

from tensorlite.compat.shapes import TensorShape
from tensorlite.compat.shared import arrays, elementwise
from tensorlite.compat.shared.checks import Assert
from tensorlite.compat.shared.parsing import matching_files
from tensorlite.compat.v1.functions import arrays as v1_arrays
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.notes import adopt_runner, runner_info
from tensorlite.compat.v1.pipelines.queues import named
from tensorlite.compat.v1.serialized_summaries import scalar
from tensorlite.compat.views import in_graph, plain, shown
from tensorlite.core.dtypes import string
from tensorlite.core.errors import InvalidArgumentError, OutOfRangeError
from tensorlite.core.operand import Operand
from tensorlite.graph_mode import input_producers as inputs, queues
from tensorlite.graph_mode.graph import active_graph, get_default_graph, name_scope
from tensorlite.graph_mode.keys import GraphKeys
from tensorlite.graph_mode.monitored import MonitoredSession
from tensorlite.graph_mode.queues import GraphQueueRunner, add_queue_runner
from tensorlite.ops.arrays.ranges import arange

__all__ = [
    "QueueRunner",
    "add_queue_runner",
    "input_producer",
    "limit_epochs",
    "match_filenames_once",
    "pipelined",
    "range_input_producer",
    "slice_input_producer",
    "start_queue_runners",
    "string_input_producer",
]


class QueueRunner(GraphQueueRunner):
    """Threads that fill a queue."""

    def __init__(
        self,
        queue: Any = None,
        enqueue_ops: Any = None,
        close_op: Any = None,
        cancel_op: Any = None,
        queue_closed_exception_types: Any = None,
        queue_runner_def: Any = None,
        import_scope: str | None = None,
    ) -> None:
        if queue_runner_def is not None:
            scope = f"{import_scope.rstrip('/')}/" if import_scope else ""
            adopt_runner(self, get_default_graph(), scope, queue_runner_def)
            return
        if queue is None or not enqueue_ops:
            raise InvalidArgumentError(
                "QueueRunner: Must provide queue and enqueue_ops."
            )
        ends = queue_closed_exception_types or (OutOfRangeError,)
        closing = plain(close_op), plain(cancel_op)
        super().__init__(queue, [plain(op) for op in enqueue_ops], ends, *closing)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """Return the runner as a QueueRunnerDef, names without export_scope."""
        return runner_info(
            self, f"{export_scope.rstrip('/')}/" if export_scope else ""
        )

    @staticmethod
    def from_proto(queue_runner_def: Any, import_scope: str | None = None) -> Any:
        """Return the runner that a QueueRunnerDef tells of, names below import_scope."""
        return QueueRunner(
            queue_runner_def=queue_runner_def, import_scope=import_scope
        )


def pipelined(make: Callable[[], Any], default: str, name: str | None) -> Any:
    """Return what is made in the graph, by a name or the default one; raise where there is none."""
    _check_mode(default)
    return in_graph(make, default, name)


def _check_mode(default: str) -> None:
    if active_graph() is None:
        raise InvalidArgumentError(
            f"{default}: Input pipelines based on Queues are not supported when eager execution is "
            "enabled. Please use tf.data to ingest data into your model instead."
        )


def start_queue_runners(
    sess: Any = None,
    coord: Any = None,
    daemon: bool = True,
    start: bool = True,
    collection: str = GraphKeys.QUEUE_RUNNERS,
) -> list[Thread]:
    """Start the threads of the graph's queue runners, and return them.

    sess is the default session if None. A coordinator ends them; MonitoredSession has begun its
    own.
    """
    if isinstance(sess, MonitoredSession):
        return []  # it has started them itself
    return queues.start_queue_runners(sess, coord, daemon, start, collection)


def limit_epochs(
    tensor: Any, num_epochs: int | None = None, name: str | None = None
) -> Any:
    """Return a tensor that may be run num_epochs times, then OutOfRangeError is raised.

    The count is a local variable: run tf.local_variables_initializer().
    """
    _check_mode("limit_epochs")
    return shown(inputs.limit_epochs(plain(tensor), num_epochs, name))


def match_filenames_once(pattern: Any, name: str | None = None) -> Any:
    """Return the files that a pattern matches, a vector that is found out once.

    It is a local variable: run tf.local_variables_initializer().
    """
    _check_mode("matching_filenames")
    with name_scope(name, "matching_filenames") as scope:
        return inputs.local_variable(plain(matching_files(pattern)), scope)


def input_producer(
    input_tensor: Any,
    element_shape: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    summary_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> Any:
    """Return a queue of the tensor's rows, in a new order each epoch if shuffle.

    Behind num_epochs the queue is closed; they are counted by a local variable. cancel_op has no
    effect.
    """
    shape = None if element_shape is None else plain(TensorShape(element_shape))
    made = pipelined(
        lambda: inputs.producer(
            plain(input_tensor),
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            shape,
            scalar if summary_name else None,
            summary_name or "",
            "FIFOQueueV2",
        ),
        "input_producer",
        name,
    )
    return named(made)


def string_input_producer(
    string_tensor: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
    cancel_op: Any = None,
) -> Any:
    """Return a queue of strings, often files' names, in a new order each epoch if shuffle.

    Behind num_epochs the queue is closed; they are counted by a local variable. cancel_op has no
    effect.
    """
    made = pipelined(
        lambda: inputs.producer(
            plain(_any_of(string_tensor)),
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            (),
            scalar,
        ),
        "input_producer",
        name,
    )
    return named(made)


def _any_of(texts: Any) -> Any:
    """Return texts, of which there has to be one as the graph runs."""
    told = "string_input_producer requires a non-null input tensor"
    given = framework.convert_to_tensor(texts, string)
    if not isinstance(texts, Operand) and given.get_shape().as_list() == [0]:
        raise InvalidArgumentError(told)
    checked = Assert(elementwise.greater(v1_arrays.size(given), 0), [told])
    with framework.control_dependencies([checked]):
        return arrays.identity(given)


def range_input_producer(
    limit: Any,
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return a queue of the integers below limit, in a new order each epoch if shuffle."""
    made = pipelined(
        lambda: inputs.producer(
            arange(plain(limit)),
            num_epochs,
            shuffle,
            seed,
            capacity,
            shared_name,
            (),
            scalar,
        ),
        "input_producer",
        name,
    )
    return named(made)


def slice_input_producer(
    tensor_list: Sequence[Any],
    num_epochs: int | None = None,
    shuffle: bool = True,
    seed: int | None = None,
    capacity: int = 32,
    shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Return a list of rows, one of each tensor, that belong together, new at each run.

    The order is new in each epoch if shuffle; behind num_epochs OutOfRangeError is raised.
    """
    _check_mode("input_producer")
    if not tensor_list:
        raise InvalidArgumentError("slice_input_producer: no tensors are given")
    with name_scope(name, "input_producer"):
        given = [framework.convert_to_tensor(x) for x in tensor_list]
        count = arrays.shape(given[0])[0]
        options = (num_epochs, shuffle, seed, capacity, shared_name)
        place = range_input_producer(count, *options).dequeue()
        return [v1_arrays.gather(x, place) for x in given]
