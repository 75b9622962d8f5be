"""SavedModels: TensorFlow's are restored, ours are written and restored, damaged ones refused."""

from __future__ import annotations

import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import (
    CheckpointError,
    GraphDefError,
    InvalidArgumentError,
    MissingOperatorError,
    NotFoundError,
    TensorliteError,
)
from tensorlite.interop.tensorflow import load_saved_model, save_saved_model
from tensorlite.interop.tensorflow.stored.metagraphs import to_message
from tensorlite.interop.tensorflow.stored.models import (
    meta_graphs_of,
    saved_model_class,
)
from tensorlite.interop.tensorflow.stored.structures import proto_of, value_of

DATA = Path(__file__).parent / "data"
X = np.array([[1.0, 2.0], [3.0, 4.0]], np.float32)
Y = np.array([[17.0, 0.0], [25.0, 0.0]], np.float32)
"""What TensorFlow makes of X."""
PAIR = tl.TensorSpec((None, 2), tl.float32)


def test_a_graph_of_tensorflow_1() -> None:
    model = load_saved_model(DATA / "tf1" / "saved_model")
    assert sorted(model.signatures) == ["serving_default", "told"]
    np.testing.assert_array_equal(model.signatures["serving_default"](x=X)["y"], Y)
    np.testing.assert_array_equal(model.signatures["serving_default"](X)["y"], Y)
    told = model.signatures["told"]()
    assert int(told["count"]) == 7
    path = Path(told["path"].numpy().item().decode())
    assert path.read_text() == "one two"
    assert "serving_default(x=float32[None, 2]) -> {y: float32[None, 2]}" in repr(
        model.signatures["serving_default"]
    )


def test_objects_of_tensorflow_2() -> None:
    model: Any = load_saved_model(DATA / "tf2" / "saved_model")
    np.testing.assert_array_equal(
        model.signatures["serving_default"](x=X)["output_0"], Y
    )
    assert float(model.signatures["loop"](n=4)["output_0"]) == 30.0
    np.testing.assert_array_equal(model(X), Y)
    assert sorted(model.named_variables()) == [
        *("b", "by.a", "inner.w", "parts.0", "parts.1", "steps")
    ]
    assert model.steps.numpy() == 5
    assert not model.steps.trainable
    np.testing.assert_array_equal(model.scaled(tl.asarray([1.0, 2.0])), [4.0, 8.0])
    found = model.scaled([1.0, 2.0], training=True)
    np.testing.assert_array_equal(found["y"], [2.0, 4.0])
    np.testing.assert_array_equal(found["z"][1], [7.0, 8.0])
    np.testing.assert_array_equal(
        model.scaled([[1.0, 2.0]], tl.asarray(3.0)), [[6.0, 12.0]]
    )
    assert model.steps.numpy() == 8
    assert len(model.scaled.concrete_functions) == 3
    concrete = model.loop.get_concrete_function(tl.TensorSpec((), tl.int32))
    assert float(concrete(3)) == 15.0


def test_gradients_flow_to_a_models_variables() -> None:
    model: Any = load_saved_model(DATA / "tf2" / "saved_model")
    with tl.GradientTape() as tape:
        loss = tl.sum(model(X)) + model.loop(4)
    w, b, a = tape.gradient(loss, [model.inner.w, model.b, model.by["a"]])
    np.testing.assert_array_equal(w, [[4.0, 0.0], [6.0, 0.0]])
    np.testing.assert_array_equal(b, [2.0, 0.0])
    assert float(a) == 6.0
    model.inner.w.assign(tl.zeros((2, 2)))
    np.testing.assert_array_equal(model(X), [[10.0, 0.0], [10.0, 0.0]])


def test_a_call_that_no_trace_fits() -> None:
    model: Any = load_saved_model(DATA / "tf2" / "saved_model")
    with pytest.raises(
        InvalidArgumentError, match=r"no trace for \(3, 2.0, training=False\)"
    ):
        model.scaled(3)
    with pytest.raises(InvalidArgumentError, match="'x' is missing"):
        model.scaled()
    with pytest.raises(InvalidArgumentError, match="x is given twice"):
        model.scaled(X, x=X)
    signature = model.signatures["serving_default"]
    with pytest.raises(
        InvalidArgumentError, match=r"takes \(x=float32\[None, 2\]\) by name"
    ):
        signature(y=X)
    with pytest.raises(InvalidArgumentError, match="takes x as"):
        signature(x=np.ones(3, np.float32))
    with pytest.raises(TypeError, match="not callable"):
        model.inner(X)
    with pytest.raises(InvalidArgumentError, match="Can not cast"):
        model.scaled.concrete_functions[0](X)


class Part(tl.Module):
    """Has a variable."""

    def __init__(self) -> None:
        self.w = tl.Variable([[1.0, 2.0], [3.0, 4.0]], name="w")


