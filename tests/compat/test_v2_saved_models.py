"""What the trying of SavedModels and checkpoints found: tables, optimizers, Keras 3's ways."""

# mypy: disallow_untyped_decorators=False
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import CheckpointError
from tensorlite.interop.tensorflow.stored.objects import (
    VALUE,
    Tracked,
    load_objects,
    save_objects,
)

keras: Any = tf.keras
ONES = np.ones(2, np.float32)


def with_tables() -> Any:
    model: Any = tf.Module()
    pairs = tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2])
    fixed = tf.lookup.StaticHashTable(pairs, -1)
    counts = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    counts.insert(tf.constant(["x"]), tf.constant([7], tf.int64))
    words = tf.TensorSpec([None], tf.string)

    @tf.function(input_signature=[words])
    def look(x: Any) -> Any:
        return {"fixed": fixed.lookup(x), "counts": counts.lookup(x)}

    @tf.function(input_signature=[words])
    def put(x: Any) -> None:
        counts.insert(x, tf.ones_like(x, tf.int64))

    model.look, model.put = look, put
    return model


def test_tables_are_saved_with_what_they_have(tmp_path: Path) -> None:
    model = with_tables()
    tf.saved_model.save(model, tmp_path, {"serving_default": model.look})
    first, second = [tf.saved_model.load(tmp_path) for _ in range(2)]
    first.put(tf.constant(["new"]))
    words = tf.constant(["b", "x", "new"])
    found = first.look(words)
    assert found["fixed"].numpy().tolist() == [2, -1, -1]
    assert found["counts"].numpy().tolist() == [0, 7, 1]
    assert second.look(words)["counts"].numpy().tolist() == [0, 7, 0]


def test_graphs_of_version_1_have_their_tables_filled(tmp_path: Path) -> None:
    model = with_tables()
    tf.saved_model.save(model, tmp_path, {"serving_default": model.look})
    old: Any = tf.compat.v1
    with old.Graph().as_default(), old.Session() as session:
        meta = old.saved_model.load(session, ["serve"], str(tmp_path))
        told = meta.signature_def["serving_default"]
        feed = {told.inputs["x"].name: ["a", "x"]}
        assert session.run(told.outputs["counts"].name, feed).tolist() == [0, 7]


def test_steps_are_saved_with_their_optimizer(tmp_path: Path) -> None:
    model: Any = tf.Module()
    model.w = tf.Variable([1.0, 2.0])
    model.optimizer = keras.optimizers.Adam(0.1)
    model.optimizer.build([model.w])

    @tf.function(input_signature=[tf.TensorSpec([2])])
    def step(g: Any) -> Any:
        model.optimizer.apply_gradients([(g, model.w)])
        return model.w + 0.0

    model.step = step
    tf.saved_model.save(model, tmp_path)
    again = tf.saved_model.load(tmp_path)
    for _ in range(2):
        gradient = tf.constant([1.0, -1.0])
        np.testing.assert_allclose(again.step(gradient), step(gradient), rtol=1e-6)


def test_traces_are_called_by_names_of_their_tensors(tmp_path: Path) -> None:
    @tf.function
    def scaled(x: Any, scale: Any = ONES, twice: bool = True) -> Any:
        return x * scale * 2.0 if twice else x * scale

    model: Any = tf.Module()
    spec = tf.TensorSpec([2], tf.float32, name="x")
    model.trace = tf.function(lambda x: x + 1.0).get_concrete_function(spec)
    model.scaled = scaled
    x = tf.constant([1.0, 2.0])
    scaled(x)
    tf.saved_model.save(model, tmp_path)
    again = tf.saved_model.load(tmp_path)
    assert again.trace(x=x).numpy().tolist() == [2.0, 3.0]
    assert again.trace(x).numpy().tolist() == [2.0, 3.0]
    tf.saved_model.save(again, tmp_path / "again")
    last = tf.saved_model.load(tmp_path / "again")
    assert last.trace(x=x).numpy().tolist() == [2.0, 3.0]
    assert again.scaled(x).numpy().tolist() == [2.0, 4.0]
    with pytest.raises(ValueError, match="Could not find matching concrete function"):
        again.scaled(x, twice=False)


def test_signatures_refuse_arguments_by_a_type_error(tmp_path: Path) -> None:
    model = with_tables()
    tf.saved_model.save(model, tmp_path, {"serving_default": model.look})
    signature = tf.saved_model.load(tmp_path).signatures["serving_default"]
    for given in ({"y": tf.constant(["a"])}, {"x": tf.constant([1])}):
        with pytest.raises(TypeError, match="signature"):
            signature(**given)


def test_options_say_what_they_are() -> None:
    assert tf.saved_model.LoadOptions().experimental_io_device is None
    chosen: Any = tf.saved_model.SaveOptions(save_debug_info=True)
    assert chosen.save_debug_info
    assert chosen.function_aliases == {}


