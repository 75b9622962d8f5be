"""What tests of libraries take from TensorFlow's inside: modes of tests, operators' functions."""

from __future__ import annotations

import unittest
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.config import get_tensorflow_results
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
INSIDE = "tensorlite.compat.v1.python"
test_util: Any = import_module(f"{INSIDE}.framework.test_util")
test_util.__test__ = False


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def _ran(method: Any) -> tuple[list[Any], unittest.TestResult]:
    """Return what a test noted, run as a method of a TestCase, and its result."""
    kind = type("Case", (test_util.TensorFlowTestCase,), {"testIt": method})
    case = kind("testIt")
    case.noted = []
    result = unittest.TestResult()
    case.run(result)
    return case.noted, result


def _note(self: Any) -> None:
    """Note the mode, and what a sum is there."""
    x = tf.constant([[1.0, 2.0]]) + np.ones(2)
    self.noted.append((tf.executing_eagerly(), x.shape, self.evaluate(x).tolist()))


def test_a_test_runs_in_a_graph_and_then_eagerly() -> None:
    noted, result = _ran(test_util.run_in_graph_and_eager_modes(_note))
    assert result.wasSuccessful()
    assert noted == [(x, [1, 2], [[2.0, 3.0]]) for x in (False, True)]
    assert all(isinstance(shape[0], tf.Dimension) for _, shape, _ in noted)


def test_what_eager_mode_asks_of_the_process_ends_with_it() -> None:
    context = import_module(f"{INSIDE}.eager.context")
    before = get_tensorflow_results()
    with context.eager_mode():
        assert context.executing_eagerly()
        assert get_tensorflow_results()
        with context.graph_mode():
            assert not context.executing_eagerly()
            assert isinstance(tf.constant(1), tf.Tensor)
        with tf.Graph().as_default():
            assert not context.executing_eagerly()
    assert not context.executing_eagerly()
    assert get_tensorflow_results() == before
    assert mode.eager is False


def test_all_tests_of_a_class_run_in_both_modes() -> None:
    kind = type("Case", (test_util.TensorFlowTestCase,), {"testIt": _note})
    case = test_util.run_all_in_graph_and_eager_modes(kind)("testIt")
    case.noted = []
    case.run(unittest.TestResult())
    assert [is_eager for is_eager, _, _ in case.noted] == [False, True]


@pytest.mark.parametrize(
    ("decorate", "skips"),
    [
        (test_util.run_v1_only("of version 1"), False),
        (test_util.run_v2_only, True),
        (test_util.run_v2_only(), True),
        (test_util.run_deprecated_v1, False),
        (test_util.deprecated_graph_mode_only(), False),
        (test_util.disable_xla("slow"), False),
        (test_util.also_run_as_tf_function, False),
        (test_util.skip_if(lambda: False), False),
    ],
)
def test_tests_run_only_in_the_version_they_are_for(
    decorate: Any, skips: bool
) -> None:
    noted, result = _ran(decorate(_note))
    assert (len(noted), len(result.skipped)) == ((0, 1) if skips else (1, 0))


def test_axes_are_moved_for_channels_first_and_back() -> None:
    assert test_util.NHWCToNCHW([1, 2, 3, 4]) == [1, 4, 2, 3]
    assert test_util.NCHWToNHWC([1, 4, 2, 3]) == [1, 2, 3, 4]
    assert test_util.NHWCToNCHW(tf.zeros([1, 2, 3, 5, 4])).shape == [1, 4, 2, 3, 5]


def test_nodes_of_a_graph_are_found_by_name_and_kind() -> None:
    tf.constant(1, name="one")
    graph = tf.get_default_graph()
    assert test_util.assert_ops_in_graph({"one": "Const"}, graph)["one"].op == "Const"
    with pytest.raises(ValueError, match="no node 'two' of Add"):
        test_util.assert_ops_in_graph({"two": "Add"}, graph)
    assert test_util.get_node_def_from_graph("none", graph.as_graph_def()) is None


def test_operators_are_called_by_the_functions_that_are_generated_of_them() -> None:
    arrays = import_module(f"{INSIDE}.ops.gen_array_ops")
    math = import_module(f"{INSIDE}.ops.gen_math_ops")
    joined = arrays.concat_v2([[1], [2]], 0, name="joined")
    unique = arrays.unique([7, 8, 7])
    total = math._sum([[1, 2]], 1, keep_dims=True)
    assert joined.op.name == "joined"
    with tf.Session() as session:
        found = session.run([joined, unique.y, unique.idx, total])
    assert [x.tolist() for x in found] == [[1, 2], [7, 8], [0, 1, 0], [[3]]]
    with pytest.raises(AttributeError, match="no_such_operator"):
        _ = arrays.no_such_operator


def test_names_of_a_version_are_that_versions_functions() -> None:
    arrays = import_module(f"{INSIDE}.ops.array_ops")
    assert arrays.squeeze_v2 is tf.compat.v2.squeeze
    assert import_module(f"{INSIDE}.ops.variables").VariableV1 is tf.Variable


def test_variables_behind_handles_have_a_class_of_their_own() -> None:
    kinds = import_module(f"{INSIDE}.ops.resource_variable_ops")
    v = kinds.ResourceVariable([1.0, 2.0], name="v")
    w = tf.Variable(1.0)
    assert (v.op.type, v.shape) == ("VarHandleOp", [2])
    assert [isinstance(x, kinds.ResourceVariable) for x in (v, w, 1)] == [
        True,
        False,
        False,
    ]
    assert kinds.is_resource_variable(v)


