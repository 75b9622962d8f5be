"""Dataclasses that say by __tf_flatten__ what their members are: structures, as in TensorFlow 2."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v2

tf: Any = v2


@dataclass
class Masked:
    """A tensor, its mask, and a name that is no member."""

    value: Any
    mask: Any
    name: str = "own"

    def __tf_flatten__(self) -> tuple[Any, Any]:
        return (self.name,), (self.value, self.mask)

    @classmethod
    def __tf_unflatten__(cls, metadata: Any, leaves: Any) -> Masked:
        return cls(leaves[0], leaves[1], metadata[0])


def test_they_are_flattened_and_made_again() -> None:
    x = Masked(1, [2, 3])
    assert tf.nest.is_nested(x)
    assert tf.nest.flatten(x) == [1, 2, 3]
    assert tf.nest.map_structure(lambda n: 2 * n, x) == Masked(2, [4, 6])
    assert tf.nest.pack_sequence_as(x, [4, 5, 6]) == Masked(4, [5, 6])
    tf.nest.assert_same_structure(x, Masked(0, [0, 0]))
    with pytest.raises((TypeError, ValueError)):
        tf.nest.assert_same_structure(x, Masked(0, 0))


def test_functions_take_them_and_tell_their_names_apart() -> None:
    more = tf.function(lambda x: Masked(x.value + 1, x.mask * 2.0, x.name))
    made = more(Masked(tf.constant(1), tf.constant(2.0)))
    assert (int(made.value), float(made.mask), made.name) == (2, 4.0, "own")
    assert more(Masked(tf.constant(1), tf.constant(2.0), "other")).name == "other"
    more(Masked(tf.constant(5), tf.constant(2.0)))
    assert more.experimental_get_tracing_count() == 2


def test_loops_and_datasets_have_them() -> None:
    (made,) = tf.while_loop(
        lambda x: x.value < 3,
        lambda x: [Masked(x.value + 1, x.mask * 2.0)],
        [Masked(tf.constant(0), tf.constant(1.0))],
    )
    assert float(made.mask) == 8.0
    rows = tf.data.Dataset.from_tensor_slices(Masked(np.arange(2), np.arange(2) * 2))
    assert [(int(x.value), int(x.mask)) for x in rows] == [(0, 0), (1, 2)]
