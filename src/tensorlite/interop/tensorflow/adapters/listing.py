"""Lists in GraphDefs of which several elements are read or written at once."""

from __future__ import annotations

from tensorlite.core.tensor import Tensor
from tensorlite.interop.tensorflow.adapters.given import Given, Values
from tensorlite.interop.tensorflow.adapters.plain import Adapter
from tensorlite.ops.arrays.arrange import expand_dims
from tensorlite.ops.arrays.gather import gather, scatter_nd
from tensorlite.ops.arrays.join import concat
from tensorlite.ops.arrays.scatter import tensor_scatter_nd_update
from tensorlite.ops.arrays.shape import reshape, shape_of
from tensorlite.ops.control import lists
from tensorlite.ops.math.bounds import maximum
from tensorlite.ops.math.reduce import max as greatest


def _gathered(given: Given) -> Values:
    dtype = given.dtype("element_dtype")

    def gathered(elements: Tensor, places: Tensor, shape: Tensor) -> Tensor:
        return gather(lists.stack_list(elements, shape, dtype), places)

    return given.composed(gathered, *given.tensors)


def _scattered(given: Given) -> Values:
    """Return a list with elements at places; what none is written to is zeros."""
    given.attribute("shape_type")

    def scattered(x: Tensor, places: Tensor, _: Tensor, *number: Tensor) -> Tensor:
        most = (
            greatest(concat([places, reshape(places[:1] * 0 - 1, [-1])], axis=0)) + 1
        )
        count = maximum(most, number[0]) if number else most
        sizes = concat([reshape(count, [1]), shape_of(x)[1:]], axis=0)
        return lists.from_tensor(scatter_nd(expand_dims(places, axis=-1), x, sizes))

    return given.composed(scattered, *given.tensors)


def _scattered_into(given: Given) -> Values:
    dtype = given.dtype("element_dtype")

    def scattered(elements: Tensor, x: Tensor, places: Tensor) -> Tensor:
        least = greatest(places) + 1
        wide = lists.resize(elements, maximum(lists.length(elements), least))
        held = lists.stack_list(wide, lists.row_shape(x), dtype)
        rows = expand_dims(places, axis=-1)
        return lists.from_tensor(tensor_scatter_nd_update(held, rows, x))

    return given.composed(scattered, *given.tensors)


def _joined(given: Given) -> Values:
    dtype = given.dtype("element_dtype")

    def joined(first: Tensor, second: Tensor) -> Tensor:
        shape = lists.element_shape(first.spec.inner[0].shape)
        both = [lists.stack_list(x, shape, dtype) for x in (first, second)]
        return lists.from_tensor(concat(both, axis=0))

    return given.composed(joined, *given.tensors)


LISTING: dict[str, Adapter] = {
    "TensorListConcatLists": _joined,
    "TensorListGather": _gathered,
    "TensorListScatter": _scattered,
    "TensorListScatterIntoExistingList": _scattered_into,
    "TensorListScatterV2": _scattered,
}