def test_shapes_are_made_by_functions_for_few_axes() -> None:
    shapes = import_module(f"{INSIDE}.framework.tensor_shape")
    assert shapes.scalar().as_list() == []
    assert shapes.vector(3).as_list() == [3]
    assert shapes.matrix(2, None).as_list() == [2, None]
    assert shapes.unknown_shape(2).as_list() == [None, None]
    assert shapes.unknown_shape().ndims is None
    assert shapes.as_shape([4]).as_list() == [4]
    assert shapes.as_dimension(5).value == 5
    with pytest.raises(ValueError, match="not both"):
        shapes.unknown_shape(1, 2)


def test_functions_are_defined_with_gradients_and_shapes_of_their_own() -> None:
    define: Any = import_module(f"{INSIDE}.framework.function").Defun

    double = define(
        python_grad_func=lambda op, dy: dy * 10.0 + op.inputs[0],
        shape_func=lambda op: [op.inputs[0].get_shape()],
    )(lambda x: x * 2.0)
    square = define(tf.float32, grad_func=lambda x, dy: 5.0 * x * dy)(lambda x: x * x)
    both = define(tf.float32, tf.float32, func_name="both")(
        lambda x, y: (x * y, x + y)
    )

    x = tf.constant([1.0, 2.0])
    doubled, squared = double(x), square(x)
    product, total = both(x, 3.0 * x)
    wanted = [doubled, squared, product, total]
    by_x = [tf.gradients(y, x)[0] for y in wanted]
    with tf.Session() as session:
        values, slopes = session.run([wanted, by_x])
    assert [y.tolist() for y in values] == [[2, 4], [1, 4], [3, 12], [4, 8]]
    assert [y.tolist() for y in slopes] == [[11, 12], [5, 10], [6, 12], [4, 4]]
    assert both.name == "both"
    with pytest.raises(
        ValueError, match="Expected number of arguments: 1, received: 2"
    ):
        square(x, x)


def test_names_within_scopes_are_told_apart() -> None:
    ops = import_module(f"{INSIDE}.framework.ops")
    assert ops.name_from_scope_name("a/b/") == "a/b"
    assert ops.strip_name_scope("^a/b", "a") == "^b"
    assert ops.strip_name_scope("a/b", None) == "a/b"
    assert ops.prepend_name_scope("loc:@b", "a/") == "loc:@a/b"
    assert ops.prepend_name_scope("b", "") == "b"
    assert ops.uid() != ops.uid()
    with tf.name_scope("outer"):
        assert ops.get_name_scope() == "outer"
    one, two = ops.convert_n_to_tensor([1, 2.0], name="n")
    assert (one.op.name, one.dtype, two.op.name) == ("n_0", tf.int32, "n_1")
    assert ops.internal_convert_to_tensor(1, preferred_dtype=tf.float32).dtype == (
        tf.float32
    )
    tf.add_to_collection("mine", one)
    assert ops.get_all_collection_keys() == ["mine"]


def test_vectors_of_sizes_are_shapes() -> None:
    util = import_module(f"{INSIDE}.framework.tensor_util")
    x = tf.placeholder(tf.float32, [None, 3])
    assert util.constant_value_as_shape(tf.constant([2, -1])).as_list() == [2, None]
    assert util.constant_value_as_shape(tf.shape(x)).as_list() == [None, 3]
    unknown = tf.placeholder(tf.int32)
    assert util.constant_value_as_shape(unknown).ndims is None
    assert util.MakeNdarray(tf.make_tensor_proto([1, 2])).tolist() == [1, 2]


def test_rows_of_other_tensors_are_ragged_tensors() -> None:
    made = import_module(f"{INSIDE}.ops.ragged.ragged_conversion_ops")
    with tf.Graph().as_default(), tf.Session() as session:
        rows = made.from_tensor(tf.constant([[1, 2], [3, 0]]), padding=0)
        back = made.from_sparse(made.to_sparse(rows))
        found = made.to_tensor(back)
        given = made.convert_to_tensor_or_ragged_tensor([1], tf.float32)
        assert session.run(found).tolist() == [[1, 2], [3, 0]]
    assert made.is_ragged(rows)
    assert not made.is_ragged(found)
    assert made.to_tensor(given) is given
    assert given.dtype == tf.float32
    assert made.convert_to_tensor_or_ragged_tensor(rows) is rows


def test_rows_are_made_and_asked_in_the_default_graph() -> None:
    x = tf.constant([[1, 2], [3, 0]])
    rows = tf.RaggedTensor.from_tensor(x, padding=0)
    words = tf.strings.split(["a b", "c"], result_type="RaggedTensor")
    constant = tf.ragged.constant([[1, 2], [3]])
    wanted = [
        rows.to_tensor(),
        rows.row_lengths(),
        (rows + 1).to_tensor(),
        rows[0],
        words.to_tensor(),
        constant.nrows(),
        constant[1],
    ]
    assert all(isinstance(one, tf.Tensor) for one in wanted)
    assert all(isinstance(one, tf.RaggedTensor) for one in (rows, words, constant))
    with tf.Session() as session:
        found = [one.tolist() for one in session.run(wanted)]
    assert found[:4] == [[[1, 2], [3, 0]], [2, 1], [[2, 3], [4, 0]], [1, 2]]
    assert found[4:] == [[[b"a", b"b"], [b"c", b""]], 2, [3]]
