"""TensorFlow 2's variables: made in functions, by creators, in init_scope; copied, pickled."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf
from tensorlite.compat import conversions
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def eager() -> Iterator[None]:
    before = mode.eager
    mode.eager = True
    yield
    mode.eager = before


class Dense(tf.Module):
    """Makes its variables when it is first called."""

    def __init__(self) -> None:
        super().__init__()
        self.w: Any = None

    @tf.function
    def __call__(self, x: Any) -> Any:
        if self.w is None:
            self.w = tf.Variable(tf.random.normal([x.shape[-1], 2]), name="w")
            self.b = tf.Variable(tf.zeros([2]), name="b")
        return x @ self.w + self.b


class Late:
    """Makes its variable when it is first called."""

    def __init__(self) -> None:
        self.v: Any = None

    def __call__(self, x: Any) -> Any:
        if self.v is None:
            self.v = tf.Variable(1.0)
        return x * self.v


def test_first_values_are_drawn_once_for_a_function() -> None:
    first, second = Dense(), Dense()
    found = first(tf.ones([1, 3]))
    assert found.numpy().tolist() == first(tf.ones([1, 3])).numpy().tolist()
    assert found.numpy().tolist() == tf.reduce_sum(first.w, 0, True).numpy().tolist()
    assert first(tf.ones([2, 3])).shape == (2, 2)
    second(tf.ones([1, 3]))
    assert second.w.numpy().tolist() != first.w.numpy().tolist()
    assert [v.name for v in first.variables] == ["b:0", "w:0"]


def test_the_graph_has_nothing_of_what_variables_begin_with() -> None:
    model = Dense()
    model(tf.ones([1, 3]))
    traced = model.__call__.get_concrete_function(tf.ones([1, 3]))
    assert not [x for x in traced.graph.as_graph_def().node if "Random" in x.op]
    assert [x.name for x in traced.variables] == ["w:0", "b:0"]


def test_a_function_makes_variables_in_its_first_call_only() -> None:
    @tf.function
    def anew(x: Any) -> Any:
        return tf.Variable(1.0) + x

    @tf.function
    def called(model: Any, x: Any) -> Any:
        return model(x)

    with pytest.raises(ValueError, match="singleton"):
        anew(1.0)
    first, second = Late(), Late()
    assert called(first, tf.ones([])).numpy() == 1.0
    with pytest.raises(ValueError, match="singleton"):
        called(second, tf.ones([]))


def test_what_stands_in_init_scope_is_no_part_of_a_function() -> None:
    held: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        with tf.init_scope():
            assert tf.executing_eagerly()
            held.append(tf.Variable(tf.random.uniform([2])))
        assert not tf.executing_eagerly()
        return x * held[0]

    assert f(tf.ones([2])).numpy().tolist() == held[0].numpy().tolist()
    f(tf.ones([]))
    assert held[1] is not held[0]
    assert f(tf.ones([2])).numpy().tolist() == held[0].numpy().tolist()


def test_creators_make_variables_the_innermost_first() -> None:
    told: list[Any] = []

    def doubled(below: Any, **given: Any) -> Any:
        told.append((given["name"], given["trainable"], sorted(given)[:3]))
        return below(**{**given, "initial_value": given["initial_value"] * 2.0})

    def one_more(below: Any, **given: Any) -> Any:
        return below(**{**given, "initial_value": given["initial_value"] + 1.0})

    with tf.variable_creator_scope(doubled), tf.variable_creator_scope(one_more):
        v = tf.Variable(3.0, name="v")
    assert v.numpy() == 8.0
    assert told == [("v", None, ["aggregation", "caching_device", "constraint"])]
    assert tf.Variable(3.0).numpy() == 3.0


def test_creators_may_give_something_else() -> None:
    with tf.variable_creator_scope(lambda below, **given: given["dtype"]):
        made: Any = tf.Variable(1.0, dtype=tf.float64)
    assert made is tf.float64


def test_creators_of_graphs_are_asked_for_variables_of_scopes() -> None:
    names = []

    def noted(below: Any, **given: Any) -> Any:
        names.append(given["name"])
        return below(**given)

    with tf1.Graph().as_default() as graph, tf1.variable_creator_scope(noted):
        tf1.get_variable("w", [2])
        tf1.Variable(1.0, name="b")
        assert [x.name for x in tf1.global_variables()] == ["w:0", "b:0"]
    assert names == ["w", "b"]
    assert graph is not None


def test_a_copied_model_trains_by_itself() -> None:
    model = Dense()
    model(tf.ones([1, 3]))
    model.w.assign(tf.ones([3, 2]))
    again = copy.deepcopy(model)
    again.w.assign_add(tf.ones([3, 2]))
    assert again.w.name == "w:0"
    assert again.w.trainable
    assert (again.w - model.w).numpy().tolist() == [[1.0, 1.0]] * 3
    assert again(tf.ones([1, 3])).numpy().tolist() == [[6.0, 6.0]]
    assert model(tf.ones([1, 3])).numpy().tolist() == [[3.0, 3.0]]


def test_a_pickled_variable_has_its_value() -> None:
    v = tf.Variable([1.0, 2.0], trainable=False, name="v", dtype=tf.float64)
    again = pickle.loads(pickle.dumps(v))  # noqa: S301  made right here
    assert (again.name, again.dtype, again.trainable) == ("v:0", tf.float64, False)
    assert again.numpy().tolist() == [1.0, 2.0]


def test_a_variable_is_not_copied_in_a_function() -> None:
    v = tf.Variable(1.0)
    with pytest.raises(RuntimeError, match="in a trace"):
        tf.function(lambda: copy.deepcopy(v))()


def test_a_scope_of_names_is_opened_again_and_tells_its_name() -> None:
    scope, wrong = tf.name_scope("a"), cast("Any", None)
    with scope as whole:
        assert whole == "a/"
        with scope as inner:
            assert inner == "a/a/"
    assert scope.name == "a"
    with pytest.raises(ValueError, match="must be a string"):
        tf.name_scope(wrong)


def test_variables_made_after_a_restore_have_what_was_saved(tmp_path: Path) -> None:
    first, second = Dense(), Dense()
    first(tf.ones([1, 3]))
    path = tf.train.Checkpoint(module=first).write(tmp_path / "c")
    status = tf.train.Checkpoint(module=second).read(path)
    with pytest.raises(AssertionError, match="module/w"):
        status.assert_consumed()
    second(tf.ones([1, 3]))
    status.assert_consumed()
    assert second.w.numpy().tolist() == first.w.numpy().tolist()
    assert second.awaiting == ()


def test_loaded_variables_are_tensorflows(tmp_path: Path) -> None:
    module = Dense()
    module(tf.ones([1, 3]))
    tf.saved_model.save(module, str(tmp_path))
    loaded = tf.saved_model.load(str(tmp_path))
    assert (loaded.w.name, type(loaded.w)) == ("w:0", tf.Variable)
    assert loaded.w.numpy().tolist() == module.w.numpy().tolist()


class Ignoring(Dense):
    """Has a member that is none of its parts."""

    _TF_MODULE_IGNORED_PROPERTIES = frozenset({"other"}).union(
        Dense._TF_MODULE_IGNORED_PROPERTIES  # libraries name more in this way
    )

    def __init__(self) -> None:
        super().__init__()
        self.other = tf.Variable(1.0)
        self.own = tf.Variable(2.0, trainable=False)


def test_modules_ignore_what_their_class_says() -> None:
    module = Ignoring()
    assert module.variables == (module.own,)
    assert module.trainable_variables == ()
    assert module.non_trainable_variables == (module.own,)


class Doubled(tf.Variable):
    """Holds its value itself."""

    def __init__(self, value: Any) -> None:
        self.held = value


def test_variables_that_hold_their_values_say_how_they_are_converted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(conversions, "_known", [])
    tf.register_tensor_conversion_function(
        Doubled, lambda value, **_: value.held * 2.0
    )
    made: Any = Doubled(tf.constant(3.0))
    assert (made / 2.0).numpy() == 3.0
    assert tf.square(made).numpy() == 36.0


def test_references_to_variables_are_sorted() -> None:
    refs = [tf.Variable(float(i)).ref() for i in range(5)]
    turned = refs[::-1]
    assert sorted(turned) == sorted(refs)
    assert [x.deref().numpy() for x in turned] == [4.0, 3.0, 2.0, 1.0, 0.0]


def test_libraries_take_a_variable_from_what_is_trained() -> None:
    module: Any = tf.Module()
    module.kept, module.free = tf.Variable(1.0), tf.Variable(2.0)
    assert len(module.trainable_variables) == 2
    module.kept._trainable = False
    assert not module.kept.trainable
    assert [x.numpy() for x in module.trainable_variables] == [2.0]
    assert len(module.variables) == 2


class Told:
    """Tells what it is when it is converted, and never as an array."""

    def __array__(self) -> Any:
        raise NotImplementedError


@pytest.mark.parametrize("staged", [False, True])
def test_registered_classes_are_converted_before_they_are_taken_for_arrays(
    monkeypatch: pytest.MonkeyPatch, staged: bool
) -> None:
    monkeypatch.setattr(conversions, "_known", [])
    tf.register_tensor_conversion_function(
        Told, lambda value, **_: tf.constant([1.0, 2.0])
    )
    for convert in (
        lambda: tf.convert_to_tensor(Told()),
        lambda: tf.convert_to_tensor(Told(), tf.float32),
        lambda: tf.convert_to_tensor([Told(), [1.0, 2.0]])[0],
    ):
        run = tf.function(convert) if staged else convert
        assert run().numpy().tolist() == [1.0, 2.0]


def _slices(values: Any, indices: Any) -> Any:
    return tf.IndexedSlices(tf.constant(values), tf.constant(indices))


def test_parts_of_a_variable_are_changed_by_their_places() -> None:
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    v.scatter_nd_update([[0, 0], [1, 2]], [100.0, 200.0])
    v.scatter_nd_add([[0, 1]], [5.0])
    v.scatter_nd_sub([[1]], [[1.0, 1.0, 1.0]])
    v.scatter_nd_max([[0, 2]], [50.0])
    v.scatter_nd_min([[1, 1]], [-5.0])
    assert v.numpy().tolist() == [[100, 7, 50], [3, -5, 199]]
    v.scatter_mul(_slices([[2.0, 2.0, 2.0]], [1]))
    v.scatter_div(_slices([[2.0, 1.0, 4.0]], [0]))
    assert v.numpy().tolist() == [[50, 7, 12.5], [6, -10, 398]]
    v.batch_scatter_update(_slices([[8.0, 9.0], [0.0, 1.0]], [[0, 1], [2, 0]]))
    assert v.numpy().tolist() == [[8, 9, 12.5], [1, -10, 0]]
    assert v.gather_nd([[0, 1], [1, 0]]).numpy().tolist() == [9, 1]


def test_a_part_of_a_variable_is_assigned_to() -> None:
    v = tf.Variable([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert v[0, 1].assign(42).numpy().tolist() == [[1, 42, 3], [4, 5, 6]]
    v[:, 2].assign([0.0, 1.0])

    @tf.function
    def raised(row: Any) -> Any:
        for column in tf.range(2):
            if column > 0:
                v[row, column].assign(v[row, column] + 1.0)
            else:
                v[row, column].assign(-1.0)
        return v[row] * 2

    assert raised(tf.constant(1)).numpy().tolist() == [-2, 12, 2]
    assert v.numpy().tolist() == [[1, 42, 0], [-1, 6, 1]]


def test_a_part_of_a_variable_is_a_tensor_to_tapes() -> None:
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        part = v[0]
        y = tf.reduce_sum(part * part)
    dense = tf.convert_to_tensor(tape.gradient(y, v))
    assert dense.numpy().tolist() == [[2, 4], [0, 0]]


def test_variables_of_no_known_shape_take_values_of_any() -> None:
    v = tf.Variable(np.zeros((2, 3)), shape=tf.TensorShape(None))
    assert v.shape.rank is None
    v.assign(np.ones(4))
    assert (tf.shape(v).numpy().tolist(), v.numpy().sum()) == ([4], 4.0)
    rows = tf.Variable(np.zeros((2, 3)), shape=[None, 3])
    rows.assign(np.zeros((5, 3)))
    assert rows.shape.as_list() == [None, 3]
    with pytest.raises(ValueError, match="shape"):
        rows.assign(np.zeros((5, 4)))