def test_attributes_are_those_of_the_object_that_was_saved(tmp_path: Path) -> None:
    model: Any = tf.Module()
    first, second = tf.Variable(1.0), tf.Variable(2.0)
    holder: Any = keras.layers.Dense(1)
    holder.build((None, 1))
    model.parts = [first, second]
    tf.saved_model.save(model, tmp_path)
    again = tf.saved_model.load(tmp_path)
    vars(again)["trainable_variables"] = [again.parts[0]]
    assert again.trainable_variables == [again.parts[0]]
    assert len(again.variables) == 2


def test_checkpoints_of_keras_3_are_restored(tmp_path: Path) -> None:
    """TensorFlow 2.21 writes a chain of layers and its optimizer in these ways."""
    kernel, bias = np.ones((2, 3), "f") * 3, np.ones(3, "f") * 4
    kept = [
        np.full(x.shape, i, "f") for i, x in enumerate([kernel, kernel, bias, bias])
    ]
    held: dict[str, Any] = {"_kernel": kernel, "bias": bias}
    layer = Tracked({key: Tracked(values={VALUE: x}) for key, x in held.items()})
    chain = Tracked({"_operations": Tracked({"0": Tracked(), "1": layer})})
    listed = [np.asarray(5, np.int64), np.asarray(0.25, "f"), *kept]
    numbers = {str(i): Tracked(values={VALUE: x}) for i, x in enumerate(listed)}
    optimizer = Tracked({"_variables": Tracked(numbers)})
    model = Tracked({"_functional": chain})
    save_objects(tmp_path / "c", Tracked({"model": model, "optimizer": optimizer}))
    own = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(3)])
    adam = keras.optimizers.Adam(0.1)
    status = tf.train.Checkpoint(model=own, optimizer=adam).read(str(tmp_path / "c"))
    adam.build(own.trainable_variables)
    status.assert_consumed()
    np.testing.assert_array_equal(own.get_weights()[0], kernel)
    assert int(adam.iterations) == 5
    assert float(adam.learning_rate) == 0.25
    for variable, value in zip(adam.variables[2:], kept, strict=True):
        np.testing.assert_array_equal(variable, value)


def test_what_is_saved_has_the_ways_of_keras_3(tmp_path: Path) -> None:
    given = keras.layers.Input((2,))
    model = keras.Model(given, keras.layers.Dense(3)(given))
    tf.train.Checkpoint(model=model).write(str(tmp_path / "c"))
    saved = load_objects(tmp_path / "c")
    assert saved is not None
    layer = saved.children["model"].children["_operations"].children["1"]
    assert {"_kernel", "kernel", "bias"} <= set(layer.children)


def test_iterators_that_tensorflow_saved_are_refused(tmp_path: Path) -> None:
    saved = Tracked({"it": Tracked(values={"ITERATOR": np.zeros(3)})})
    save_objects(tmp_path / "c", saved)
    iterator = iter(tf.data.Dataset.range(3))
    with pytest.raises(CheckpointError, match="TensorFlow saved"):
        tf.train.Checkpoint(it=iterator).read(str(tmp_path / "c"))


def test_tensors_without_axes_are_read_as_scalars(tmp_path: Path) -> None:
    text, step = tf.Variable("txt"), tf.Variable(3)
    tf.train.Checkpoint(text=text, step=step).write(str(tmp_path / "c"))
    reader = tf.train.load_checkpoint(str(tmp_path / "c"))
    assert reader.get_tensor(f"text/.ATTRIBUTES/{VALUE}") == b"txt"
    assert isinstance(reader.get_tensor(f"step/.ATTRIBUTES/{VALUE}"), np.int32)


def test_complex_variables_are_as_wide_as_tensorflows() -> None:
    assert tf.Variable(1j).dtype is tf.complex128
    assert tf.Variable([1j, 2.0]).dtype is tf.complex128
    assert tf.Variable(1j, dtype=tf.complex64).dtype is tf.complex64


def test_images_seen_through_maps_may_be_of_another_size() -> None:
    image = tf.reshape(tf.range(6.0), [1, 2, 3, 1])
    identity = [[1.0, 0, 0, 0, 1.0, 0, 0, 0]]
    seen = tf.raw_ops.ImageProjectiveTransformV3(
        images=image,
        transforms=identity,
        output_shape=[1, 4],
        fill_value=9.0,
        interpolation="NEAREST",
    )
    assert seen.numpy()[0, :, :, 0].tolist() == [[0.0, 1.0, 2.0, 9.0]]


def test_folders_are_told_as_bytes_too(tmp_path: Path) -> None:
    module: Any = tf.Module()
    module.w = tf.Variable(3.0)
    folder = bytes(tmp_path / "model")
    tf.saved_model.save(module, folder)
    assert tf.saved_model.contains_saved_model(folder)
    assert float(tf.saved_model.load(folder).w) == 3.0
    saved = tf.train.Checkpoint(w=module.w).save(bytes(tmp_path / "ckpt"))
    module.w.assign(0.0)
    tf.train.Checkpoint(w=module.w).restore(saved.encode())
    assert float(module.w) == 3.0
