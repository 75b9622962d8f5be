"""tf.keras.random and tf.keras.tree. Draws were recorded from TensorFlow 2.21."""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import InvalidArgumentError

keras: Any = tf.keras
random, tree = keras.random, keras.tree


RECORDED: Any = {
    "normal": (((4,),), {"seed": 1}, [0.12665, -0.493017, 0.631191, -0.788847]),
    "uniform": (((3,), 0.0, 5.0), {"seed": 7}, [3.735394, 3.360901, 0.288898]),
    "randint": (((4,), 0, 10), {"seed": 3}, [8, 7, 2, 2]),
    "truncated_normal": (((3,),), {"seed": 2}, [-0.639429, -0.187006, -0.828455]),
    "gamma": (((3,), 2.0), {"seed": 1}, [3.049271, 1.966024, 1.623007]),
    "beta": (((3,), 2.0, 3.0), {"seed": 1}, [0.424144, 0.464593, 0.247129]),
    "shuffle": (([0, 1, 2, 3, 4, 5],), {"seed": 4}, [2, 5, 4, 0, 3, 1]),
    "categorical": (([[0.0, 1.0, 0.5]], 5), {"seed": 1}, [[0, 2, 0, 2, 1]]),
    "dropout": (
        ([1.0, 1.0, 1.0, 1.0, 1.0, 1.0], 0.4),
        {"seed": 5},
        [0.0, 1.666667, 1.666667, 0.0, 1.666667, 0.0],
    ),
}


@pytest.mark.parametrize("name", RECORDED)
def test_draws_of_seeds_are_tensorflows(name: str) -> None:
    args, kwargs, want = RECORDED[name]
    found = getattr(random, name)(*args, **kwargs).numpy()
    np.testing.assert_allclose(found, want, rtol=1e-5)


def test_a_generator_goes_on_and_can_be_described() -> None:
    generator = random.SeedGenerator(7)
    first, second = (random.uniform((3,), seed=generator).numpy() for _ in range(2))
    assert not np.allclose(first, second)
    again = random.SeedGenerator.from_config(generator.get_config())
    np.testing.assert_allclose(random.uniform((3,), seed=again).numpy(), first)
    assert generator.state.numpy().tolist() == [7, 2]
    with pytest.raises(InvalidArgumentError, match="integer"):
        random.SeedGenerator(0.5)


def test_what_has_no_seed_follows_the_common_one() -> None:
    found = []
    for _ in range(2):
        keras.utils.set_random_seed(3)
        found.append(random.normal((4,)).numpy())
    np.testing.assert_allclose(found[0], found[1])
    assert not np.allclose(random.normal((4,)).numpy(), found[0])


def test_layers_hold_generators_that_are_no_weights() -> None:
    class Noise(keras.layers.Layer):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.generator = random.SeedGenerator(1)

        def call(self, inputs: Any, training: bool = False) -> Any:
            return random.dropout(inputs, 0.5, seed=self.generator)

    layer = Noise()
    made = layer(np.ones((4, 50), np.float32)).numpy()
    assert set(np.unique(made)) == {0.0, 2.0}
    assert layer.weights == []


def test_draws_follow_their_laws() -> None:
    counts = random.binomial((4000,), 10.0, 0.3, seed=1).numpy()
    assert abs(counts.mean() - 3.0) < 0.1
    shares = random.beta((4000,), 2.0, 3.0, seed=1).numpy()
    assert abs(shares.mean() - 0.4) < 0.02
    mixed = random.shuffle(np.arange(20), seed=4).numpy()
    assert sorted(mixed.tolist()) == list(range(20))


def test_structures_are_walked_by_their_keys() -> None:
    given = {"b": [1, (2, 3)], "a": 4}
    assert tree.flatten(given) == [4, 1, 2, 3]
    assert tree.flatten_with_path(given)[1] == (("b", 0), 1)
    assert tree.map_structure(lambda x: x * 2, given) == {"b": [2, (4, 6)], "a": 8}
    assert tree.pack_sequence_as(given, [1, 2, 3, 4])["b"] == [2, (3, 4)]
    ordered = OrderedDict([("z", 1), ("y", 2)])
    assert list(tree.map_structure(str, ordered)) == ["z", "y"]
    found = tree.map_structure_up_to([0, 0], len, [[1, 2], [3]])
    assert found == [2, 1]
    assert tree.lists_to_tuples([1, [2, [3]]]) == (1, (2, (3,)))
    shapes = tree.map_shape_structure(len, {"x": (None, 3), "y": [(2,), (1, 2, 3)]})
    assert shapes == {"x": 2, "y": [1, 3]}
    with pytest.raises(InvalidArgumentError, match="differ"):
        tree.assert_same_paths([1], {"a": 1})
    with pytest.raises(InvalidArgumentError, match="4 values"):
        tree.pack_sequence_as(given, [1])