class Model(tl.Module):
    """Has everything that is saved."""

    def __init__(self) -> None:
        self.part = self.again = Part()
        self.b = tl.Variable([10.0, -90.0], name="b")
        self.steps = tl.Variable(np.int64(5), trainable=False, name="b")
        self.parts = [tl.Variable(1.0), tl.Variable(2.0)]
        self.by = {"a": tl.Variable(5.0), "none": None}
        self.pair = (tl.Variable(3.0),)
        self.c = tl.asarray([7.0, 8.0])
        self.plain = 3

    @tl.function(input_signature=[PAIR])
    def __call__(self, x: tl.Tensor) -> tl.Tensor:
        return tl.nn.relu(x @ self.part.w + self.b)

    @tl.function
    def scaled(self, x: tl.Tensor, k: Any = 2.0, *, training: bool = False) -> Any:
        self.steps.assign_add(1)
        if training:
            return {"y": x * k, "z": [x, self.c]}
        return x * k * self.parts[1]

    @tl.function(input_signature=[tl.TensorSpec((), tl.int32)])
    def loop(self, n: tl.Tensor) -> tl.Tensor:
        total = tl.asarray(0.0)
        for i in tl.arange(n):
            total += tl.astype(i, tl.float32) * self.by["a"]
        return total


@pytest.fixture
def made() -> Model:
    model = Model()
    model.scaled(tl.asarray([1.0, 2.0]))
    model.scaled(tl.asarray([1.0, 2.0]), training=True)
    model.steps.assign(5)
    return model


def test_ours_is_written_and_restored(made: Model, tmp_path: Path) -> None:
    save_saved_model(
        made, tmp_path, {"serving_default": made.__call__, "loop": made.loop}
    )
    found: Any = load_saved_model(tmp_path)
    np.testing.assert_array_equal(
        found.signatures["serving_default"](x=X)["output_0"], Y
    )
    np.testing.assert_array_equal(found(X), Y)
    assert float(found.loop(4)) == 30.0
    np.testing.assert_array_equal(found.scaled([1.0, 2.0]), [4.0, 8.0])
    np.testing.assert_array_equal(
        found.scaled([1.0, 2.0], training=True)["z"][1], [7.0, 8.0]
    )
    assert found.steps.numpy() == 7
    assert found.part is found.again
    assert float(found.pair[0]) == 3.0
    again = tmp_path / "again"
    save_saved_model(found, again)
    np.testing.assert_array_equal(load_saved_model(again)(X), Y)
    signatures = load_saved_model(again).signatures
    assert float(signatures["loop"](n=4)["output_0"]) == 30.0


def test_ours_has_what_tensorflow_1_wants(made: Model, tmp_path: Path) -> None:
    """It is run as a graph, by the saver's nodes, as TensorFlow 1 does it."""
    save_saved_model(made, tmp_path)
    (meta,) = meta_graphs_of(tmp_path)
    meta.objects = None
    proto = saved_model_class()(saved_model_schema_version=1)
    proto.meta_graphs.add().CopyFrom(to_message(meta))
    (tmp_path / "saved_model.pb").unlink()
    (tmp_path / "saved_model.pbtxt").write_text(str(proto))
    found = load_saved_model(tmp_path)
    assert len(found.variables) == 0
    np.testing.assert_array_equal(
        found.signatures["serving_default"](x=X)["output_0"], Y
    )


def test_functions_are_saved_by_themselves(tmp_path: Path) -> None:
    vector = tl.TensorSpec((None,), tl.float32)
    both = tl.function(
        lambda y, x: {"s": x - y, "a": x}, input_signature=[vector] * 2
    )
    save_saved_model(both, tmp_path / "a")
    found = load_saved_model(tmp_path / "a")
    result = found.signatures["serving_default"](x=[3.0], y=[1.0])
    assert {x: float(y[0]) for x, y in result.items()} == {"a": 3.0, "s": 2.0}
    assert float(found([1.0], [3.0])["s"][0]) == 2.0
    assert float(found([1.0], x=[3.0])["s"][0]) == 2.0
    concrete = tl.function(lambda x: x + 1).get_concrete_function(vector)
    save_saved_model(concrete, tmp_path / "b")
    found = load_saved_model(tmp_path / "b")
    assert float(found.signatures["serving_default"](x=[1.0])["output_0"][0]) == 2.0


def test_what_cannot_be_saved(tmp_path: Path) -> None:
    outside = tl.Variable(1.0, name="outside")
    use = tl.function(lambda x: x + outside, input_signature=[PAIR])
    with pytest.raises(
        InvalidArgumentError, match="is in no attribute of what is saved"
    ):
        save_saved_model(use, tmp_path)
    with pytest.raises(InvalidArgumentError, match="with 0 traces; allowed are"):
        save_saved_model(Part(), tmp_path, tl.function(lambda x: x))
    with pytest.raises(InvalidArgumentError, match="with 0 traces"):
        save_saved_model(Part(), tmp_path, {"a": 3})
    assert not (tmp_path / "saved_model.pb").exists()


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError, match="no SavedModel at"):
        load_saved_model(tmp_path)
    with pytest.raises(
        NotFoundError, match=r"has 0 graphs for the tags .* \[\['serve'\]\]"
    ):
        load_saved_model(DATA / "tf1" / "saved_model", ["serve", "gpu"])
    assert load_saved_model(DATA / "tf1" / "saved_model", None).signatures


