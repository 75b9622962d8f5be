"""What libraries of models that are installed as packages ask of TensorFlow 2's names."""

from __future__ import annotations

import importlib.util
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf

keras = tf.keras

CHOICE = """
def doubled_or_halved(x):
    return x * 2 if x > 0 else x / 2
"""


def _module(path: Path, text: str) -> Any:
    path.parent.mkdir(parents=True)
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_conditions_of_installed_packages_become_branches(tmp_path: Path) -> None:
    place = tmp_path / "site-packages" / "models_of_somebody" / "parts.py"
    parts = _module(place, CHOICE)
    run = tf.function(lambda x: parts.doubled_or_halved(x + 0))
    assert [float(run(tf.constant(x))) for x in (3.0, -3.0)] == [6.0, -1.5]


def test_packages_that_know_no_tensors_are_called_as_they_are(tmp_path: Path) -> None:
    parts = _module(tmp_path / "site-packages" / "scipy" / "parts.py", CHOICE)
    run = tf.function(lambda x: parts.doubled_or_halved(x + 0))
    with pytest.raises(tf.errors.OperatorNotAllowedInGraphError) as error:
        run(tf.constant(3.0))
    assert "truth value" in str(error.value)


class Output(OrderedDict[str, Any]):
    """A result by names, of a fixed kind: nothing is added to it at once."""

    def update(self, *args: Any, **kwargs: Any) -> None:
        raise TypeError("no update")


class Frozen(Mapping[str, Any]):
    """A mapping that does not change."""

    def __init__(self, members: Any) -> None:
        self._members = dict(members)

    def __getitem__(self, key: str) -> Any:
        return self._members[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __len__(self) -> int:
        return len(self._members)


@pytest.mark.parametrize("kind", [Output, Frozen])
def test_mappings_of_other_kinds_are_made_again(kind: Any) -> None:
    made = tf.nest.map_structure(lambda x: x + 1, kind({"b": 1, "a": 2}))
    assert type(made) is kind
    assert list(made.items()) == [("b", 2), ("a", 3)]


class Rows(keras.layers.Layer):
    """Makes its parts when it is told no shape."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(2)

    def build(self, input_shape: Any = None) -> None:
        self.dense.build((None, 3))

    def call(self, inputs: Any) -> Any:
        return self.dense(inputs)


def test_layers_are_built_without_a_shape() -> None:
    layer = Rows()
    layer.build(None)
    assert layer.built
    assert tuple(layer(tf.ones((4, 3))).shape) == (4, 2)


class Classifier(keras.Model):
    """A model that programs write, of one layer."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = keras.layers.Dense(2)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        return self.dense(inputs)


def test_models_of_programs_are_parts_of_models_of_layers() -> None:
    inputs = keras.Input((3,))
    model = keras.Model(inputs, Classifier()(keras.layers.Dense(4)(inputs)))
    assert model.output_shape == (None, 2)
    assert len(model.trainable_weights) == 4


def test_models_that_are_not_built_have_no_weights_yet() -> None:
    assert keras.Sequential([keras.layers.Dense(3)]).weights == []
    assert Classifier().weights == []


class Normed(keras.layers.Conv1D):
    """A convolution whose kernel is computed anew at each call."""

    def call(self, inputs: Any) -> Any:
        self.kernel = tf.math.l2_normalize(self.raw, axis=1)
        return super().call(inputs)

    def build(self, input_shape: Any) -> None:
        super().build(input_shape)
        self.raw = self.kernel


def test_kernels_of_convolutions_in_groups_may_be_computed() -> None:
    layer = Normed(4, 2, groups=2, use_bias=False)
    x = np.arange(12.0, dtype=np.float32).reshape(1, 3, 4)
    got = layer(x).numpy()
    raw = layer.raw.numpy()
    kernel = raw / np.sqrt((raw**2).sum(1, keepdims=True))
    for group in range(2):
        part = x[0, :, 2 * group : 2 * group + 2]
        own = kernel[..., 2 * group : 2 * group + 2]
        wanted = [np.einsum("kc,kcf->f", part[i : i + 2], own) for i in range(2)]
        np.testing.assert_allclose(
            got[0, :, 2 * group : 2 * group + 2], wanted, rtol=1e-5
        )


def test_models_know_the_strategy_they_were_made_under() -> None:
    strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    with strategy.scope():
        model = keras.Sequential([keras.layers.Dense(1)])
    assert model.distribute_strategy is strategy
    assert keras.Sequential().distribute_strategy is tf.distribute.get_strategy()


@pytest.mark.parametrize(
    ("kind", "factor", "wanted"),
    [
        ("RandomHeight", (0.2, 0.2), (2, 12, 8, 3)),
        ("RandomWidth", (-0.5, -0.5), (2, 10, 4, 3)),
    ],
)
def test_images_become_longer_along_one_axis(
    kind: str, factor: Any, wanted: tuple[int, ...]
) -> None:
    """In training alone; the number of rows or columns is not known of a model."""
    layer = getattr(keras.layers, kind)(factor)
    images = np.random.default_rng(3).normal(size=(2, 10, 8, 3)).astype(np.float32)
    made = layer(images, training=True)
    assert tuple(made.shape) == wanted
    scaled = tf.image.resize(images, wanted[1:3])
    np.testing.assert_allclose(made.numpy(), scaled.numpy(), rtol=1e-6)
    np.testing.assert_array_equal(layer(images, training=False).numpy(), images)
    sizes = [
        None if a != b else a for a, b in zip(wanted, (2, 10, 8, 3), strict=True)
    ]
    assert tuple(layer(keras.Input((10, 8, 3))).shape) == (None, *sizes[1:])
    again = keras.layers.deserialize(keras.layers.serialize(layer))
    assert (type(again), again.factor) == (type(layer), factor)


@pytest.mark.parametrize(
    ("factor", "words"), [((0.3, 0.2), "upper bound"), (1.5, "larger than -1")]
)
def test_factors_of_lengths_are_checked(factor: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        keras.layers.RandomWidth(factor)


def test_layers_stand_where_they_stood_in_older_versions() -> None:
    older = keras.layers.experimental.preprocessing
    assert older.Rescaling is keras.layers.Rescaling
    assert issubclass(older.TextVectorization, older.PreprocessingLayer)
