"""tf.contrib.factorization: clustering by k-means, whole or by mini-batches.

Its matrix factorisation and mixtures of normals are not here.
"""

from __future__ import annotations

from typing import Any

from tensorlite.compat.missing import attribute_error, listing
from tensorlite.compat.shared import arrays, elementwise, picking
from tensorlite.compat.shared.linear import matrices
from tensorlite.compat.v1 import math, nn, random
from tensorlite.compat.v1.functions import arrays as v1_arrays, control_flow, numbers
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v1.graphs.variables import Variable
from tensorlite.core.dtypes import float32, int32, int64
from tensorlite.core.errors import InvalidArgumentError

__all__ = [
    "COSINE_DISTANCE",
    "KMEANS_PLUS_PLUS_INIT",
    "KMeans",
    "RANDOM_INIT",
    "SQUARED_EUCLIDEAN_DISTANCE",
]

SQUARED_EUCLIDEAN_DISTANCE = "squared_euclidean"
COSINE_DISTANCE = "cosine"
RANDOM_INIT = "random"
KMEANS_PLUS_PLUS_INIT = "kmeans_plus_plus"
_EPSILON = 1e-6
"""What TensorFlow adds to the number of rows of a cluster."""
_LEAST = 1e-30


class KMeans:
    """Clusters of the rows of matrices, each around its centre."""

    def __init__(
        self,
        inputs: Any,
        num_clusters: int,
        initial_clusters: Any = RANDOM_INIT,
        distance_metric: str = SQUARED_EUCLIDEAN_DISTANCE,
        use_mini_batch: bool = False,
        mini_batch_steps_per_iteration: int = 1,
        random_seed: int = 0,
        kmeans_plus_plus_num_retries: int = 2,
        kmc2_chain_length: int = 200,
    ) -> None:
        if distance_metric not in (SQUARED_EUCLIDEAN_DISTANCE, COSINE_DISTANCE):
            raise InvalidArgumentError(
                f"Unsupported distance metric passed to Kmeans {distance_metric}"
            )
        given = inputs if isinstance(inputs, (list, tuple)) else [inputs]
        self._inputs = [framework.convert_to_tensor(x, float32) for x in given]
        self._count = int(num_clusters)
        self._first = initial_clusters
        self._is_cosine = distance_metric == COSINE_DISTANCE
        self._by_batches = use_mini_batch
        self._seed = random_seed

    def training_graph(self) -> tuple[Any, ...]:
        """Return what of the clusters sessions run.

        That is, as lists with one for each input: distances to all centres, the nearest one's
        number, the distance to it. Then whether there are centres yet, the operation that chooses
        them, and that of a step.
        """
        inputs, width = self._inputs, self._inputs[0].get_shape().as_list()[1]
        zeros = arrays.zeros([self._count, width], float32)
        centers = Variable(zeros, trainable=False, name="clusters")
        initialized = Variable(False, trainable=False, name="initialized")
        begin = self._begun(centers, initialized)
        if self._is_cosine:
            inputs = [nn.l2_normalize(x, 1) for x in inputs]
        near = nn.l2_normalize(centers, 1) if self._is_cosine else centers
        every = [self._distances(x, near) for x in inputs]
        index = [elementwise.cast(numbers.argmin(x, 1), int32) for x in every]
        least = [numbers.reduce_min(x, 1) for x in every]
        make = self._batch_step if self._by_batches else self._whole_step
        step = make(inputs, index, centers)
        return every, index, least, initialized, begin, step

    def _distances(self, x: Any, centers: Any) -> Any:
        across = matrices.matmul(x, centers, transpose_b=True)
        if self._is_cosine:
            return 1.0 - across
        own = numbers.reduce_sum(elementwise.square(x), 1, keepdims=True)
        theirs = numbers.reduce_sum(elementwise.square(centers), 1)
        return elementwise.maximum(own - 2.0 * across + theirs, 0.0)

    def _begun(self, centers: Any, initialized: Any) -> Any:
        """Return the operation that chooses the first centres, once."""

        def choose() -> Any:
            first = centers.assign(self._chosen())
            with framework.control_dependencies([first]):
                return arrays.identity(initialized.assign(True))

        chosen = control_flow.cond(
            initialized, lambda: arrays.identity(initialized), choose
        )
        return framework.group(chosen)

    def _chosen(self) -> Any:
        rows = arrays.concat(self._inputs, 0)
        if callable(self._first):
            return self._first(rows, self._count)
        if not isinstance(self._first, str):
            return framework.convert_to_tensor(self._first, float32)
        if self._first == RANDOM_INIT:
            most = elementwise.cast(v1_arrays.shape(rows)[0], int64)
            places = random.uniform([self._count], 0, most, int64, self._seed)
            return picking.gather(rows, places)
        if self._first == KMEANS_PLUS_PLUS_INIT:
            return self._spread(rows)
        raise InvalidArgumentError(
            f"Unsupported initialization algorithm {self._first!r}; allowed are "
            f"{RANDOM_INIT!r}, {KMEANS_PLUS_PLUS_INIT!r}, a matrix and a function"
        )

    def _spread(self, rows: Any) -> Any:
        """Return rows chosen one by one, likelier the farther from those before (k-means++)."""
        centers: Any = None
        apart = v1_arrays.ones_like(rows[:, 0])
        for place in range(self._count):
            logits = v1_arrays.expand_dims(elementwise.log(apart + _LEAST), 0)
            drawn = random.multinomial(logits, 1, self._seed + place)[0]
            mine = picking.gather(rows, drawn)
            centers = mine if centers is None else arrays.concat([centers, mine], 0)
            apart = elementwise.minimum(
                apart if place else apart + float("inf"),
                self._distances(rows, mine)[:, 0],
            )
        return centers

    def _whole_step(self, inputs: list[Any], index: list[Any], centers: Any) -> Any:
        """Return the operation that puts each centre amid its rows."""
        pairs = list(zip(inputs, index, strict=True))
        sums = elementwise.add_n(
            [math.unsorted_segment_sum(x, which, self._count) for x, which in pairs]
        )
        counts = elementwise.add_n([self._counted(which) for which in index])
        middle = sums / (v1_arrays.expand_dims(counts, 1) + _EPSILON)
        if self._is_cosine:
            middle = nn.l2_normalize(middle, 1)
        return framework.group(centers.assign(middle))

    def _counted(self, which: Any) -> Any:
        ones = v1_arrays.ones_like(which, dtype=float32)
        return math.unsorted_segment_sum(ones, which, self._count)

    def _batch_step(self, inputs: list[Any], index: list[Any], centers: Any) -> Any:
        """Return the operation that moves centres to the mean of all rows they ever had."""
        totals = Variable(arrays.ones([self._count], float32), trainable=False)
        steps = []
        for x, which in zip(inputs, index, strict=True):
            counts = self._counted(which)
            sums = math.unsorted_segment_sum(x, which, self._count)
            whole = totals + counts
            apart = sums - v1_arrays.expand_dims(counts, 1) * centers
            share = v1_arrays.expand_dims(1.0 / whole, 1)
            with framework.control_dependencies([apart, share]):
                steps += [
                    centers.assign_add(apart * share),
                    totals.assign_add(counts),
                ]
        return framework.group(*steps)


__dir__ = listing(__name__, globals())


def __getattr__(name: str) -> object:
    raise attribute_error(__name__, name, __all__)
