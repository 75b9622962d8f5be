"""Graphs of version 1 have TensorFlow's nodes with its inputs, as TensorFlow 1.15.5 gives them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1

tf: Any = v1
"""The names, of which no types are told where TensorFlow leaves them open."""


def table() -> Any:
    first = np.ones((5, 2), np.float32)
    return tf.get_variable("table", initializer=first)


def momentum() -> None:
    tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_sum(table() ** 2.0))


def ftrl_of_rows() -> None:
    found = tf.nn.embedding_lookup(table(), tf.placeholder(tf.int32, [3], name="ids"))
    tf.train.FtrlOptimizer(0.1).minimize(tf.reduce_sum(found))


def averaged_with_steps() -> None:
    step = tf.train.get_or_create_global_step()
    loss = tf.reduce_sum(table() * 2.0)
    tf.train.AdagradDAOptimizer(0.1, step).minimize(loss)


def initializable() -> None:
    numbers = tf.data.Dataset.range(5).filter(lambda x: x > 2)
    numbers.make_initializable_iterator().get_next()


def reinitializable() -> None:
    iterator = tf.data.Iterator.from_structure(tf.int64, [])
    iterator.make_initializer(tf.data.Dataset.range(4))


def precision() -> None:
    """Count how many of what was found was wanted."""
    wanted, found = (tf.placeholder(tf.bool, [3], name=name) for name in ("l", "p"))
    tf.metrics.precision(wanted, found)


def weighted_mean() -> None:
    """Average numbers by weights of their shape."""
    tf.metrics.mean(*(tf.placeholder(tf.float32, [3], name=name) for name in "xw"))


def queued() -> None:
    """Put constants into a queue, by a rate that falls to a point."""
    tf.FIFOQueue(10, [tf.float32], [[]]).enqueue([1.0])
    tf.train.polynomial_decay(0.1, tf.placeholder(tf.float32, [], name="at"), 100)


NODES: dict[str, tuple[Callable[[], Any], str]] = {
    "momentum": (
        momentum,
        (
            "Momentum/update_table/ApplyMomentum(table, table/Momentum, Momentum/learning_rate, "
            "gradients/pow_grad/tuple/control_dependency, Momentum/momentum)"
        ),
    ),
    "ftrl of rows": (
        ftrl_of_rows,
        (
            "embedding_lookup(table/read, ids, embedding_lookup/axis); "
            "Ftrl/update_table/SparseApplyFtrl(table, table/Ftrl, table/Ftrl_1, "
            "Ftrl/update_table/UnsortedSegmentSum, Ftrl/update_table/Unique, Ftrl/learning_rate, "
            "Ftrl/l1_regularization_strength, Ftrl/l2_regularization_strength, "
            "Ftrl/learning_rate_power)"
        ),
    ),
    "initializable": (
        initializable,
        (
            "FilterDataset(RangeDataset); OptimizeDataset(FilterDataset, optimizations); "
            "ModelDataset(OptimizeDataset); MakeIterator(ModelDataset, IteratorV2); "
            "IteratorToStringHandle(IteratorV2); IteratorGetNext(IteratorV2)"
        ),
    ),
    "precision": (
        precision,
        (
            "precision/true_positives/LogicalAnd(precision/true_positives/Equal, "
            "precision/true_positives/Equal_1); "
            "precision/false_positives/assert_type/statically_determined_correct_type(); "
            "precision/add(precision/true_positives/Identity, precision/false_positives/Identity)"
        ),
    ),
    "queued": (
        queued,
        (
            "fifo_queue_enqueue(fifo_queue, fifo_queue_enqueue/component_0); "
            "PolynomialDecay/sub_1(PolynomialDecay/sub_1/x, PolynomialDecay/truediv)"
        ),
    ),
    "weighted mean": (
        weighted_mean,
        "mean/Mul(x, w); mean/Sum(w, mean/Const); mean/Sum_1(mean/Mul, mean/Const_1)",
    ),
    "reinitializable": (
        reinitializable,
        (
            "IteratorToStringHandle(IteratorV2); RangeDataset(start, stop, step); "
            "make_initializer(RangeDataset, IteratorV2)"
        ),
    ),
}


def told(op: Any) -> str:
    inputs = ", ".join([x.name.removesuffix(":0") for x in op.inputs])
    return f"{op.name}({inputs})"


@pytest.mark.parametrize(("program", "expected"), NODES.values(), ids=NODES.keys())
def test_nodes_have_tensorflows_inputs(
    program: Callable[[], Any], expected: str
) -> None:
    with tf.Graph().as_default() as graph:
        program()
    assert set(expected.split("; ")) <= {told(op) for op in graph.get_operations()}


def test_the_step_of_dual_averages_is_an_integer() -> None:
    with tf.Graph().as_default() as graph:
        averaged_with_steps()
    update = graph.get_operation_by_name("AdagradDA/update_table/ApplyAdagradDA")
    assert [x.dtype.name for x in update.inputs][3:] == ["float32"] * 4 + ["int64"]


def test_an_iterators_string_is_made_once() -> None:
    with tf.Graph().as_default():
        iterator = tf.data.Dataset.range(2).make_one_shot_iterator()
        names = [iterator.string_handle().name for _ in range(2)]
        names.append(iterator.string_handle("mine").name)
    assert names == ["IteratorToStringHandle:0"] * 2 + ["mine:0"]


def test_datasets_are_written_with_what_they_are_told() -> None:
    with tf.Graph().as_default() as graph:
        made = tf.data.Dataset.range(5).shuffle(5, seed=1).repeat(2)
        iterator = made.make_initializable_iterator()
        iterator.get_next(name="next")
        begun = iterator.initializer.name
    wanted, message = elements(graph, begun), graph.as_graph_def()
    assert {"OptimizeDataset", "ModelDataset"} <= {node.op for node in message.node}
    with tf.Graph().as_default() as again:
        tf.import_graph_def(message, name="")
    assert elements(again, begun) == wanted
    assert sorted(wanted) == sorted([*range(5)] * 2)


def elements(graph: Any, begun: str) -> list[int]:
    with tf.Session(graph=graph) as session:
        session.run(begun)
        return [int(session.run("next:0")) for _ in range(10)]


def branched() -> None:
    """Make a conditional that reads a variable, and gives a constant else."""
    chosen = tf.placeholder(tf.bool, [], name="p")
    weights = tf.get_variable("w", initializer=np.ones(2, np.float32))
    tf.cond(chosen, lambda: weights * 2.0, lambda: tf.constant([5.0, 6.0]))


def looped() -> None:
    """Make a loop that reads a variable and counts its turns, too."""
    weights = tf.get_variable("w", initializer=np.ones(2, np.float32))
    tf.while_loop(
        lambda i, x: i < 5,
        lambda i, x: [i + 1, x * weights],
        [tf.constant(0, name="i"), tf.constant([1.0, 2.0], name="x")],
        maximum_iterations=3,
    )


WRITTEN: dict[str, tuple[Callable[[], Any], str]] = {
    "cond": (
        branched,
        (
            "cond/Switch(p p) cond/switch_t(cond/Switch:1) cond/switch_f(cond/Switch) "
            "cond/pred_id(p) cond/mul(cond/mul/Switch:1 cond/mul/y) "
            "cond/mul/Switch(w/read cond/pred_id) cond/Const(^cond/switch_f) "
            "cond/Merge(cond/Const cond/mul)"
        ),
    ),
    "while": (
        looped,
        (
            "while/Enter(while/iteration_counter) while/Enter_1(i) while/Enter_2(x) "
            "while/LogicalAnd(while/Less while/Less_1) while/LoopCond(while/LogicalAnd) "
            "while/add/y(^while/Identity) while/add(while/Identity while/add/y) "
            "while/mul/Enter(w/read) while/mul(while/Identity_2 while/mul/Enter) "
            "while/NextIteration_2(while/mul) while/Exit_2(while/Switch_2)"
        ),
    ),
}


GUARD = (
    "{0}/Switch:Switch({1} {1}) {0}/switch_t:Identity({0}/Switch:1) "
    "{0}/switch_f:Identity({0}/Switch) {0}/pred_id:Identity({1}) "
    "{0}/NoOp:NoOp(^{0}/switch_t) "
    "{0}/control_dependency:Identity({0}/switch_t ^{0}/NoOp) "
    "{0}/Assert/Switch:Switch({1} {0}/pred_id) "
    "{0}/control_dependency_1:Identity({0}/switch_f ^{0}/Assert) "
    "{0}/Merge:Merge({0}/control_dependency_1 {0}/control_dependency)"
)
"""What is made of any assertion on whose failing something is looked at."""
ASSERTIONS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "positive": (
        tf.assert_positive,
        (
            "assert_positive/Const:Const() "
            "assert_positive/assert_less/Less:Less(assert_positive/Const x) "
            "assert_positive/assert_less/All:"
            "All(assert_positive/assert_less/Less assert_positive/assert_less/Const) "
            + GUARD.format(
                "assert_positive/assert_less/Assert/AssertGuard",
                "assert_positive/assert_less/All",
            )
        ),
    ),
    "equal": (
        lambda x: tf.assert_equal(x, 1.0),
        (
            "assert_equal_1/Equal:Equal(x assert_equal_1/y) "
            + GUARD.format("assert_equal_1/Assert/AssertGuard", "assert_equal_1/All")
        ),
    ),
    "numbers": (
        lambda x: tf.Assert(tf.less(x[0], 1.0), [x], name="own"),
        GUARD.format("own/AssertGuard", "Less"),
    ),
    "texts": (
        lambda x: tf.Assert(tf.less(x[0], 1.0), ["no"]),
        "Assert/Const:Const() Assert/Assert:Assert(Less Assert/Assert/data_0)",
    ),
    "rank": (
        lambda x: tf.assert_rank_in(tf.placeholder(tf.float32, name="y"), [1, 2]),
        (
            "assert_rank_in/Equal:Equal(assert_rank_in/rank assert_rank_in/Rank_2) "
            "assert_rank_in/LogicalOr:"
            "LogicalOr(assert_rank_in/Equal assert_rank_in/Equal_1)"
        ),
    ),
}


@pytest.mark.parametrize(("check", "expected"), ASSERTIONS.values(), ids=ASSERTIONS)
def test_assertions_are_tensorflow_1s_branches(
    check: Callable[[Any], Any], expected: str
) -> None:
    with tf.Graph().as_default() as graph:
        made = check(tf.placeholder(tf.float32, [3], name="x"))
        listed = {f"{op.name}:{op.type}" for op in nodes(graph)}
    found = {
        f"{x.name}:{x.op}({' '.join(x.input)})" for x in graph.as_graph_def().node
    }
    wanted = {f"{x.strip()})" for x in expected.split(")")[:-1]}
    assert wanted <= found
    assert {x.partition("(")[0] for x in found} == listed
    assert graph.get_operation_by_name(made.name) is made


def test_names_of_files_are_asked_for_and_first_values_where_there_are_none() -> None:
    with tf.Graph().as_default() as graph:
        tf.train.string_input_producer(["a", "b"])
        weights = tf.Variable(tf.zeros([2]), name="v")
        assert weights.initialized_value().name == "cond/Merge:0"
        message = graph.as_graph_def()
    found = {f"{x.name}:{x.op}({' '.join(x.input)})" for x in message.node}
    check = "input_producer/Assert/Assert"
    assert {
        "input_producer/Const:Const()",
        "input_producer/Greater:Greater(input_producer/Size input_producer/Greater/y)",
        f"{check}:Assert(input_producer/Greater {check}/data_0)",
        "input_producer/Identity:Identity(input_producer/Const ^input_producer/Assert/Assert)",
        "IsVariableInitialized:IsVariableInitialized(v)",
        "cond/Switch:Switch(IsVariableInitialized IsVariableInitialized)",
        "cond/Merge:Merge(cond/Switch_1 cond/read)",
    } <= found


def test_assertions_that_were_written_raise_where_they_are_read() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [3], name="x")
        with tf.control_dependencies([tf.assert_positive(x, message="too small")]):
            tf.multiply(x, 2.0, name="y")
        message = graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(message, name="")
        assert session.run("y:0", {"x:0": [1, 2, 3]}).tolist() == [2.0, 4.0, 6.0]
        with pytest.raises(tf.errors.InvalidArgumentError, match="too small"):
            session.run("y:0", {"x:0": [1, -2, 3]})


@pytest.mark.parametrize(
    ("program", "expected"), WRITTEN.values(), ids=WRITTEN.keys()
)
def test_branches_and_loops_are_written_as_tensorflow_1s(
    program: Callable[[], Any], expected: str
) -> None:
    with tf.Graph().as_default() as graph:
        program()
    found = {f"{x.name}({' '.join(x.input)})" for x in graph.as_graph_def().node}
    wanted = {f"{x.strip()})" for x in expected.split(")")[:-1]}
    assert wanted <= found


@pytest.mark.parametrize("what", WRITTEN)
def test_branches_and_loops_are_listed_as_they_are_written(what: str) -> None:
    with tf.Graph().as_default() as graph:
        WRITTEN[what][0]()
    listed = {
        op.name: (op.type, [x.op.name for x in op.inputs]) for op in nodes(graph)
    }
    for node in graph.as_graph_def().node:
        taken = [x.partition(":")[0] for x in node.input if x[0] != "^"]
        assert listed[node.name] == (node.op, taken)
    for op in nodes(graph):
        assert op.graph is graph
        assert graph.get_operation_by_name(op.name) is op
        assert all(graph.get_tensor_by_name(y.name) is y for y in op.outputs)


def nodes(graph: Any) -> list[Any]:
    return list(graph.get_operations())


def test_what_a_branch_writes_it_reads_when_it_is_written() -> None:
    with tf.Graph().as_default() as graph:
        weights = tf.get_variable("w", initializer=np.ones(2, np.float32))

        def doubled() -> Any:
            with tf.control_dependencies([weights.assign_add([1.0, 2.0])]):
                return weights * 2.0

        tf.cond(tf.placeholder(tf.bool, [], name="p"), doubled, lambda: weights)
        message = graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(message, name="")
        session.run("w/Assign")
        found = session.run("cond/Merge:0", {"p:0": True})
        kept = session.run("cond/Merge:0", {"p:0": False})
    assert (found.tolist(), kept.tolist()) == ([4.0, 6.0], [2.0, 3.0])


def test_results_that_nothing_takes_keep_their_names_where_they_are_written() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.keras.layers.Dropout(0.5)(x)
        message = graph.as_graph_def()
        phase = tf.keras.backend.learning_phase().name
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(message, name="")
        found = session.run(y.name, {"x:0": [1.0, 2.0], phase: False})
    assert found.tolist() == [1.0, 2.0]
