"""Lists and bundles as values, TensorArray, and their gradients."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.dispatch import call
from tensorlite.core.errors import (
    DTypeError,
    InvalidArgumentError,
    PlaceError,
    ShapeError,
)
from tensorlite.core.spec import TensorSpec
from tensorlite.ops.control.bundles import bundled, unbundle, zeros_of
from tensorlite.ops.control.list_rows import gather_list, scatter_list
from tensorlite.ops.control.list_values import Bundled, TensorList
from tensorlite.ops.control.lists import (
    TensorListGetItem,
    TensorListLength,
    TensorListPushBack,
    TensorListResize,
    element_shape,
    reserve,
)
from tests.interpreter import traced

ELEMENT = TensorSpec(None, tl.float64)


def test_every_version_of_a_list_keeps_its_elements() -> None:
    versions: list[tuple[TensorList, list[Any]]] = [(TensorList([], ELEMENT), [])]
    random = np.random.default_rng(0)
    for step in range(200):
        value, known = versions[random.integers(len(versions))]
        action = random.integers(3) if known else 0
        if action == 0:
            versions.append((value.push(step), [*known, step]))
        elif action == 1:
            rest, last = value.pop()
            assert last == known[-1]
            versions.append((rest, known[:-1]))
        else:
            place = int(random.integers(len(known)))
            changed = [*known[:place], step, *known[place + 1 :]]
            versions.append((value.put(place, step), changed))
    for value, known in versions:
        assert value.items() == known


def test_pushing_and_popping_the_newest_version_copies_nothing() -> None:
    value = TensorList([], ELEMENT)
    for i in range(5):
        value = value.push(i)
    shared = value.items()
    value, _ = value.pop()
    assert value.put(0, 9).items() is shared


def test_lists_and_bundles_add_up_member_by_member() -> None:
    total = TensorList([1, None, None], ELEMENT) + TensorList([2, 3], ELEMENT)
    assert total.items() == [3, 3, None]
    assert (Bundled((1, 2)) + Bundled((10, None))).members == (11, 2)


def test_zero_of_a_bundle_has_the_members_that_gradients_flow_through() -> None:
    x = bundled([tl.asarray([1.0, 2.0]), tl.asarray(3), bundled([tl.asarray(4.0)])])
    zero = zeros_of(x).array
    assert len(zero.members) == 2
    np.testing.assert_array_equal(zero.members[0], [0, 0])
    assert zero.members[1].members[0] == 0


def gradient(f: Callable[[Any], Any], order: int = 1) -> Any:
    x = tl.asarray(np.array([1.0, 2.0, 3.0]))
    if order == 0:
        return f(x)
    for _ in range(order):
        f = tl.grad(f)
    return f(x)


def through_bundle(x: Any) -> Any:
    part, _, square = unbundle(
        bundled([x[0], tl.asarray(1), x * x]),
        [
            TensorSpec((), tl.float64),
            TensorSpec((), tl.int32),
            TensorSpec((3,), tl.float64),
        ],
    )
    return tl.sum(part * square * square)


def through_array(x: Any) -> Any:
    array = (
        tl.TensorArray(tl.float64, size=3).write(0, x[0] * x[1]).write(2, x[2] * x[2])
    )
    array = array.write(0, array.read(0) * array.read(2))
    return tl.sum(array.stack() * x * x)


def through_rows(x: Any) -> Any:
    array = tl.TensorArray(tl.float64, size=3).unstack(x * x)
    return array.read(1) * array.read(1) * array.read(0) + tl.sum(
        array.gather([2, 2])
    )


def through_concat(x: Any) -> Any:
    array = tl.TensorArray(tl.float64, dynamic_size=True).write(0, x[:1] * x[1:2])
    joined = array.write(1, x * x).concat()
    return tl.sum(joined * joined)


@pytest.mark.parametrize("order", [0, 1, 2])
@pytest.mark.parametrize(
    ("function", "plain"),
    [
        (through_bundle, lambda x: tl.sum(x[0] * x * x * x * x)),
        (
            through_array,
            lambda x: tl.sum(
                tl.stack([x[0] * x[1] * x[2] ** 2, x[0] * 0, x[2] ** 2]) * x * x
            ),
        ),
        (through_rows, lambda x: x[1] ** 4 * x[0] ** 2 + 2 * x[2] ** 2),
        (through_concat, lambda x: (x[0] * x[1]) ** 2 + tl.sum(x**4)),
    ],
    ids=lambda f: getattr(f, "__name__", "plain"),
)
def test_gradients_through_lists(function: Any, plain: Any, order: int) -> None:
    expected = gradient(plain, order).numpy()
    np.testing.assert_allclose(gradient(function, order).numpy(), expected)
    np.testing.assert_allclose(gradient(traced(function), order).numpy(), expected)


def test_elements_never_written_are_zeros_of_a_known_shape() -> None:
    array = tl.TensorArray(tl.float32, size=2, element_shape=(3,))
    np.testing.assert_array_equal(array.stack().numpy(), np.zeros((2, 3)))
    with pytest.raises(
        InvalidArgumentError, match="never written has no known shape"
    ):
        tl.TensorArray(tl.float32, size=2).read(0)


def test_writing_outside_a_fixed_size_is_refused() -> None:
    array = tl.TensorArray(tl.float32, size=2)
    for index in (2, -1):
        with pytest.raises(PlaceError, match="dynamic_size"):
            array.write(index, 1.0)


def test_a_dynamic_array_grows_and_fills() -> None:
    array = tl.TensorArray(
        tl.float32, size=1, dynamic_size=True, element_shape=()
    ).write(3, 1.0)
    assert array.size().item() == 4
    assert array.stack().tolist() == [0, 0, 0, 1]


def test_elements_that_do_not_fit_are_refused() -> None:
    array = tl.TensorArray(tl.float32, size=2, element_shape=(2,))
    with pytest.raises(DTypeError, match="float64"):
        array.write(0, tl.asarray(np.zeros(2)))
    with pytest.raises(ShapeError, match=r"\[3\] is written"):
        array.write(0, tl.zeros(3))
    ragged = (
        tl.TensorArray(tl.float32, size=2).write(0, tl.zeros(2)).write(1, tl.zeros(3))
    )
    with pytest.raises(ShapeError, match="different shapes"):
        ragged.stack()


def test_an_array_is_one_leaf_of_a_structure() -> None:
    array = tl.TensorArray(tl.int32, size=1)
    assert tl.nest.flatten((array, [1])) == [array.flow, 1]


@pytest.mark.parametrize(
    "use",
    [
        lambda x: call(TensorListLength(), x),
        lambda x: call(TensorListResize(), x, np.int32(2)),
        lambda x: call(TensorListPushBack(tl.float32), x, np.float32(1)),
        lambda x: call(
            TensorListGetItem(tl.float32), x, np.int32(0), np.zeros(0, np.int32)
        ),
    ],
)
def test_what_is_no_list_is_refused(use: Callable[[tl.Tensor], object]) -> None:
    with pytest.raises(
        DTypeError, match=r"a list of tensors is wanted, not float32\[2"
    ):
        use(tl.ones((2, 3)))


def test_rows_are_written_to_a_list_each_at_a_place_of_its_own() -> None:
    list_ = reserve(element_shape((2,)), 3, tl.float32)
    rows = tl.asarray([[1.0, 2.0], [3.0, 4.0]])
    with pytest.raises(InvalidArgumentError, match="1 is written to twice"):
        scatter_list(list_, rows, tl.constant([1, 1]))
    with pytest.raises(ShapeError, match="1 indices are given for 2 rows"):
        scatter_list(list_, rows, tl.constant([1]))
    with pytest.raises(ShapeError, match="rows of shape"):
        scatter_list(list_, rows[:, :1], tl.constant([1, 2]))
    with pytest.raises(PlaceError, match="index 3 is not in a list of 3"):
        scatter_list(list_, rows, tl.constant([0, 3]))


def test_elements_that_are_read_at_once_have_one_shape() -> None:
    array = tl.TensorArray(tl.float32, 2).write(0, [1.0]).write(1, [1.0, 2.0])
    shape = element_shape(None)
    with pytest.raises(ShapeError, match="elements have different shapes"):
        gather_list(array.flow, tl.constant([0, 1]), shape)
    none = gather_list(array.flow, tl.constant(np.zeros(0, np.int32)), shape)
    assert none.shape == (0, 1)


def test_a_list_is_stacked_as_what_it_is_said_to_be() -> None:
    array = tl.TensorArray(tl.float32, 2).write(0, 1.0).write(1, 2.0)
    assert array.stack(2).tolist() == [1.0, 2.0]
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="a list with 3 elements"
    ):
        array.stack(3)
