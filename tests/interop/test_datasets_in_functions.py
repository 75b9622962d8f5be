"""Functions that run through datasets are written to SavedModels, and read: they give the same.

TensorFlow 2.21 loads such models and gives the same, too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v2
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.graph_mode.graph import mode
from tensorlite.interop.tensorflow.stored.models import saved_model_class

tf: Any = v2
Dataset: Any = tf.data.Dataset
X = [1.0, 2.0, 3.0]


@pytest.fixture(autouse=True, scope="module")
def _eager() -> Iterator[None]:
    """Let names of TensorFlow 2 compute at once, whatever was imported before."""
    before, mode.eager = mode.eager, True
    yield
    mode.eager = before


class Model(tf.Module):  # type: ignore[misc]
    """Has a variable and a table, which functions of datasets use."""

    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.w = tf.Variable(2.0)
        pairs = tf.lookup.KeyValueTensorInitializer(
            tf.constant([1, 2]), tf.constant([10.0, 20.0])
        )
        self.table = tf.lookup.StaticHashTable(pairs, -1.0)
        self.call = tf.function(
            lambda x: function(self, x),
            input_signature=[tf.TensorSpec((None,), tf.float32)],
        )


def summed(dataset: Any) -> Any:
    """Return the sum of a dataset's elements, in a loop."""
    total = tf.constant(0.0)
    for y in dataset:
        total += y
    return total


def until(_: Any, x: Any) -> Any:
    """Leave the loop early, and read pairs."""
    total = tf.constant(0.0)
    for i, y in Dataset.from_tensor_slices(x).map(lambda v: v * 3.0).enumerate():
        if y > 5.0:
            break
        total += y + tf.cast(i, tf.float32)
    return total


def by_variable(model: Any, x: Any) -> Any:
    """Use, in a dataset's function, a variable and a tensor that nothing else takes."""
    rows = Dataset.from_tensor_slices(x)
    return summed(rows.map(lambda v: v * model.w + tf.reduce_sum(x)))


def by_table(model: Any, x: Any) -> Any:
    """Look elements up."""
    numbers = Dataset.from_tensor_slices(tf.cast(x, tf.int32))
    return summed(numbers.map(model.table.lookup))


def in_branch(_: Any, x: Any) -> Any:
    """Make the dataset in a branch, of what is around it."""
    rows = Dataset.from_tensor_slices(x)
    return tf.cond(
        tf.reduce_sum(x) > 0.0,
        lambda: summed(rows.map(lambda v: v + x[0])),
        lambda: 0.0,
    )


def reduced(model: Any, x: Any) -> Any:
    """Reduce to several tensors."""
    rows = Dataset.from_tensor_slices(x).batch(2)
    return rows.reduce(
        (0.0, x), lambda a, b: (a[0] + tf.reduce_sum(b) * model.w, a[1] * 2.0)
    )


def by_iterator(_: Any, x: Any) -> Any:
    """Ask an iterator."""
    rows = iter(Dataset.from_tensor_slices(x))
    first, second = next(rows), rows.get_next()
    return first * 10.0 + second, rows.get_next_as_optional().has_value()


def single(_: Any, x: Any) -> Any:
    """Ask for the only element."""
    return Dataset.from_tensor_slices(x).batch(3).get_single_element()


def joined(_: Any, x: Any) -> Any:
    """Add texts."""
    total = tf.constant("")
    for y in Dataset.from_tensor_slices(tf.strings.as_string(x, precision=1)):
        total = total + y
    return total


WANTED: list[tuple[Callable[[Any, Any], Any], list[Any]]] = [
    (until, [3.0]),
    (by_variable, [30.0]),
    (by_table, [29.0]),
    (in_branch, [9.0]),
    (reduced, [12.0, [4.0, 8.0, 12.0]]),
    (by_iterator, [12.0, True]),
    (single, [X]),
    (joined, [b"1.02.03.0"]),
]


