"""What TensorFlow 2 asks of SavedModels that are written: gradients of loops, names, files.

TensorFlow 2.21 loads such models, takes the gradients, and saves them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v2 as tf
from tensorlite.core.errors import (
    InvalidArgumentError,
    NotFoundError,
)
from tensorlite.graph_mode.graph import mode
from tensorlite.interop.tensorflow import (
    from_graphdef,
    load_saved_model,
    save_saved_model,
    to_graphdef,
)
from tensorlite.interop.tensorflow.stored.models import meta_graphs_of
from tensorlite.interop.tensorflow.stored.structures import value_of

V2: Any = tf
PAIR = tl.TensorSpec((None, 2), tl.float32, name="pair")
X = np.array([[1.0, 2.0], [3.0, -4.0]], np.float32)


@pytest.fixture(autouse=True, scope="module")
def _eager() -> Iterator[None]:
    """Let names of TensorFlow 2 compute at once, whatever was imported before."""
    before, mode.eager = mode.eager, True
    yield
    mode.eager = before


class Loops(tl.Module):
    """A module with a loop, that uses a file, and with functions of several kinds."""

    def __init__(self, path: Path) -> None:
        self.weight = tl.Variable(tl.ones((2, 2)) * 0.5)
        self.file = V2.saved_model.Asset(str(path))
        self.nothing: list[Any] = []

    @tl.function(input_signature=[PAIR])
    def looped(self, x: Any) -> Any:
        for _ in tl.range(3):
            x = tl.tanh(x @ self.weight)
        return {"y": x}

    @tl.function
    def summed(self, first: Any, **more: Any) -> Any:
        return first + more["second"]

    @tl.function(input_signature=[])
    def read(self) -> Any:
        return V2.io.read_file(self.file.asset_path)


@pytest.fixture(name="folder", scope="module")
def _folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("models")
    (here / "words.txt").write_text("one two")
    model = Loops(here / "words.txt")
    scalar = tl.TensorSpec((), tl.float32)
    model.summed.get_concrete_function(scalar, second=scalar)
    save_saved_model(model, here / "model", model.looped)
    return here / "model"


def _function(folder: Path, part: str) -> Any:
    (meta,) = meta_graphs_of(folder)
    return next(
        x for x in meta.graph_def.library.function if part in x.signature.name
    )


def test_loops_begin_with_a_counter_and_a_limit(folder: Path) -> None:
    body = _function(folder, "looped")
    (loop,) = [x for x in body.node_def if x.op.endswith("While")]
    assert [x.partition(":")[0].rpartition("/")[2] for x in loop.input[:2]] == [
        "loop_counter",
        "maximum_iterations",
    ]
    kinds, shapes = loop.attr["T"].list.type, loop.attr["output_shapes"].list.shape
    assert len(kinds) == len(shapes) == len(loop.input)
    assert list(kinds[:2]) == [3, 3]
    turn = _function(folder, loop.attr["body"].func.name)
    assert turn.ret["out_1"] == "arg_1"


def test_loops_that_count_are_written_as_they_are(
    folder: Path, tmp_path: Path
) -> None:
    save_saved_model(load_saved_model(folder), tmp_path)
    before, after = (
        next(x for x in _function(one, "looped").node_def if x.op.endswith("While"))
        for one in (folder, tmp_path)
    )
    assert len(after.input) == len(before.input)
    model: Any = load_saved_model(tmp_path)
    x = tl.asarray(X)
    with tl.GradientTape() as tape:
        y = model.looped(x)["y"]
    found = tape.gradient(y, model.weight)
    weight = tl.Variable(tl.ones((2, 2)) * 0.5)
    with tl.GradientTape() as tape:
        for _ in range(3):
            x = tl.tanh(x @ weight)
    np.testing.assert_allclose(found, tape.gradient(x, weight), rtol=1e-6)


def test_functions_tell_what_they_take(folder: Path) -> None:
    made = _function(folder, "looped")
    assert [x.size for x in made.attr["_input_shapes"].list.shape[0].dim] == [-1, 2]
    assert made.arg_attr[0].attr["_user_specified_name"].s == b"pair"
    (meta,) = meta_graphs_of(folder)
    specs = [x.function.function_spec for x in meta.objects.nodes]
    told = [value_of(x.fullargspec) for x in specs if x.HasField("fullargspec")]
    assert [x.varkw for x in told if x is not None and "first" in x.args] == ["more"]
    given = [value_of(x.input_signature) for x in specs]
    assert any(x and x[0].name == "pair" for x in given)
    assert [x.variable.name for x in meta.objects.nodes if x.variable.name] == [
        "Variable"
    ]


def test_signatures_tell_names_of_what_they_return(folder: Path) -> None:
    signature: Any = load_saved_model(folder).signatures["serving_default"]
    assert signature.structured_outputs["y"] == tl.TensorSpec(
        (None, 2), tl.float32, "y"
    )


def test_files_go_with_the_model(folder: Path, tmp_path: Path) -> None:
    assert [x.name for x in (folder / "assets").iterdir()] == ["words.txt"]
    moved = tmp_path / "moved"
    folder.rename(moved)
    try:
        model: Any = load_saved_model(moved)
        assert model.read().item() in ("one two", b"one two")
        assert model.nothing == []
        save_saved_model(model, tmp_path / "again")
        again: Any = load_saved_model(tmp_path / "again")
        place = Path(again.file.asset_path.item())
        assert place == tmp_path / "again" / "assets" / "words.txt"
        assert again.read().item() in ("one two", b"one two")
    finally:
        moved.rename(folder)


def test_files_of_one_name_are_two(tmp_path: Path) -> None:
    module: Any = tl.Module()
    (tmp_path / "other").mkdir()
    for name in ("a.txt", "other/a.txt"):
        (tmp_path / name).write_text(name)
    module.files = [
        V2.saved_model.Asset(str(tmp_path / x)) for x in ("a.txt", "other/a.txt")
    ]
    save_saved_model(module, tmp_path / "model")
    model: Any = load_saved_model(tmp_path / "model")
    texts = [Path(x.asset_path.item()).read_text() for x in model.files]
    assert texts == ["a.txt", "other/a.txt"]
    module.files.append(V2.saved_model.Asset("nowhere.txt"))
    with pytest.raises(NotFoundError, match=r"no file .*nowhere\.txt"):
        save_saved_model(module, tmp_path / "other")


OTHERS: dict[str, Callable[[Any], Any]] = {
    "copysign": lambda x: tl.copysign(x, -x[::-1]),
    "hypot": lambda x: tl.hypot(x, 2.0 * x),
    "log10": lambda x: tl.log10(x * x + 1.0),
    "log2": lambda x: tl.log2(x * x + 1.0),
    "logaddexp": lambda x: tl.logaddexp(x, x * x),
    "lower": lambda x: tl.tril(x, k=-1),
    "signbit": tl.signbit,
    "standardize": lambda x: tl.nn.standardize(x)[0],
    "trunc": lambda x: tl.trunc(x * 0.4),
    "upper": lambda x: tl.triu(x, k=1),
    "counts": lambda x: tl.bincount(tl.astype(x * x, tl.int32), minlength=3),
    "counts_of_long_numbers": lambda x: tl.bincount(tl.astype(x * x, tl.int64)),
    "scattered": lambda x: tl.scatter_nd(
        tl.asarray([[0], [2]], dtype=tl.int64), x, (3, 2)
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_what_tensorflow_has_not_is_made_of_what_it_has(name: str) -> None:
    graph = tl.Graph()
    with graph.as_default():
        x = tl.placeholder(tl.float32, (2, 2))
        y = OTHERS[name](x)
    proto = to_graphdef(graph)
    again = from_graphdef(proto)
    wanted = tl.Session(graph).run(y, {x: X})
    found = tl.Session(again).run(y.name, {x.name: X})
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_a_layer_around_a_function(tmp_path: Path) -> None:
    module: Any = V2.Module()
    module.w = V2.Variable(V2.ones([2, 3]) * 0.5, name="w")
    module.c = V2.Variable(2.0, trainable=False, name="c")
    wanted = [V2.TensorSpec([None, 2], name="x")]
    module.serve = V2.function(
        lambda x: (x @ module.w) * module.c, input_signature=wanted
    )
    module.other = V2.function(lambda x: {"o": x}, input_signature=wanted)
    V2.saved_model.save(module, str(tmp_path), signatures={"told": module.serve})
    layer = V2.keras.layers.TFSMLayer(str(tmp_path), call_training_endpoint="other")
    np.testing.assert_allclose(layer(X), X @ np.ones((2, 3)), rtol=1e-6)
    assert list(layer(X, training=True)) == ["o"]
    assert [
        len(x) for x in (layer.trainable_weights, layer.non_trainable_weights)
    ] == [1, 1]
    with V2.GradientTape() as tape:
        y = V2.keras.Sequential([layer])(X)
    (slope,) = tape.gradient(y, layer.trainable_weights)
    np.testing.assert_allclose(
        slope, np.repeat(2 * X.sum(0)[:, None], 3, 1), rtol=1e-6
    )
    named = V2.keras.layers.TFSMLayer(str(tmp_path), call_endpoint="told")
    assert sorted(named(X)) == ["output_0"]
    with pytest.raises(InvalidArgumentError, match="neither an attribute"):
        V2.keras.layers.TFSMLayer(str(tmp_path), call_endpoint="nothing")


def test_models_of_keras_tell_their_variables(tmp_path: Path) -> None:
    layers = V2.keras.layers
    first, second = V2.keras.Input((2,), name="a"), V2.keras.Input((2,), name="b")
    joined = layers.BatchNormalization()(layers.Concatenate()([first, second]))
    V2.keras.Model([first, second], joined).export(str(tmp_path))
    model: Any = load_saved_model(tmp_path)
    counts = [
        len(x) for x in (model.trainable_variables, model.non_trainable_variables)
    ]
    assert counts == [2, 2]
    assert sorted(model.signatures["serving_default"].structured_inputs[1]) == [
        "a",
        "b",
    ]
    assert model.serve([X, X]).shape == (2, 4)


def test_states_that_layers_remember_are_saved(tmp_path: Path) -> None:
    layers = V2.keras.layers
    cells = [layers.Input(batch_shape=(2, 5, 3)), layers.LSTM(4, stateful=True)]
    model = V2.keras.Sequential(cells)
    x = np.ones((2, 5, 3), np.float32)
    first = model(x)
    model.export(str(tmp_path))
    again: Any = load_saved_model(tmp_path)
    second = again.serve(x)
    np.testing.assert_allclose(model(x), second, rtol=1e-5)
    assert not np.allclose(first.numpy(), second.numpy())


def test_managers_tell_when_checkpoints_were_written(tmp_path: Path) -> None:
    checkpoint = V2.train.Checkpoint(x=V2.Variable(1.0))
    manager = V2.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=2)
    for _ in range(3):
        manager.save()
    state = V2.train.get_checkpoint_state(str(tmp_path))
    times = list(state.all_model_checkpoint_timestamps)
    assert len(times) == len(state.all_model_checkpoint_paths) == 2
    assert state.last_preserved_timestamp <= times[0] <= times[1]
    again = V2.train.CheckpointManager(checkpoint, str(tmp_path), max_to_keep=2)
    again.save()
    state = V2.train.get_checkpoint_state(str(tmp_path))
    assert next(iter(state.all_model_checkpoint_timestamps)) == times[1]
