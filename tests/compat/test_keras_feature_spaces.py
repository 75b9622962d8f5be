"""Rows of named features as numbers: layers of vocabularies and bins, FeatureSpace, their files.

Expected numbers are Keras 3.15's, run on TensorFlow 2.21.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import FailedPreconditionError, InvalidArgumentError

layers = tf.keras.layers
FeatureSpace = tf.keras.utils.FeatureSpace
COLUMNS = {
    "f1": [0.0, 1.0, 2.0, 3.0],
    "f2": [1, 2, 2, 5],
    "f3": ["a", "b", "b", "c"],
    "f4": [3.0, 1.0, 4.0, 1.0],
}
ROW = {"f1": 1.0, "f2": 2, "f3": "b", "f4": 2.0}
ONES = [0, 2, 6, 10, 15, 19]
"""Where Keras has a one in ROW, of 26 numbers."""


def _space() -> Any:
    made = FeatureSpace(
        {
            "f1": "float",
            "f2": FeatureSpace.integer_categorical(output_mode="one_hot"),
            "f3": "string_categorical",
            "f4": FeatureSpace.float_discretized(num_bins=3),
        },
        crosses=[
            ("f2", "f3"),
            FeatureSpace.cross(feature_names=("f3", "f4"), crossing_dim=8),
        ],
        crossing_dim=6,
    )
    made.adapt(COLUMNS)
    return made


def test_a_space_encodes_single_rows_and_batches_as_keras_does() -> None:
    space = _space()
    assert np.flatnonzero(space(ROW).numpy()).tolist() == ONES
    rows = space({key: np.array(x) for key, x in COLUMNS.items()}).numpy()
    assert rows.shape == (4, 26)
    assert np.flatnonzero(rows[0]).tolist() == [4, 8, 11, 15, 21]
    assert rows[3, 0] == 3.0


def test_spaces_map_datasets_and_begin_models() -> None:
    space = _space()
    data = tf.data.Dataset.from_tensor_slices((COLUMNS, [0.0, 1.0, 2.0, 3.0]))
    mapped = data.batch(2).map(lambda row, label: (space(row), label))
    assert [tuple(x.shape) for x, _ in mapped] == [(2, 26), (2, 26)]
    inputs, encoded = space.get_inputs(), space.get_encoded_features()
    assert sorted(inputs) == ["f1", "f2", "f3", "f4"]
    model = tf.keras.Model(inputs, layers.Dense(1)(encoded))
    model.compile("sgd", "mse")
    told = model.fit(data.batch(2), epochs=3, verbose=0).history["loss"]
    assert told[-1] < told[0]


def test_spaces_of_dicts_keep_each_feature() -> None:
    kinds = {
        "f1": FeatureSpace.float_normalized(),
        "f2": FeatureSpace.integer_hashed(4),
        "f3": FeatureSpace.string_hashed(5, output_mode="int"),
        "f4": FeatureSpace.float_rescaled(2.0, 1.0),
    }
    space = FeatureSpace(kinds, output_mode="dict")
    space.adapt(COLUMNS)
    made = {key: x.numpy().tolist() for key, x in space(ROW).items()}
    assert made["f1"] == [pytest.approx(-0.4472, abs=1e-4)]
    del made["f1"]
    assert made == {"f2": [0.0, 0.0, 0.0, 1.0], "f3": [2], "f4": [5.0]}


def test_spaces_are_read_back_from_their_files(tmp_path: Path) -> None:
    path = str(tmp_path / "space.keras")
    _space().save(path)
    again = tf.keras.models.load_model(path)
    assert np.flatnonzero(again(ROW).numpy()).tolist() == ONES


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: FeatureSpace({}), "cannot be None or empty"),
        (lambda: FeatureSpace({"a": "flt"}), "Invalid feature type: flt"),
        (lambda: FeatureSpace({"a": "float"}, crosses=[("a", "b")]), "be present"),
        (lambda: FeatureSpace({"a": "float"}, output_mode="x"), "output_mode=x"),
        (lambda: FeatureSpace({"a": "float_normalized"})({"a": 1.0}), "`.adapt"),
        (lambda: FeatureSpace({"a": "float"})([1.0]), "only be called with a dict"),
        (lambda: FeatureSpace({"a": "float"}).adapt(3), "`adapt\\(\\)` can only"),
        (
            lambda: FeatureSpace({"a": FeatureSpace.string_hashed(3, "int")})(
                {"a": "x"}
            ),
            "Consider using `output_mode='dict'`",
        ),
    ],
)
def test_what_is_wrong_with_a_space_is_told(make: Any, told: str) -> None:
    with pytest.raises(InvalidArgumentError, match=told):
        make()


def _learnt() -> dict[str, tuple[Any, Any, Any]]:
    words = layers.StringLookup()
    words.adapt(np.array(["a", "b", "b", "c"]))
    texts = layers.TextVectorization(output_mode="tf_idf")
    texts.adapt(["a b c", "c d e"])
    numbers = layers.IntegerLookup(output_mode="count")
    numbers.adapt([3, 4, 4, 5])
    bins = layers.Discretization(num_bins=3)
    bins.adapt(np.arange(10.0))
    weighted = [
        [0.0, 0.51082563, 0.0, 0.0, 0.0, 1.38629436],
        [0.65668285, 0.0, 0.0, 0.69314718, 0.0, 0.0],
    ]
    return {
        "words": (words, [["b"], ["z"]], [[1], [0]]),
        "texts": (texts, [["c a a"], ["q d"]], weighted),
        "numbers": (numbers, [[4], [9]], [[0, 1, 0, 0], [1, 0, 0, 0]]),
        "bins": (bins, [[2.0], [7.0]], [[0], [2]]),
    }


@pytest.mark.parametrize("kind", ["words", "texts", "numbers", "bins"])
def test_what_layers_have_learnt_lies_in_archives(kind: str, tmp_path: Path) -> None:
    layer, data, expected = _learnt()[kind]
    given = tf.constant(data)
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype=given.dtype), layer])
    path = str(tmp_path / "model.keras")
    model.save(path)
    again = tf.keras.models.load_model(path)
    np.testing.assert_allclose(again(given).numpy(), expected, rtol=1e-5)
    inside = zipfile.ZipFile(path).namelist()
    assert any(x.endswith("vocabulary.txt") for x in inside) == (kind != "bins")


def test_programs_layers_write_and_read_files_of_their_own(tmp_path: Path) -> None:
    @tf.keras.utils.register_keras_serializable("notes")
    class Noted(layers.Layer):
        note = ""

        def call(self, inputs: Any) -> Any:
            return inputs

        def save_assets(self, dir_path: str) -> None:
            (Path(dir_path) / "note.txt").write_text(self.note)

        def load_assets(self, dir_path: str) -> None:
            self.note = (Path(dir_path) / "note.txt").read_text()

    noted = Noted()
    noted.note = "read me"
    model = tf.keras.Sequential([tf.keras.Input((2,)), noted, layers.Dense(1)])
    path = str(tmp_path / "noted.keras")
    model.save(path)
    assert tf.keras.models.load_model(path).layers[0].note == "read me"


def test_archives_that_would_fill_the_disk_are_not_unpacked(tmp_path: Path) -> None:
    words = layers.StringLookup()
    words.adapt(np.array(["a", "b"]))
    model = tf.keras.Sequential([tf.keras.Input((1,), dtype="string"), words])
    path = str(tmp_path / "model.keras")
    model.save(path)
    larger = str(tmp_path / "larger.keras")
    with zipfile.ZipFile(path) as archive, zipfile.ZipFile(larger, "w") as made:
        for name in archive.namelist():
            content, packed = archive.read(name), zipfile.ZIP_STORED
            if name.endswith("vocabulary.txt"):
                content, packed = b"\n" * (2**26 + 1), zipfile.ZIP_DEFLATED
            made.writestr(name, content, packed)
    with pytest.raises(InvalidArgumentError, match="packed so tightly"):
        tf.keras.models.load_model(larger)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ({"max_tokens": 1}, "greater than 1"),
        ({"pad_to_max_tokens": True}, "must set `max_tokens`"),
        ({"num_oov_indices": -1}, "greater than or equal to 0"),
        ({"output_mode": "ints"}, "Unknown value for `output_mode`"),
        ({"invert": True, "output_mode": "count"}, "when `invert` is true"),
        ({"sparse": True}, "`sparse` may only be true"),
        ({"vocabulary": []}, "empty vocabulary"),
        ({"vocabulary": ["a", "b", "a"]}, r"repeated terms are: \['a'\]"),
        ({"vocabulary": ["a", "b"], "max_tokens": 2}, "larger than the maximum"),
        ({"vocabulary": ["a", "m"], "mask_token": "m"}, "reserved mask token"),
        ({"vocabulary": ["a"], "idf_weights": [1.0]}, "should only be set"),
        ({"vocabulary": ["a"], "output_mode": "tf_idf"}, "must be set"),
        ({"salt": "s"}, "can only be a tuple"),
        ({"vocabulary": "no/such/file"}, "does not exist"),
    ],
)
def test_what_is_wrong_with_a_vocabulary_is_told(arguments: Any, told: str) -> None:
    with pytest.raises(InvalidArgumentError, match=told):
        layers.StringLookup(**arguments)


def test_vocabularies_are_asked_for_and_stay_as_large_as_they_were() -> None:
    counts = layers.StringLookup(output_mode="count")
    with pytest.raises(FailedPreconditionError, match="output_mode=count"):
        counts(tf.constant([["a"]]))
    with pytest.raises(FailedPreconditionError, match="not initialized"):
        layers.StringLookup()(tf.constant(["a"]))
    counts.set_vocabulary(["a", "b"])
    with pytest.raises(RuntimeError, match="Old vocab size is 3"):
        counts.set_vocabulary(["a"])
    assert counts.get_vocabulary() == ["[UNK]", "a", "b"]
    with pytest.raises(InvalidArgumentError, match="static vocabulary"):
        layers.StringLookup(vocabulary=["a"]).adapt(["b"])
    strict = layers.StringLookup(vocabulary=["a"], num_oov_indices=0)
    assert strict(tf.constant(["a"])).numpy().tolist() == [0]
    with pytest.raises(tf.errors.InvalidArgumentError, match="num_oov_indices=0"):
        strict(tf.constant(["b"]))


def test_unknown_terms_are_spread_over_their_numbers_by_hashes() -> None:
    by_rest = layers.IntegerLookup(vocabulary=[1], num_oov_indices=3)
    assert by_rest(tf.constant([10, 11, 12])).numpy().tolist() == [1, 2, 0]
    hashed = layers.IntegerLookup(
        vocabulary=[1], num_oov_indices=3, oov_method="farmhash"
    )
    bins = tf.strings.to_hash_bucket_fast(["10", "11", "12"], 3)
    assert hashed(tf.constant([10, 11, 12])).numpy().tolist() == bins.numpy().tolist()
    salted = layers.StringLookup(vocabulary=["a"], num_oov_indices=5, salt=7)
    strong = tf.strings.to_hash_bucket_strong(["x", "y"], 5, [7, 7]).numpy()
    assert salted(tf.constant(["x", "y"])).numpy().tolist() == strong.tolist()


def test_sparse_terms_are_numbered_and_rows_may_be_sparse() -> None:
    given = tf.sparse.SparseTensor([[0, 0], [1, 2]], ["b", "z"], [2, 3])
    words = layers.StringLookup(vocabulary=["a", "b"])
    made = words(given)
    assert made.values.numpy().tolist() == [2, 0]
    rows = layers.StringLookup(
        vocabulary=["a", "b"], output_mode="count", sparse=True
    )(tf.constant([["b", "b", "q"]]))
    assert tf.sparse.to_dense(rows).numpy().tolist() == [[1, 0, 2]]
    assert tf.keras.ops.convert_to_numpy(rows).tolist() == [[1, 0, 2]]


def test_scales_for_several_axes_are_broadcast_from_the_last() -> None:
    data = np.arange(2 * 3 * 5, dtype=np.float32).reshape(2, 3, 5)
    mean, variance = np.arange(5.0), np.full(5, 4.0)
    layer = layers.Normalization(axis=(1, 2), mean=mean, variance=variance)
    expected = (data - mean) / 2.0
    np.testing.assert_allclose(layer(data).numpy(), expected, rtol=1e-6)
    with pytest.raises(InvalidArgumentError, match=r"range \[-ndim, ndim\)"):
        layers.Normalization(axis=3)(data)
    with pytest.raises(InvalidArgumentError, match="must have a known shape"):
        layers.Normalization(axis=1).build((None, None, 5))
    learnt = layers.Normalization()
    learnt.build((None, 4))
    with pytest.raises(ValueError, match="incompatible shape"):
        learnt.adapt(data)
