"""What assignments to variables return where there are no graphs, as TensorFlow has it.

What is expected is what TensorFlow 1.15 and 2.21 give.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from weakref import ref

import pytest

from tensorlite.compat import v1, v2
from tensorlite.graph_mode.graph import mode

tf: Any = v2
tf1: Any = v1


@pytest.fixture
def _version_1() -> Iterator[None]:
    before = mode.eager, mode.plain_sizes, mode.graph, mode.older
    mode.eager, mode.plain_sizes, mode.graph = False, False, None
    tf1.enable_eager_execution()
    yield
    mode.eager, mode.plain_sizes, mode.graph, mode.older = before


def check_assignments(kind: Any) -> None:
    v = kind(1.0, name="v")
    for method, value in (
        ("assign", 2.0),
        ("assign_add", 5.0),
        ("assign_sub", 2.0),
    ):
        found = getattr(v, method)(value if method == "assign" else 3.0)
        assert found is not v
        assert isinstance(found, kind)
        assert (found.op, found.name, found.dtype, found.trainable) == (
            None,
            "UnreadVariable",
            v.dtype,
            True,
        )
        assert found.handle is v.handle
        assert (found + 1.0).numpy() == found.numpy() + 1.0 == value + 1.0
        assert repr(found).startswith("<tf.Variable 'UnreadVariable' shape=()")
        assert getattr(v, method)(value, read_value=False) is None
        v.assign(value)
    assert v.assign(1.0).assign_add(2.0).assign_sub(0.5).numpy() == 2.5
    assert v.numpy() == 2.5
    behind = v.assign(3.0)
    v.assign(4.0)
    assert behind.numpy() == 4.0  # which is read when it is asked for


def check_rows(module: Any) -> None:
    v = module.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
    rows = module.IndexedSlices(module.constant([[5.0, 6.0]]), module.constant([1]))
    for method in ["update", "add", "sub", "mul", "div", "max", "min"]:
        found = getattr(v, f"scatter_{method}")(rows)
        assert (found.op, found.name) == (None, "UnreadVariable")
        assert (found.numpy() == v.numpy()).all()
    found = v.scatter_nd_update([[0, 1]], [7.0])
    assert (found.name, found.numpy()[0].tolist()) == ("UnreadVariable", [1.0, 7.0])
    assert v[0].assign([8.0, 9.0]).name == "UnreadVariable"
    assert v.numpy()[0].tolist() == [8.0, 9.0]


def test_assignments_return_variables_that_are_behind_them() -> None:
    check_assignments(tf.Variable)
    check_rows(tf)


@pytest.mark.usefixtures("_version_1")
def test_they_do_so_in_version_1() -> None:
    check_assignments(tf1.Variable)
    check_rows(tf1)
    v = tf1.Variable([1.0, 2.0])
    assert tf1.assign_add(v, [1.0, 1.0]).name == "UnreadVariable"
    assert tf1.scatter_update(v, [0], [7.0]).numpy().tolist() == [7.0, 3.0]


def test_gradients_know_them_as_the_variable() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        behind = v.assign([3.0, 4.0])
        y = behind * behind
    assert len(tape.watched_variables()) == 1
    for source in (v, behind):
        assert tape.gradient(y, source).numpy().tolist() == [6.0, 8.0]


@pytest.mark.usefixtures("_version_1")
def test_variables_of_version_1_are_equal_to_themselves_alone() -> None:
    v, w = (tf1.Variable([1.0, 2.0]) for _ in range(2))
    assert ([v, w].index(w), w in [w, v], v == w, v != w) == (1, True, False, True)


def test_variables_of_version_2_are_compared_by_their_elements() -> None:
    v, w = tf.Variable([1.0, 2.0]), tf.Variable([1.0, 3.0])
    assert (v == w).numpy().tolist() == [True, False]


def test_what_graphs_alone_have_is_said_to_be_undefined() -> None:
    for holder in (tf.constant(1.0), tf.Variable(1.0)):
        for name in ("op", "graph"):
            told = f"Tensor.{name} is undefined when eager execution is enabled."
            with pytest.raises(AttributeError, match=told):
                getattr(holder, name)
    with pytest.raises(AttributeError, match=r"Tensor\.name is undefined"):
        _ = tf.constant(1.0).name
    with pytest.raises(AttributeError, match="no attribute 'foo'"):
        _ = tf.constant(1.0).foo
    for name in ("initial_value", "create"):
        with pytest.raises(RuntimeError, match=f"{name} is not supported when eager"):
            getattr(tf.Variable(1.0), name)
    for name in ("eval", "to_proto"):
        with pytest.raises(RuntimeError, match=f"{name} is not supported when eager"):
            getattr(tf.Variable(1.0), name)()


def test_variables_are_loaded_at_once() -> None:
    v = tf.Variable([1.0, 2.0])
    assert v.load([3.0, 4.0]) is None
    assert v.numpy().tolist() == [3.0, 4.0]


@pytest.mark.usefixtures("_version_1")
def test_a_list_of_one_is_its_member_where_a_choice_is_made_at_once() -> None:
    """As in TensorFlow 1.15, where tf.cond is not strict."""
    for pred in (True, tf1.less(1, 2)):
        for one in ([tf1.constant(10)], (tf1.constant(10),)):
            found = tf1.cond(pred, lambda one=one: one, lambda: None)
            assert found.numpy() == 10
    found = tf1.cond(True, lambda: [tf1.constant(1)], lambda: None, strict=True)
    assert isinstance(found, list)


def test_references_tell_what_they_refer_to_and_may_be_weak() -> None:
    reference = tf.constant(1.0).ref()
    assert repr(reference).startswith("<Reference wrapping <tf.Tensor: shape=()")
    assert ref(reference)() is reference


@pytest.mark.usefixtures("_version_1")
def test_defun_is_a_function_whose_shapes_may_become_general() -> None:
    add = tf1.contrib.eager.defun(lambda x: x + 1.0, experimental_relax_shapes=True)
    for size in (1, 2, 3):
        assert add(tf1.ones([size])).numpy().tolist() == [2.0] * size
    assert add.experimental_get_tracing_count() == 2
    assert len(add.get_concrete_function(tf1.ones([2])).inputs) == 1
    double = tf1.contrib.eager.function(lambda x: 2.0 * x)
    assert double(tf1.constant(2.0)).numpy() == 4.0

    @tf1.contrib.eager.defun(input_signature=[tf1.TensorSpec([None], tf1.float32)])  # type: ignore[untyped-decorator]
    def halved(x: Any) -> Any:
        return x / 2.0

    assert halved([2.0, 4.0]).numpy().tolist() == [1.0, 2.0]


def test_branches_of_traced_functions_return_operations_of_assignments() -> None:
    v = tf.Variable(1.0)

    @tf.function  # type: ignore[untyped-decorator]
    def step(add: Any) -> Any:
        tf.cond(add, lambda: v.assign_add(1.0).op, lambda: v.assign(7.0).op)
        tf.switch_case(tf.cast(add, tf.int32), [lambda: v.assign_add(10.0).op] * 2)
        return v.read_value()

    assert step(tf.constant(True)).numpy() == 12.0
    assert step(tf.constant(False)).numpy() == 17.0


def test_what_follows_may_wait_for_operations_of_assignments() -> None:
    v = tf.Variable(1.0)

    @tf.function  # type: ignore[untyped-decorator]
    def step() -> Any:
        with tf.control_dependencies([v.assign_add(1.0).op]):
            return tf.constant(3.0)

    assert step().numpy() == 3.0
    assert v.numpy() == 2.0
