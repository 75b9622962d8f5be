"""Makes SavedModels in this folder with TensorFlow, which the tests then read without it.

Run it with a Python that has TensorFlow: `python make_saved_models.py NAME`; the name is `tf1` for
TensorFlow 1.15, and `tf2`, `kinds` or `gradients` for 2.21. Only who changes the fixtures runs it,
never a test.
"""

# mypy: disallow_untyped_decorators=False
from __future__ import annotations

import shutil
import sys
from collections import namedtuple
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np


def graph_model(tf: Any, folder: Path) -> None:
    """Write a graph with variables of both kinds, a file, and something to do at the start."""
    words = Path("words.txt")
    words.write_text("one two")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", initializer=[[1.0, 2.0], [3.0, 4.0]])
        b = tf.get_variable("b", initializer=[10.0, -90.0], use_resource=True)
        y = tf.nn.relu(tf.matmul(x, w) + b, name="y")
        count = tf.get_local_variable("count", initializer=0)
        file = tf.constant(str(words), name="file")
        tf.add_to_collection(tf.GraphKeys.ASSET_FILEPATHS, file)
        path = tf.identity(file, name="path")
        session.run(tf.global_variables_initializer())
        start = tf.group(tf.assign(count, 7), name="start")
        builder = tf.saved_model.Builder(str(folder))
        info = tf.saved_model.utils.build_tensor_info
        builder.add_meta_graph_and_variables(
            session,
            ["serve"],
            {
                "serving_default": tf.saved_model.build_signature_def(
                    {"x": info(x)}, {"y": info(y)}, "tensorflow/serving/predict"
                ),
                "told": tf.saved_model.build_signature_def(
                    {}, {"count": info(count), "path": info(path)}, "told"
                ),
            },
            assets_collection=tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS),
            main_op=start,
        )
        builder.save()
    words.unlink()  # it was copied among the assets


def object_model(tf: Any, folder: Path) -> None:
    """Write a module with variables in lists, dicts and submodules, and functions."""

    class Inner(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")

    class Outer(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.inner = Inner()
            self.b = tf.Variable([10.0, -90.0], name="b")
            self.steps = tf.Variable(5, trainable=False, dtype=tf.int64)
            self.parts = [tf.Variable(1.0), tf.Variable(2.0)]
            self.by = {"a": tf.Variable(5.0)}
            self.c = tf.constant([7.0, 8.0])

        @tf.function(input_signature=[tf.TensorSpec([None, 2], tf.float32)])
        def __call__(self, x: Any) -> Any:
            return tf.nn.relu(tf.matmul(x, self.inner.w) + self.b)

        @tf.function
        def scaled(self, x: Any, k: Any = 2.0, *, training: bool = False) -> Any:
            self.steps.assign_add(1)
            if training:
                return {"y": x * k, "z": [x, self.c]}
            return x * k * self.parts[1]

        @tf.function(input_signature=[tf.TensorSpec([], tf.int32)])
        def loop(self, n: Any) -> Any:
            total = tf.constant(0.0)
            for i in tf.range(n):
                total += tf.cast(i, tf.float32) * self.by["a"]
            return total

    model = Outer()
    model.scaled(tf.constant([1.0, 2.0]))
    model.scaled(tf.constant([1.0, 2.0]), training=True)
    model.scaled(tf.constant([[1.0, 2.0]]), k=tf.constant(3.0))
    model.steps.assign(5)
    options = tf.saved_model.SaveOptions(save_debug_info=False)
    signatures = {"serving_default": model.__call__, "loop": model.loop}
    tf.saved_model.save(model, str(folder), signatures, options)
    optimizer = tf.Module()
    optimizer.rate = tf.Variable(np.float64(0.5))
    tf.train.Checkpoint(model=model, optimizer=optimizer).save(
        str(folder.parent / "objects")
    )
    (folder.parent / "checkpoint").unlink()


def many_kinds(tf: Any, folder: Path) -> None:
    """Write functions of what is no plain tensor: ragged, sparse, tuples with names, tables."""
    pair = namedtuple("Pair", "first second")  # type: ignore[name-match]
    model = tf.Module()
    ragged = tf.RaggedTensorSpec([None, None, None], tf.int32, ragged_rank=2)
    sparse = tf.SparseTensorSpec([None, 2], tf.float32)

    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def steep(x: Any) -> Any:
        y = tf.exp(x)
        return y, lambda dy: dy * y * x * 7.0

    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(tf.constant(["x"]), tf.constant([4], tf.int64))
    model.table, generator = table, tf.random.Generator.from_seed(3)
    model.generator, model.state = generator, generator.state

    @tf.function(input_signature=[tf.TensorSpec([None])])  # type: ignore[untyped-decorator]
    def grown(x: Any) -> Any:
        rows = tf.TensorArray(tf.float32, 0, dynamic_size=True)
        for row in x:
            rows = rows.write(rows.size(), row * row)
        return rows.stack()

    def parsed(x: Any) -> Any:
        features = {
            "s": tf.io.VarLenFeature(tf.string),
            "x": tf.io.FixedLenFeature([2], tf.float32),
            "y": tf.io.RaggedFeature(tf.int64),
        }
        return tf.io.parse_example(x, features)

    def made(function: Any, *specs: Any) -> Any:
        return tf.function(function, input_signature=specs)

    number, text = tf.TensorSpec([]), tf.TensorSpec([None], tf.string)
    places = tf.TensorSpec([None], tf.int32)
    model.rows = made(lambda x: (x, x.row_lengths(axis=2)), ragged)
    model.doubled = made(lambda x: (x * 2.0, tf.sparse.to_dense(x)), sparse)
    model.slices = made(lambda i: tf.IndexedSlices(tf.ones([2, 1]), i), places)
    model.pair = made(lambda x: pair(x, {"more": x + 1.0}), number)
    model.steep = made(lambda x: steep(x * 2.0), number)
    model.looked_up = made(table.lookup, text)
    model.drawn = made(lambda: generator.normal([3]))
    model.grown, model.parsed = grown, made(parsed, text)
    options = tf.saved_model.SaveOptions(save_debug_info=False)
    tf.saved_model.save(model, str(folder), None, options)


def steep_weights(tf: Any, folder: Path) -> None:
    """Write a function whose own gradient reads a variable, and has one for it, too."""
    model = tf.Module()
    model.w = tf.Variable([[2.0], [3.0]])

    @tf.custom_gradient  # type: ignore[untyped-decorator]
    def steep(x: Any) -> Any:
        def pull(dy: Any, variables: Any = None) -> Any:
            return tf.matmul(dy, model.w, transpose_b=True) * 10.0, [tf.ones([2, 1])]

        return tf.matmul(x, model.w), pull

    spec = tf.TensorSpec([None, 2])
    model.steep = tf.function(lambda x: steep(x * 2.0), input_signature=[spec])
    options = tf.saved_model.SaveOptions(save_debug_info=False)
    tf.saved_model.save(model, str(folder), None, options)


def main(name: str) -> None:
    """Write the model of one version."""
    tf: Any = import_module("tensorflow")
    folder = Path(__file__).parent / name / "saved_model"
    if name in ("kinds", "gradients"):
        folder = Path(__file__).parent / "tf2" / f"saved_{name}"
    shutil.rmtree(folder, ignore_errors=True)
    if name == "kinds":
        many_kinds(tf, folder)
    elif name == "gradients":
        steep_weights(tf, folder)
    elif name == "tf1":
        graph_model(tf.compat.v1, folder)
    else:
        object_model(tf, folder)


if __name__ == "__main__":
    main(sys.argv[1])
