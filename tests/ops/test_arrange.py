"""What arranging does at its edges: sizes known in traces, empty tensors, errors' words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.spec import TensorSpec
from tensorlite.graph.trace import trace
from tests.checks import host


def spec_of(function: Callable[..., Any], *specs: TensorSpec) -> TensorSpec:
    """Return what a trace knows of the one output of a function."""
    return trace(lambda *xs: [function(*xs)], specs).graph.outputs[0].spec


def test_a_shape_stacked_from_sizes_keeps_the_rank_known() -> None:
    def flat(x: Any) -> Any:
        return tl.reshape(x, tl.stack([tl.unstack(tl.shape(x), num=3)[0], -1]))

    assert spec_of(flat, TensorSpec((None, 3, 4))).shape == (None, None)
    assert spec_of(flat, TensorSpec((2, 3, 4))).shape == (2, 12)


def test_joined_shapes_carry_what_is_known_of_each() -> None:
    def joined(x: Any, y: Any) -> Any:
        return tl.concat([tl.shape(x), tl.expand_dims(tl.size(y)), [7]])

    known = spec_of(joined, TensorSpec((None, 3)), TensorSpec((2, 2))).known
    assert known == (None, 3, 4, 7)


def test_squeezed_and_expanded_integers_stay_known() -> None:
    def there_and_back(x: Any) -> Any:
        return tl.squeeze(tl.expand_dims(tl.rank(x)))

    assert spec_of(there_and_back, TensorSpec((None, None, 5))).known == 3


@pytest.mark.parametrize(
    ("made", "known"),
    [
        (lambda n: n + 1, (None, 4, 6)),
        (lambda n: 10 - n, (None, 7, 5)),
        (lambda n: n * n, (None, 9, 25)),
        (lambda n: n[1:] * n[2], (15, 25)),
        (lambda n: n // [2, 2, 2], (None, 1, 2)),
        (lambda n: n[2] % n[1], 2),
        (lambda n: tl.maximum(n, 4), (None, 4, 5)),
        (lambda n: tl.minimum(n[1:2], n), (None, 3, 3)),
        (lambda n: n // (n - 3), (None, None, 2)),
        (lambda n: n[1] * 2**30, None),
        (lambda n: n + tl.zeros((1, 3), dtype=tl.int32), None),
    ],
)
def test_sizes_that_are_computed_stay_known(made: Any, known: Any) -> None:
    """All but divisions by zero, numbers beyond the dtype, and tables."""
    spec = spec_of(lambda x: made(tl.shape(x)), TensorSpec((None, 3, 5)))
    assert spec.known == known


def test_a_traced_pad_has_a_static_shape() -> None:
    padded = spec_of(lambda x: tl.pad(x, [[1, 2], [0, 3]]), TensorSpec((2, None)))
    assert padded.shape == (5, None)
    stacked = spec_of(
        lambda x: tl.pad(x, tl.stack([[1, 0], tl.shape(x)], axis=1)),
        TensorSpec((2, 3)),
    )
    assert stacked.shape == (5, 6)


def test_concat_promotes_and_adds_unknown_sizes() -> None:
    both = tl.concat([tl.asarray([1, 2]), tl.asarray([0.5])])
    assert both.dtype is tl.float32
    spec = spec_of(
        lambda x, y: tl.concat([x, y], axis=1),
        TensorSpec((2, 3)),
        TensorSpec((2, None)),
    )
    assert spec.shape == (2, None)


def test_concat_of_other_sizes_says_which() -> None:
    with pytest.raises(
        tl.errors.ShapeError, match=r"\[2, 3\] and \[3, 3\] differ beside axis 1"
    ):
        tl.concat([np.ones((2, 3)), np.ones((3, 3))], axis=1)
    with pytest.raises(
        tl.errors.ShapeError, match="Dimension 2 in both shapes must be equal"
    ):
        tl.concat([np.ones((2, 3, 4)), np.ones((2, 1, 5))], axis=1)
    with pytest.raises(tl.errors.ShapeError, match="tensors of one rank, 1 or more"):
        tl.concat([1.0, 2.0])
    with pytest.raises(tl.errors.InvalidArgumentError, match="of no tensors"):
        tl.concat([])


def test_an_axis_that_is_not_there_is_an_index_error() -> None:
    with pytest.raises(IndexError, match="allowed are -2 to 1"):
        tl.expand_dims(tl.ones(3), axis=2)
    with pytest.raises(ValueError, match="axis 1 is out of range"):
        tl.flip(tl.ones(3), axis=1)


def test_stack_and_unstack_say_what_differs() -> None:
    with pytest.raises(
        tl.errors.ShapeError, match="stack takes tensors of one shape"
    ):
        tl.stack([np.ones(2), np.ones(3)])
    with pytest.raises(tl.errors.ShapeError, match="give `num`"):
        spec_of(lambda x: tl.unstack(x)[0], TensorSpec((None, 2)))
    assert tl.unstack(np.ones((0, 2))) == ()


def test_split_sizes_must_make_up_the_axis() -> None:
    with pytest.raises(tl.errors.ShapeError, match="does not divide into 2"):
        tl.split(np.ones(5), 2)
    with pytest.raises(tl.errors.ShapeError, match="do not add up to an axis of 5"):
        tl.split(np.ones(5), [2, 2])
    with pytest.raises(tl.errors.InvalidArgumentError, match="give 1 or more"):
        tl.split(np.ones(5), 0)


def test_a_part_without_gradient_counts_as_zero() -> None:
    x = tl.asarray([1.0, 2.0, 3.0])
    with tl.GradientTape() as tape:
        tape.watch(x)
        first, _ = tl.split(x, [1, 2])
        y = first * 5.0
    np.testing.assert_array_equal(host(tape.gradient(y, x)), [5.0, 0.0, 0.0])


def test_permutations_must_name_each_axis_once() -> None:
    with pytest.raises(tl.errors.ShapeError, match="name each axis once"):
        tl.permute_dims(np.ones((2, 3)), (0, 0))
    with pytest.raises(tl.errors.ShapeError, match="should be a matrix or a stack"):
        tl.matrix_transpose(np.ones(3))


def test_x_t_reverses_the_axes_of_any_rank() -> None:
    x = tl.ones((2, 3, 4))
    assert x.T.shape == (4, 3, 2)
    assert x.mT.shape == (2, 4, 3)


def test_permutations_that_come_as_tensors_are_undone_in_gradients() -> None:
    def turned(x: Any, order: Any) -> Any:
        with tl.GradientTape() as tape:
            tape.watch(x)
            y = tl.permute_dims(x, order)
        return tape.gradient(y, x, output_gradients=y)

    traced = trace(
        lambda x, p: [turned(x, p)],
        [TensorSpec((None, 3)), TensorSpec((2,), tl.int32)],
    )
    assert "InvertPermutation" in [node.op.name for node in traced.graph.nodes]
    assert traced.graph.outputs[0].spec.rank == 2


def test_squeeze_refuses_longer_axes() -> None:
    with pytest.raises(
        tl.errors.ShapeError,
        match=r"dim\[0\], expected a dimension of 1",
    ):
        tl.squeeze(np.ones((2, 1)), axis=0)


def test_stop_gradient_is_a_constant_to_the_tape() -> None:
    x = tl.asarray([2.0])
    with tl.GradientTape() as tape:
        tape.watch(x)
        y = tl.stop_gradient(x) * 3.0
    assert tape.gradient(y, x) is None


def test_a_device_that_is_not_there_is_named() -> None:
    with pytest.raises(tl.errors.DeviceError, match="GPU:99"):
        tl.to_device(tl.ones(1), "/device:GPU:99")
    x = tl.ones(1)
    assert tl.to_device(x, x.device) is x


def test_a_traced_copy_bears_its_device() -> None:
    traced = trace(lambda x: [tl.to_device(x, "/device:CPU:0")], [TensorSpec((2,))])
    assert str(traced.graph.outputs[0].node.device) == "/device:CPU:0"


def test_mirror_images_are_no_larger_than_the_tensor() -> None:
    with pytest.raises(tl.errors.ShapeError, match="allows 2 on each side"):
        tl.pad(np.ones(3), [[3, 0]], mode="reflect")
    with pytest.raises(tl.errors.InvalidArgumentError, match="allowed: 'constant'"):
        tl.pad(np.ones(3), [[3, 0]], mode="edge")  # type: ignore[arg-type]
    with pytest.raises(
        tl.errors.ShapeError, match=r"give one \(before, after\) per axis"
    ):
        tl.pad(np.ones((3, 3)), [[3, 0]])


def test_counts_of_repeat_fit_the_axis() -> None:
    with pytest.raises(tl.errors.ShapeError, match="2 counts for axis 0"):
        tl.repeat(np.ones(3), [1, 2])
    with pytest.raises(
        tl.errors.InvalidArgumentError, match="one integer or a vector"
    ):
        tl.repeat(np.ones(3), np.asarray([0.5]))


def test_blocks_must_tile_the_image() -> None:
    with pytest.raises(
        tl.errors.ShapeError, match="3 does not divide into parts of 2"
    ):
        tl.space_to_depth(np.ones((1, 3, 2, 1)), 2)
    with pytest.raises(
        tl.errors.ShapeError, match="3 does not divide into parts of 4"
    ):
        tl.depth_to_space(np.ones((1, 2, 2, 3)), 2)


def test_shapes_that_do_not_broadcast_are_told() -> None:
    assert tl.broadcast_shapes((2, 1), (3,), ()) == (2, 3)
    with pytest.raises(tl.errors.ShapeError, match="do not broadcast"):
        tl.broadcast_arrays(np.ones(2), np.ones(3))
