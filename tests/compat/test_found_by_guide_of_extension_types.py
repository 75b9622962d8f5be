"""What the guide on extension types does: classes of tensors, in functions, datasets, dispatch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.compat.v2.extension_types import BatchableExtensionType, ExtensionType
from tensorlite.core.tensor import Tensor


class Masked(BatchableExtensionType):
    """A tensor and which of its elements count."""

    values: Tensor
    mask: Tensor

    def __validate__(self) -> None:
        self.values.get_shape().assert_is_compatible_with(self.mask.get_shape())

    class Spec:
        """Is known by its shape."""

        def __init__(self, shape: Any, dtype: Any = tf.int32) -> None:
            self.values = tf.TensorSpec(shape, dtype)
            self.mask = tf.TensorSpec(shape, tf.bool)


class Pencil(ExtensionType):
    """Has defaults, and fields that are no tensors."""

    color: str = "black"
    length: Tensor = 1.0  # type: ignore[assignment]  # what is no tensor becomes one


class Tree(ExtensionType):
    """Holds others of its kind, and tensors by names."""

    value: Tensor
    parts: Mapping[str, Tensor] = {}
    inner: "tuple[Tree, ...]" = ()  # noqa: UP037  # names itself


class Network(BatchableExtensionType):
    """Has a constructor of its own, and the shape of its batch."""

    shape: tf.TensorShape
    work: Tensor

    def __init__(self, work: Any) -> None:
        self.work = tf.convert_to_tensor(work)
        self.shape = self.work.get_shape()[:-1]


def masked(values: Any, mask: Any) -> Any:
    return Masked(values, mask)


def test_fields_are_converted_checked_and_stay() -> None:
    x = masked([1, 2], [True, False])
    assert x.values.numpy().tolist() == [1, 2]
    with pytest.raises(TypeError, match="mask: expected a Tensor, got 'NoneType'"):
        masked([1], None)
    with pytest.raises(ValueError, match="shape"):
        masked([1, 2], [True])
    with pytest.raises(AttributeError, match="Cannot mutate attribute `mask`"):
        x.mask = [True, True]
    assert x == masked([1, 2], [True, False])
    assert x != masked([1, 3], [True, False])
    assert x != masked([[1, 2]], [[True, False]])
    assert x != x.values


def test_defaults_and_what_it_looks_like() -> None:
    assert repr(Pencil(length=0.5)) == (
        "Pencil(color='black', length=<tf.Tensor: shape=(), dtype=float32, numpy=0.5>)"
    )
    tree = Tree(3, {"a": 1.5}, [Tree(5)])
    assert tree.inner[0].value.numpy() == 5
    parts: Any = tree.parts
    with pytest.raises(TypeError):
        parts["b"] = 1
    assert str(tf.type_spec_from_value(tree).parts) == (
        "ImmutableDict({'a': TensorSpec(shape=(), dtype=tf.float32, name=None)})"
    )


def test_functions_take_and_return_them() -> None:
    @tf.function
    def longer(x: Any) -> Any:
        return Pencil(x.color, x.length + 1.0)

    made = [longer(Pencil(color=c)) for c in ("red", "red", "blue")]
    assert [(x.color, x.length.numpy()) for x in made[1:]] == [
        ("red", 2),
        ("blue", 2),
    ]
    assert longer.trace_count == 2
    kind: Any = Masked.Spec
    spec = kind([None])
    assert isinstance(spec, kind)
    total = tf.function(lambda x: tf.reduce_sum(x.values), input_signature=[spec])
    assert total(masked([1, 2], [True, True])).numpy() == 3
    assert total(masked([1], [True])).numpy() == 1
    assert total.trace_count == 1


def test_branches_and_loops_carry_them() -> None:
    x = masked([1.0], [True])
    y = tf.while_loop(
        lambda i, _: i < 3, lambda i, x: (i + 1, masked(x.values * 2, x.mask)), [0, x]
    )[1]
    assert y.values.numpy().tolist() == [8.0]
    assert tf.cond(tf.constant(True), lambda: x, lambda: y).values.numpy() == [1.0]


def test_datasets_have_them_as_elements() -> None:
    x = masked([[1, 2], [3, 4], [5, 6]], [[True, False]] * 3)
    slices = tf.data.Dataset.from_tensor_slices(x)
    assert [e.values.numpy().tolist() for e in slices] == [[1, 2], [3, 4], [5, 6]]
    batches = list(slices.batch(2))
    assert [e.mask.shape for e in batches] == [(2, 2), (1, 2)]
    generated = tf.data.Dataset.from_generator(
        lambda: iter([masked([1, 2], [True, True])]),
        output_signature=tf.type_spec_from_value(masked([1, 2], [True, True])),
    )
    assert iter(generated).next().values.numpy().tolist() == [1, 2]


def test_shapes_of_batches_follow() -> None:
    both = Network([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert both.shape == (2,)
    parts = list(tf.data.Dataset.from_tensor_slices(both))
    assert [e.shape.as_list() for e in parts] == [[], []]
    assert [e.work.numpy()[0] for e in parts] == [1.0, 4.0]
    doubled = tf.map_fn(lambda e: Network(e.work * 2), both)
    assert doubled.shape == (2,)
    assert doubled.work.numpy()[1].tolist() == [8.0, 10.0, 12.0]


@pytest.fixture
def handlers() -> Iterator[list[Any]]:
    made: list[Any] = []
    yield made
    for handler in made:
        tf.experimental.unregister_dispatch_for(handler)


def test_functions_are_called_in_the_place_of_others(handlers: list[Any]) -> None:
    @tf.experimental.dispatch_for_api(tf.stack)
    def stacked(values: list[Masked | Tensor], axis: int = 0) -> Any:
        found = [x.values if isinstance(x, Masked) else x for x in values]
        return masked(tf.stack(found, axis), tf.ones_like(tf.stack(found), tf.bool))

    @tf.experimental.dispatch_for_unary_elementwise_apis(Masked)
    def unary(api: Any, x: Any) -> Any:
        return masked(api(x.values), x.mask)

    @tf.experimental.dispatch_for_binary_elementwise_apis(Masked, Masked)
    def binary(api: Any, x: Any, y: Any) -> Any:
        return masked(api(x.values, y.values), x.mask & y.mask)

    handlers += [stacked, unary, binary]
    x, y = masked([1, -2], [True, False]), masked([3, 4], [True, True])
    rows = tf.stack([x, tf.constant([5, 6])])
    assert rows.values.numpy().tolist() == [[1, -2], [5, 6]]
    assert tf.abs(x).values.numpy().tolist() == [1, 2]
    total = tf.math.add(x, y)
    assert total.values.numpy().tolist() == [4, 2]
    assert total.mask.numpy().tolist() == [True, False]
    np.testing.assert_array_equal(tf.stack([tf.constant([1])]), [[1]])


def test_only_what_is_registered_is_forgotten() -> None:
    with pytest.raises(ValueError, match="was not registered"):
        tf.experimental.unregister_dispatch_for(masked)
    with pytest.raises(ValueError, match="annotates no parameter"):
        tf.experimental.dispatch_for_api(tf.stack)(lambda values: values)


class Stored(ExtensionType):
    """Has a name under which files know it."""

    __name__ = "tests_of_extension_types.Stored"
    values: Tensor
    mask: Tensor
    about: str = "first"
    shape: tf.TensorShape = tf.TensorShape([None])


class Growing(tf.Module):
    """Has a function of such values."""

    def __init__(self) -> None:
        super().__init__()
        self.factor = tf.Variable(100.0)

    @tf.function
    def grow(self, x: Any) -> Any:
        return Stored(x.values * self.factor, x.mask, "grown")


def test_registered_types_are_in_saved_models(tmp_path: Path) -> None:
    module: Any = Growing()
    specs = tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.bool)
    module.grow.get_concrete_function(Stored.Spec(*specs))
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    result = loaded.grow(Stored([1.0, 2.0], [False, True]))
    assert isinstance(result, Stored)
    assert (result.about, result.shape) == ("grown", tf.TensorShape([None]))
    np.testing.assert_array_equal(result.values, [100.0, 200.0])
    with pytest.raises((TypeError, ValueError)):
        loaded.grow(Stored([1.0], [True], "another"))


def test_names_of_types_are_taken_once() -> None:
    with pytest.raises(ValueError, match="already been registered"):
        type("Stored", (ExtensionType,), {"__name__": Stored.__dict__["__name__"]})