def changed(folder: Path, version: str, change: Any) -> Path:
    """Return a copy of a model whose graph is changed."""
    shutil.copytree(DATA / version / "saved_model", folder / "m")
    file = folder / "m" / "saved_model.pb"
    proto = saved_model_class().FromString(file.read_bytes())
    change(proto.meta_graphs[0])
    file.write_bytes(proto.SerializeToString())
    return folder / "m"


def lose_child(meta: Any) -> None:
    meta.object_graph_def.nodes[0].children[0].node_id = 1000


def lose_input(meta: Any) -> None:
    for one in meta.object_graph_def.concrete_functions.values():
        one.bound_inputs.append(-1)


def reach_outside(meta: Any) -> None:
    meta.asset_file_def.add(
        filename="../../../etc/passwd"
    ).tensor_info.name = "file:0"


def reshape(meta: Any) -> None:
    for node in meta.object_graph_def.nodes:
        if node.WhichOneof("kind") == "variable":
            node.variable.shape.dim.add(size=3)


def rename(meta: Any) -> None:
    meta.object_graph_def.nodes[0].children[1].local_name = "other"


def lose_constant(meta: Any) -> None:
    for node in meta.object_graph_def.nodes:
        if node.WhichOneof("kind") == "constant":
            node.constant.operation = "none"


def lose_arguments(meta: Any) -> None:
    for one in meta.object_graph_def.concrete_functions.values():
        one.canonicalized_input_signature.Clear()


@pytest.mark.parametrize(
    ("version", "change", "error", "message"),
    [
        ("tf2", lose_child, GraphDefError, "has an attribute that is not there"),
        ("tf2", lose_input, GraphDefError, "uses an object that is not there"),
        ("tf1", reach_outside, GraphDefError, "lies outside of it"),
        ("tf2", reshape, CheckpointError, "and its value is"),
        ("tf2", rename, CheckpointError, "no value of the variable 'b'"),
        ("tf2", lose_arguments, GraphDefError, "does not say what it takes"),
        ("tf2", lose_constant, GraphDefError, "there is no constant 'none'"),
    ],
)
def test_damaged_models(
    version: str, change: Any, error: type[Exception], message: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=message):
        load_saved_model(changed(tmp_path, version, change))


def test_parameters_that_are_none(tmp_path: Path) -> None:
    def forget(meta: Any) -> None:
        for node in meta.object_graph_def.nodes:
            if node.WhichOneof("kind") == "function":
                node.function.function_spec.fullargspec.int64_value = 3

    model: Any = load_saved_model(changed(tmp_path, "tf2", forget))
    with pytest.raises(
        GraphDefError, match="the parameters of a function are said to be 3"
    ):
        model.scaled(X)


def test_names_of_attributes_may_be_those_of_the_class(tmp_path: Path) -> None:
    model = Part()
    vars(model)["variables"] = [model.w]
    save_saved_model(model, tmp_path)
    np.testing.assert_array_equal(
        load_saved_model(tmp_path).variables[0].numpy(), model.w
    )


def test_operators_that_are_not_there_are_told(tmp_path: Path) -> None:
    def operator(meta: Any) -> None:
        for function in meta.graph_def.library.function:
            if "signature_wrapper" not in function.signature.name:
                function.node_def[0].op = "Frobnicate"

    with pytest.raises(MissingOperatorError, match="Frobnicate"):
        load_saved_model(changed(tmp_path, "tf2", operator))


@pytest.mark.parametrize("version", ["tf1", "tf2"])
def test_mutated_models_are_refused_or_read(version: str, tmp_path: Path) -> None:
    draw = random.Random(3)  # noqa: S311
    whole = (DATA / version / "saved_model" / "saved_model.pb").read_bytes()
    folder = tmp_path / "m"
    shutil.copytree(DATA / version / "saved_model", folder)
    for _ in range(60):
        content = bytearray(whole)
        for _ in range(draw.randint(1, 4)):
            place = draw.randrange(len(content))
            content[place : place + draw.choice([0, 1, 8])] = draw.randbytes(
                draw.choice([0, 1, 2])
            )
        (folder / "saved_model.pb").write_bytes(content)
        try:
            for signature in load_saved_model(folder, None).signatures.values():
                signature(X)
        except TensorliteError:
            continue


def test_structures_are_kept() -> None:
    value = (
        *(1, 2.5, True, "a", None, tl.float16),
        [tl.TensorSpec((None, 2), tl.int32, name="x"), ()],
        {"b": {"c": [1]}},
    )
    assert value_of(proto_of(value)) == value
    with pytest.raises(GraphDefError, match="a set cannot be written"):
        proto_of({1, 2})
    deep: Any = []
    for _ in range(101):
        deep = [deep]
    with pytest.raises(GraphDefError, match="nested more than 100 deep"):
        value_of(proto_of(deep))
    other = proto_of(None)
    other.type_spec_value.type_spec_class_name = "RaggedTensorSpec"
    with pytest.raises(GraphDefError, match="takes or returns a RaggedTensorSpec"):
        value_of(other)
