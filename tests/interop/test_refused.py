"""GraphDefs that are damaged, hostile or not supported are told as what they are; nothing runs."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.constant import known_array
from tensorlite.core.errors import (
    CycleError,
    GraphDefError,
    GraphError,
    MissingOperatorError,
    NameClashError,
    TooLargeError,
    VersionError,
)
from tensorlite.interop.tensorflow import messages
from tensorlite.interop.tensorflow.messages import message
from tensorlite.interop.tensorflow.versions import CONSUMER
from tests.interop.graphdefs import Called, Program


def refused(made: Program, match: str) -> None:
    with pytest.raises(GraphDefError, match=match):
        tl.interop.tensorflow.from_graphdef(made.bytes())


def test_operators_that_are_not_there_are_counted_before_anything_is_made() -> None:
    made = Program()
    made.floats("x", 1.0)
    for i in range(4):
        made.node("Mystery", f"m{i}", "x")
    made.node("Enigma", "e", "x")
    graph = tl.Graph()
    with pytest.raises(MissingOperatorError) as found:
        tl.interop.tensorflow.from_graphdef(made.bytes(), graph)
    assert "5 of 6 nodes are of 2 operators" in str(found.value)
    assert "Mystery (4: m0, m1, m2, ...); Enigma (1: e)" in str(found.value)
    assert graph.nodes == []


def test_bytes_that_are_no_graph() -> None:
    for data in (b"\xff\xff\xff", b"\x0a\xff\xff\xff\xff\x0f", "node { name: }"):
        with pytest.raises(GraphDefError, match="no GraphDef"):
            tl.interop.tensorflow.from_graphdef(data)
    with pytest.raises(GraphDefError, match="int is no GraphDef"):
        tl.interop.tensorflow.from_graphdef(3)


def test_a_circle_without_a_next_iteration() -> None:
    made = Program()
    made.node("Neg", "a", "b", T=tl.float32)
    made.node("Neg", "b", "a", T=tl.float32)
    refused(made, "2 nodes use each other in a circle without a NextIteration: a, b")


def test_names_that_are_taken_or_not_there() -> None:
    made = Program()
    made.node("NoOp", "a")
    made.node("NoOp", "a")
    refused(made, "2 nodes are named 'a'")
    made = Program()
    made.node("Neg", "a", "nobody", T=tl.float32)
    refused(made, "uses 'nobody', and there is no such node")
    made = Program()
    made.floats("x", 1.0)
    made.node("Neg", "a", "x:3", T=tl.float32)
    refused(made, "uses x:3, and x has 1 outputs")
    made = Program()
    made.node("NoOp", "_a b")
    refused(made, "is no name of a node")


def test_a_name_that_the_graph_has_already() -> None:
    made = Program()
    made.node("NoOp", "a")
    graph = tl.interop.tensorflow.from_graphdef(made.bytes())
    with pytest.raises(GraphError, match="has a node 'a' already"):
        tl.interop.tensorflow.from_graphdef(made.bytes(), graph)


def test_sizes_are_checked_before_memory_is_taken() -> None:
    proto = message("GraphDef")()
    node = proto.node.add(name="x", op="Const")
    node.attr["dtype"].type = 1
    tensor = node.attr["value"].tensor
    tensor.dtype = 1
    tensor.tensor_shape.dim.add(size=2**61)
    with pytest.raises(GraphDefError, match="too large"):
        tl.interop.tensorflow.from_graphdef(proto)
    tensor.tensor_shape.dim[0].size = 2**30
    tensor.float_val.extend([1.0, 2.0])
    with pytest.raises(GraphDefError, match="so many may not be left out"):
        tl.interop.tensorflow.from_graphdef(proto)
    del tensor.float_val[1]
    tl.interop.tensorflow.from_graphdef(proto)  # one value for all takes no memory
    tensor.tensor_content = b"12345"
    with pytest.raises(GraphDefError, match="has 5 bytes, not"):
        tl.interop.tensorflow.from_graphdef(proto)


def test_counts_are_bounded() -> None:
    made = Program()
    made.floats("x", [1.0, 2.0])
    made.node("Unpack", "u", "x", num=2**40, axis=0, T=tl.float32)
    refused(made, r"'num' is 1099511627776; allowed are 0 to 65536")


def test_sounds_that_are_beyond_all_sense() -> None:
    made = Program()
    made.placeholder("x", shape=(2**31, 1))
    sizes: dict[str, Any] = {"window_size": 64, "stride": 32}
    made.node("AudioSpectrogram", "a", "x", magnitude_squared=True, **sizes)
    with pytest.raises(TooLargeError, match="its input has 2147483648 samples"):
        tl.interop.tensorflow.from_graphdef(made.bytes())


def test_numbers_that_a_dtype_has_not_are_left_to_the_run() -> None:
    assert known_array(tl.TensorSpec((), tl.int32, known=2**31)) is None
    assert known_array(tl.TensorSpec((), tl.int32, known=7)) == 7


def test_attributes_that_are_not_supported() -> None:
    made = Program()
    made.floats("x", [[1.0, 2.0]])
    made.node("MatrixInverse", "a", "x", adjoint=3, T=tl.float32)
    refused(made, "'adjoint' is 3, which is no bool")
    made = Program()
    made.floats("x", 1.0)
    made.node("Neg", "a", "x", T=tl.float32, later=7)
    refused(made, "its attribute 'later' is 7; supported is nothing")
    made = Program()
    made.floats("x", 1.0)
    made.node("Neg", "a", "x", T=tl.float32, later=False, _private=7)
    tl.interop.tensorflow.from_graphdef(made.bytes())


@pytest.mark.parametrize("name", ["sparse_keys", "sparse_types", "dense_shapes"])
def test_lists_of_values_of_another_type(name: str) -> None:
    made = Program()
    made.node("Placeholder", "text", dtype=tl.string)
    given: dict[str, Any] = {"dense_keys": (), "Tdense": (), "dense_shapes": ()}
    given |= {"sparse_keys": ("s",), "sparse_types": (tl.string,), name: (True,)}
    made.node("ParseSingleExample", "parsed", "text", num_sparse=1, **given)
    refused(made, rf"parsed.*{name}.*no list of")


def test_keys_that_are_no_utf_8_are_kept() -> None:
    made = Program()
    made.node("Placeholder", "text", dtype=tl.string)
    given: dict[str, Any] = {"dense_keys": (), "Tdense": (), "dense_shapes": ()}
    given |= {"sparse_keys": ("\udc80",), "sparse_types": (tl.string,)}
    made.node("ParseSingleExample", "parsed", "text", num_sparse=1, **given)
    graph = tl.interop.tensorflow.from_graphdef(made.bytes())
    written = tl.interop.tensorflow.to_graphdef(graph)
    keys = next(x for x in written.node if x.name.endswith("sparse_keys"))
    assert list(keys.attr["value"].tensor.string_val) == [b"\x80"]


def test_functions_that_call_themselves_or_are_not_there() -> None:
    made = Program()
    one = made.function("one", {"x": 1}, {"y": (1, "call:output:0")})
    kinds: dict[str, Any] = {"Tin": (tl.float32,), "Tout": (tl.float32,)}
    one.node("PartitionedCall", "call", "x", f=Called("one"), **kinds)
    made.floats("x", 1.0)
    made.node("PartitionedCall", "call", "x", f=Called("one"), **kinds)
    refused(made, "'one' calls itself")
    made = Program()
    made.floats("x", 1.0)
    made.node("PartitionedCall", "call", "x", f=Called("nothing"), **kinds)
    refused(made, "no function 'nothing'")


def test_a_write_to_what_is_no_variable() -> None:
    made = Program()
    made.floats("x", 1.0)
    made.node("Assign", "a", "x", "x", T=tl.float32)
    refused(made, r"input 0 should be a variable, and is x:0, a value")


def test_bands_of_diagonals_of_matrices_of_any_size() -> None:
    made = Program()
    made.placeholder("x", shape=(None, None))
    made.const("k", np.array([-1, 1], np.int32))
    made.floats("none", 0.0)
    made.node(
        "MatrixDiagPartV3", "a", "x", "k", "none", T=tl.float32, align="RIGHT_LEFT"
    )
    refused(made, "takes a band of matrices whose sizes are not known")


def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(name: str) -> Any:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr(messages, "import_module", none)
    messages.message.cache_clear()
    with pytest.raises(
        ImportError, match=r"pip install 'tensorlite\[tensorflow-graphs\]'"
    ):
        tl.interop.tensorflow.from_graphdef(b"")
    monkeypatch.setattr(messages, "import_module", importlib.import_module)
    assert message("GraphDef") is not None


def test_versions_that_are_not_understood() -> None:
    made = Program()
    made.node("NoOp", "a")
    made.proto.versions.min_consumer = 10**6
    with pytest.raises(VersionError, match="1000000 at least"):
        tl.interop.tensorflow.from_graphdef(made.bytes())
    made.proto.versions.min_consumer = 12
    made.proto.versions.bad_consumers.append(CONSUMER)
    with pytest.raises(VersionError, match="understood is"):
        tl.interop.tensorflow.from_graphdef(made.bytes())


def test_each_kind_of_damage_has_a_class_of_its_own() -> None:
    made = Program()
    made.node("NoOp", "a")
    made.node("NoOp", "a")
    with pytest.raises(NameClashError):
        tl.interop.tensorflow.from_graphdef(made.bytes())
    made = Program()
    made.node("Neg", "a", "a", T=tl.float32)
    with pytest.raises(CycleError):
        tl.interop.tensorflow.from_graphdef(made.bytes())
    made = Program()
    made.node("Mystery", "a")
    with pytest.raises(MissingOperatorError):
        tl.interop.tensorflow.from_graphdef(made.bytes())


def test_tensors_that_leave_out_much_are_counted_together() -> None:
    made = Program()
    for i in range(40):
        made.floats(f"x{i}", 1.0)
        tensor = made.proto.node[i].attr["value"].tensor
        tensor.ClearField("tensor_content")
        tensor.float_val.extend([1.0, 2.0])
        del tensor.tensor_shape.dim[:]
        tensor.tensor_shape.dim.add(size=2**21)
    with pytest.raises(TooLargeError, match="268,435,456 bytes in all"):
        tl.interop.tensorflow.from_graphdef(made.bytes())


def test_calls_that_multiply() -> None:
    made = Program()
    kinds: dict[str, Any] = {"Tin": (tl.float32,), "Tout": (tl.float32,)}
    for i in range(40):
        one = made.function(f"f{i}", {"x": 1}, {"y": (1, "b:output:0")})
        for name, source in (("a", "x"), ("b", "a:output:0")):
            if i < 39:
                called = Called(f"f{i + 1}")
                one.node("PartitionedCall", name, source, f=called, **kinds)
            else:
                one.node("Identity", name, source, T=tl.float32)
    made.floats("x", 1.0)
    made.node("PartitionedCall", "call", "x", f=Called("f0"), **kinds)
    with pytest.raises(TooLargeError, match="more than 10,000,000 nodes"):
        tl.interop.tensorflow.from_graphdef(made.bytes())


def test_an_input_map_that_names_nothing() -> None:
    made = Program()
    made.floats("x", 1.0)
    graph = tl.Graph()
    with graph.as_default():
        own, other = tl.constant(1.0), tl.constant(2.0)
    assert isinstance(own, tl.SymbolicTensor)
    assert isinstance(other, tl.SymbolicTensor)
    read = tl.interop.tensorflow.from_graphdef
    with pytest.raises(GraphDefError, match="has nothing called 'y:0'"):
        read(made.bytes(), graph, "a", {"y": own})
    with pytest.raises(GraphDefError, match="nothing of other"):
        read(made.bytes(), tl.Graph("other"), "a", {"x": own})
    with pytest.raises(GraphDefError, match=r"give a tensor of it, or say '\^x'"):
        read(made.bytes(), graph, "a", {"x": other.node})


def test_a_function_that_is_called_by_its_name_alone() -> None:
    made = Program()
    one = made.function("one", {"x": 1}, {"y": (1, "n:y:0")})
    one.node("Neg", "n", "x", T=tl.float32)
    made.floats("x", 1.0)
    made.node("one", "call", "x")
    assert made.session().run("call:0") == -1.0
    made.node("two", "other", "x")
    with pytest.raises(MissingOperatorError, match=r"two \(1: other\)"):
        tl.interop.tensorflow.from_graphdef(made.bytes())
