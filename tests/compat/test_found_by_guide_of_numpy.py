"""tf.experimental.numpy: what the guides on it do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v2 as tf
from tensorlite.compat.v2 import numpy as tnp
from tensorlite.core.device import settings
from tensorlite.core.tensor import Tensor
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def eager() -> Iterator[None]:
    """As after the call that lets tensors behave as NumPy's arrays; all is put back."""
    before, mode.eager = mode.eager, True
    lacking = [name for name in tnp.METHODS if not hasattr(Tensor, name)]
    tnp.experimental_enable_numpy_behavior()
    yield
    tl.config.set_promotion("standard")
    settings.numpy_behavior = False
    for name in lacking:
        delattr(Tensor, name)
    mode.eager = before


def test_numbers_of_python_are_of_64_bits() -> None:
    assert tnp.asarray(1).dtype is tf.int64
    assert tnp.array([1.0, 2.0]).dtype is tf.float64
    assert tnp.ones([2]).dtype is tf.float64
    tnp.experimental_enable_numpy_behavior(prefer_float32=True)
    assert tnp.asarray(1.0).dtype is tf.float32
    assert tnp.add(1.0, 2.0).dtype is tf.float32
    tnp.experimental_enable_numpy_behavior()


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ("int32", "float32"),
        ("int32", "int64"),
        ("float32", "float64"),
        ("int8", "uint8"),
    ],
)
def test_dtypes_meet_as_numpys(x: str, y: str) -> None:
    wanted = np.result_type(x, y).name
    assert (tf.ones([1], x) + tf.ones([1], y)).dtype.name == wanted
    assert tnp.add(tf.ones([1], x), tf.ones([1], y)).dtype.name == wanted
    assert tnp.where(True, tf.ones([1], x), tf.ones([1], y)).dtype.name == wanted


FUNCTIONS: list[tuple[str, tuple[Any, ...]]] = [
    ("sqrt", ([4, 9],)),
    ("mean", ([1, 2],)),
    ("arange", (5,)),
    ("maximum", ([1.5, 2.0], 2)),
    ("add", (np.array([1.0], np.float32), 2.5)),
    ("matmul", ([[1, 2]], [[3], [4]])),
    ("concatenate", (([1, 2], [3.0]),)),
    ("cumsum", ([1, 2, 3],)),
    ("where", ([True, False], [1, 2], [3.0, 4.0])),
    ("expand_dims", ([1, 2], 0)),
    ("transpose", ([[1, 2], [3, 4]],)),
    ("linspace", (0, 1, 3)),
]


@pytest.mark.parametrize(("name", "args"), FUNCTIONS)
def test_functions_give_what_numpys_give(name: str, args: tuple[Any, ...]) -> None:
    found, wanted = getattr(tnp, name)(*args), getattr(np, name)(*args)
    assert isinstance(found, tf.Tensor)
    np.testing.assert_allclose(found.numpy(), wanted)
    assert found.dtype.name == wanted.dtype.name


def test_tensors_have_methods_of_arrays() -> None:
    x: Any = tnp.arange(24).reshape(2, 3, 4)
    assert x.shape == (2, 3, 4)
    assert x.ravel().astype(tnp.float32).dtype is tf.float32
    assert x.transpose(2, 0, 1).shape == (4, 2, 3)
    assert x.sum().numpy() == 276
    picked = x[1, (0, 0, 1), tnp.asarray([0, 1, 1])]
    assert picked.numpy().tolist() == [12, 13, 17]


def test_draws_have_shapes_and_dtypes() -> None:
    assert tnp.random.randn(3, 2).dtype is tf.float64
    whole = tnp.random.randint(2, 5, size=(50,))
    assert set(whole.numpy().tolist()) == {2, 3, 4}
    assert tnp.random.rand(2).shape == (2,)


def test_whole_numbers_beside_fractions_are_refused() -> None:
    tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="safe")
    with pytest.raises(TypeError, match="implicit dtype promotion"):
        tf.constant(1) + tf.constant(1.0)
    assert (tf.constant(1.0) + tf.constant(1.0, tf.float64)).dtype is tf.float64
    tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="all")
    assert (tf.constant(1) + tf.constant(1.0)).dtype is tf.float32
    with pytest.raises(ValueError, match="allowed are legacy"):
        tnp.experimental_enable_numpy_behavior(dtype_conversion_mode="none")
    with pytest.raises(ValueError, match="set_promotion takes"):
        tl.config.set_promotion("none")


def test_traced_functions_take_numbers_beside_tensors() -> None:
    traced = tf.function(lambda x: tnp.maximum(x, 0))
    assert traced(tf.constant([-1.0, 2.0])).numpy().tolist() == [0.0, 2.0]
    joined = tf.function(lambda x: tnp.array([x, 2.0]))
    assert joined(tf.constant(1.0)).numpy().tolist() == [1.0, 2.0]