@pytest.mark.parametrize(("function", "wanted"), WANTED)
def test_what_is_saved_gives_the_same_each_time(
    function: Callable[[Any, Any], Any], wanted: list[Any], tmp_path: Path
) -> None:
    model = Model(function)
    tf.saved_model.save(model, str(tmp_path / "once"))
    once = tf.saved_model.load(str(tmp_path / "once"))
    tf.saved_model.save(once, str(tmp_path / "twice"))
    twice = tf.saved_model.load(str(tmp_path / "twice"))
    for one in (model, once, once, twice):
        found = tf.nest.flatten(one.call(tf.constant(X)))
        for x, y in zip(found, wanted, strict=True):
            np.testing.assert_array_equal(x.numpy(), y)


def operators(folder: Path) -> set[str]:
    """Return the operators in the functions of a SavedModel."""
    data = (folder / "saved_model.pb").read_bytes()
    library = saved_model_class().FromString(data).meta_graphs[0].graph_def.library
    return {node.op for one in library.function for node in one.node_def}


def test_iterators_are_those_of_tensorflow_2(tmp_path: Path) -> None:
    tf.saved_model.save(Model(until), str(tmp_path))
    wanted = {"AnonymousIteratorV3", "MakeIterator", "IteratorGetNextAsOptional"}
    assert wanted | {"OptionalHasValue", "OptionalGetValue"} <= operators(tmp_path)


def test_texts_are_added_by_the_operator_that_takes_them(tmp_path: Path) -> None:
    tf.saved_model.save(Model(joined), str(tmp_path))
    assert "Add" in operators(tmp_path)


def test_only_elements_are_alone_in_what_is_saved(tmp_path: Path) -> None:
    tf.saved_model.save(Model(single), str(tmp_path))
    model = tf.saved_model.load(str(tmp_path))
    with pytest.raises(InvalidArgumentError, match="more than one element"):
        model.call(tf.constant([*X, 4.0]))


def test_functions_have_no_names_of_operators(tmp_path: Path) -> None:
    def Square(v: Any) -> Any:  # noqa: N802  what TensorFlow would take for its own
        return v * v

    def squared(_: Any, x: Any) -> Any:
        return summed(Dataset.from_tensor_slices(x).map(Square))

    tf.saved_model.save(Model(squared), str(tmp_path))
    data = (tmp_path / "saved_model.pb").read_bytes()
    library = saved_model_class().FromString(data).meta_graphs[0].graph_def.library
    names = {one.signature.name for one in library.function}
    assert "Square_1" in names
    assert "Square" not in names


def test_functions_begin_a_new_run_each_time() -> None:
    numbers = Dataset.range(5)

    @tf.function  # type: ignore[untyped-decorator]
    def of_outside() -> Any:
        run = iter(numbers)
        return next(run) + next(run) * 10

    @tf.function  # type: ignore[untyped-decorator]
    def of_inside() -> Any:
        run = iter(Dataset.range(5))
        return next(run) + next(run) * 10

    for function in (of_outside, of_inside):
        assert [int(function()), int(function())] == [10, 10]


def test_sizes_of_datasets_that_are_read(tmp_path: Path) -> None:
    graph = tf.Graph()
    with graph.as_default():
        made = tf.compat.v1.data.make_one_shot_iterator(Dataset.range(3))
        tf.identity(made.get_next(), name="first")
    proto = graph.as_graph_def()
    library = proto.library.function[0]
    source = next(x for x in library.node_def if x.op == "RangeDataset")
    counted = library.node_def.add(name="size", op="DatasetCardinality")
    counted.input.append(f"{source.name}:handle:0")
    library.signature.output_arg[0].type = 9
    library.ret[library.signature.output_arg[0].name] = "size:cardinality:0"
    call = tf.compat.v1.GraphDef()
    call.library.CopyFrom(proto.library)
    name = library.signature.name
    call.node.add(name="n", op=name)
    with tf.Graph().as_default() as read:
        (n,) = tf.import_graph_def(call, return_elements=["n:0"], name="")
        with tf.compat.v1.Session(graph=read) as session:
            assert session.run(n) == 3
