"""What unit tests of libraries for TensorFlow have shown to be wrong, by as little as shows it."""

import unittest
from collections.abc import Callable, Iterator
from operator import add
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v1 as tf
import tensorlite.compat.v2 as tf2
from tensorlite.core.errors import SideEffectWarning
from tensorlite.graph_mode.graph import mode
from tensorlite.graph_mode.streams import global_seed


@pytest.fixture
def eager() -> Iterator[None]:
    before = mode.eager
    mode.eager = True
    yield
    mode.eager = before


class Inner(tf2.Module):
    """Holds one variable named in its own scope, and one that is not."""

    def __init__(self) -> None:
        super().__init__()
        self.q = tf2.Variable(5.0, name="q")
        with self.name_scope:
            self.r = tf2.Variable(1.0, name="r")


class Outer(tf2.Module):
    """Holds variables in attributes, a list and a dict, and a module."""

    def __init__(self) -> None:
        super().__init__()
        self.w = tf2.Variable([1.0], name="w")
        self.b = tf2.Variable(2.0, trainable=False, name="b")
        self.held = [Inner(), {"z": tf2.Variable(1.0), "a": tf2.Variable(3.0)}]


@pytest.mark.usefixtures("eager")
def test_modules_list_variables_by_the_names_of_attributes() -> None:
    """TensorFlow 2.21 gives these paths for these classes."""
    module = Outer()
    found = module._flatten(  # libraries that build on Module call it
        predicate=lambda x: isinstance(x, tf2.Variable), with_path=True
    )
    assert [path for path, _ in found] == [
        ("b",),
        ("held", 1, "a"),
        ("held", 1, "z"),
        ("w",),
        ("held", 0, "q"),
        ("held", 0, "r"),
    ]
    inner = module.held[0]
    assert module.name == "outer"
    assert module.submodules == (inner,)
    assert module.variables[0] is module.b
    assert len(module.variables) == 6
    assert module.non_trainable_variables == (module.b,)


@pytest.mark.usefixtures("eager")
def test_scopes_are_entered_again_by_the_whole_name() -> None:
    with tf2.name_scope("a") as a, tf2.name_scope("b") as b:
        assert (a, b) == ("a/", "a/b/")
        with tf2.name_scope("a/") as again:
            assert again == "a/"
            assert tf2.get_current_name_scope() == "a"
        with tf2.name_scope("") as top:
            assert top == ""
        assert tf2.get_current_name_scope() == "a/b"
    with pytest.raises(ValueError, match="not a valid module name"):
        tf2.Module("1st")


def test_shapes_add_to_lists_and_tuples() -> None:
    shape = tl.ones([3]).shape
    assert add([1, 2], shape) == [1, 2, 3]
    assert add((4,), shape) == (4, 3)
    assert add(shape, [3]) == [3, 3]
    assert add([1], shape).is_fully_defined()


def test_a_branch_that_leaves_may_stand_before_others_that_do_not() -> None:
    """The line such a function was made to end by lay behind the end of what held it."""

    def check(x: tl.Tensor, deep: bool) -> None:
        if deep:
            tl.print(x)
            return
        if x > 1:
            tl.print(x)

    assert tl.function(check)(tl.constant(0.5), False) is None


def test_sparse_tensors_of_graphs_are_taken_outside_the_graph() -> None:
    """Their parts, which have no value yet, were copied as if they had one."""
    with tf.Graph().as_default(), tf.Session() as session:
        one = tf.SparseTensor([[0, 1], [0, 2]], [3, 9], [1, 3])
        both = tf.sets.set_intersection(tf.constant([[2, 3, 8]]), one)
        assert session.run([tf.sets.set_size(both), both.values])[1].tolist() == [3]


class OwnSetUp(tf.test.TestCase):
    """Does not call what a test begins with."""

    __test__ = False

    def setUp(self) -> None:
        self.begun = True

    def test_sum(self) -> None:
        with tf.Graph().as_default(), self.test_session() as session:
            assert session.run(tf.constant(2) * 3) == 6


def test_tests_need_not_call_the_setup_they_inherit() -> None:
    result = unittest.TestResult()
    OwnSetUp("test_sum").run(result)
    assert not result.errors
    assert not result.failures


WRONG: dict[str, Callable[[], object]] = {
    "a bias of another size": lambda: tf2.nn.bias_add(
        tf2.ones([1, 2]), tf2.ones([1])
    ),
    "a bias of two axes": lambda: tf2.nn.bias_add(tf2.ones([2, 2]), tf2.ones([2, 1])),
    "what has no channels": lambda: tf2.nn.bias_add(tf2.ones([2]), tf2.ones([2])),
    "bounds that widen": lambda: tf2.clip_by_value(
        tf2.ones([3]), tf2.ones([2, 3]), 2.0
    ),
    "norms that widen": lambda: tf2.clip_by_norm(
        tf2.ones([2, 3, 1]), tf2.constant([1.0, 2.0])
    ),
    "scalars": lambda: tf2.concat([tf2.constant(1), tf2.constant(2)], 0),
    "a repeat too many": lambda: tf2.tile(tf2.ones([4, 1]), [1, 4, 2]),
    "repeats in two axes": lambda: tf2.tile(tf2.ones([4, 1]), [[2, 3], [3, 4]]),
}


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize("what", WRONG)
def test_shapes_that_tensorflow_refuses_are_refused(what: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        WRONG[what]()


@pytest.mark.usefixtures("eager")
def test_values_of_one_hot_agree() -> None:
    for off in (np.float32(0), tf2.constant(0)):
        with pytest.raises(TypeError, match="cast them"):
            tf2.one_hot([0, 1], 3, np.float64(1), off)
    hot = tf2.one_hot([0, 1], 2, np.float64(1), 0.0, dtype=tf2.float32)
    assert hot.dtype is tf2.float32


@pytest.mark.usefixtures("eager")
def test_an_index_that_is_not_there_does_not_end_an_input_pipeline() -> None:
    """Programs wait for tf.errors.OutOfRangeError, which says that the data is at an end."""
    places: list[Callable[[], object]] = [
        lambda: tf2.gather(tf2.range(3), [3]),
        lambda: tf2.gather_nd(tf2.range(3), [[3]]),
        lambda: tf2.range(3)[3],
        lambda: tf2.nn.embedding_lookup(tf2.ones([3, 2]), [5]),
        lambda: tf2.math.unsorted_segment_sum(tf2.range(2), [0, 7], 3),
        lambda: tf2.scatter_nd([[9]], [1], [3]),
        lambda: tf2.TensorArray(tf2.float32, 2).read(4),
    ]
    for place in places:
        with pytest.raises(tf2.errors.InvalidArgumentError) as caught:
            place()
        assert not isinstance(caught.value, tf2.errors.OutOfRangeError)
        assert isinstance(caught.value, IndexError)


def test_values_of_sparse_tensors_are_taken_as_sparse_tensors() -> None:
    value = tf.SparseTensorValue([[0, 0], [1, 2]], [1.0, 2.0], [2, 3])
    with tf.Graph().as_default(), tf.Session() as session:
        fed = tf.sparse_placeholder(tf.float32)
        about = [tf.shape(value), tf.size(value), tf.rank(value)]
        assert [x.tolist() for x in session.run(about)] == [[2, 3], 6, 2]
        product = tf.sparse_tensor_dense_matmul(value, tf.ones([3, 1]))
        dense = tf.sparse_tensor_to_dense(fed)
        found, same = session.run([product, dense], {fed: value})
        assert found.tolist() == [[1.0], [2.0]]
        assert same.tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 2.0]]


def test_masks_pick_from_tensors_of_unknown_rank() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x, mask = tf.placeholder(tf.int32), tf.placeholder(tf.bool, [None])
        picked = session.run(
            tf.boolean_mask(x, mask), {x: [[1, 2], [3, 4]], mask: [False, True]}
        )
        assert picked.tolist() == [[3, 4]]


@pytest.mark.usefixtures("eager")
def test_tensors_of_traces_are_told_their_shape() -> None:
    shapes: list[list[int | None]] = []

    @tl.function(input_signature=[tf2.TensorSpec([None, None])])
    def told(x: tl.Tensor) -> tl.Tensor:
        x = x * 2.0
        x.set_shape([None, 3])
        shapes.append(x.get_shape().as_list())
        return x

    with pytest.warns(SideEffectWarning):
        told(tf2.ones([2, 3]))
    assert shapes == [[None, 3]]
    with pytest.raises(ValueError, match="3"):
        tf2.ones([2, 3]).set_shape([2, 4])


class Doubling:
    """A callable object whose attributes have the names of a function's parts."""

    def __init__(self) -> None:
        self.cache, self._arguments, self.name, self.other = 1, 2, 3, 4

    def __call__(self, x: tl.Tensor) -> tl.Tensor:
        return x * 2.0


def test_attributes_of_what_is_traced_are_not_the_functions_own() -> None:
    traced: Any = tl.function(Doubling())
    assert traced(tl.ones(2)).tolist() == [2.0, 2.0]
    assert traced.other == 4


@pytest.mark.usefixtures("eager")
def test_traces_tell_their_shapes_as_shapes() -> None:
    traced = tf2.function(lambda x: (x, x[0])).get_concrete_function(
        tf2.TensorSpec([None, 3])
    )
    assert [x.as_list() for x in traced.output_shapes] == [[None, 3], [3]]


@pytest.mark.usefixtures("eager")
def test_of_devices_that_are_not_known_here_there_are_none() -> None:
    assert tf2.config.list_logical_devices(device_type="TPU") == []
    assert tf2.config.list_physical_devices("TPU") == []
    assert len(tf2.config.list_logical_devices(device_type="CPU")) >= 1


@pytest.mark.usefixtures("eager")
def test_shapes_that_do_not_fit_are_expected() -> None:
    case = tf2.test.TestCase()
    with case.assertRaisesIncompatibleShapesError(tf2.errors.InvalidArgumentError):
        tf2.ones([2]) + tf2.ones([3])


def test_a_placeholder_whose_default_has_a_shape_may_have_none() -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder_with_default(tf.zeros([3, 4]), shape=None)
        assert x.shape.ndims is None
        assert session.run([tf.size(x), tf.rank(x)]) == [12, 2]
        assert session.run(tf.size(x), {x: [1.0, 2.0]}) == 2


@pytest.mark.usefixtures("eager")
def test_shapes_are_leaves_of_structures() -> None:
    shape = tf2.TensorShape([1, 2])
    assert tf2.nest.flatten({"a": shape, "b": [3]}) == [shape, 3]
    assert not tf2.nest.is_nested(tf2.TensorShape([]))
    found = tf2.nest.map_structure(tf2.zeros, [tf2.TensorShape([2]), shape])
    assert [x.shape for x in found] == [(2,), (1, 2)]


@pytest.mark.usefixtures("eager")
def test_softmax_is_a_function_of_mathematics() -> None:
    for library in (tf, tf2):
        assert library.math.softmax is library.nn.softmax
    assert tf2.math.softmax([[0.0, 0.0]]).numpy().tolist() == [[0.5, 0.5]]


def test_what_runs_first_may_be_given_one_by_one() -> None:
    with tf.Graph().as_default() as graph:
        first = [tf.constant(1.0), tf.no_op()]
        with tf.control_dependencies(x for x in first):
            second = tf.constant(2.0)
        awaited = [x.name for x in second.op.control_inputs]
    assert sorted(awaited) == ["Const", "NoOp"]
    assert graph is second.graph


class Drawing(tf2.test.TestCase):
    """Draws from the seeds with which each test begins."""

    __test__ = False
    drawn: ClassVar[list[Any]] = []

    def test_draws(self) -> None:
        self.drawn.append(tf2.random.normal([2], seed=42).numpy().tolist())


@pytest.mark.usefixtures("eager")
def test_each_test_begins_with_the_same_seeds() -> None:
    before = global_seed.seed
    try:
        for _ in range(2):
            Drawing("test_draws").debug()
    finally:
        global_seed.seed = before
        global_seed.begun.clear()
    assert Drawing.drawn[0] == Drawing.drawn[1]


class Factored:
    """A matrix as the two that it is the product of."""

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


@pytest.mark.usefixtures("eager")
def test_operators_convert_values_of_registered_classes_eagerly() -> None:
    def multiplied(
        x: Any, dtype: Any = None, name: Any = None, as_ref: Any = 0
    ) -> Any:
        return tf.matmul(x.a, x.b, name=name)

    tf.register_tensor_conversion_function(Factored, multiplied)
    value = Factored(tf.ones([2, 3]), tf.ones([3, 2]))
    assert (value + tf.ones([2, 2])).numpy().tolist() == [[4, 4], [4, 4]]
    assert (tf.ones([2, 2]) * value).numpy().tolist() == [[3, 3], [3, 3]]


def test_dense_and_sparse_tensors_are_multiplied_either_way(eager: None) -> None:
    sparse = tf2.sparse.from_dense([[1.0, 0.0], [0.0, 2.0]])
    dense = tf2.constant([[2.0], [3.0]])
    for product in (dense * sparse, sparse * dense, tf2.Variable(dense) * sparse):
        found = tf2.sparse.to_dense(product).numpy()
        np.testing.assert_array_equal(found, [[2, 0], [0, 6]])


def test_jacobians_are_zero_for_what_is_not_connected(eager: None) -> None:
    a, b = tf2.Variable([1.0, 2.0]), tf2.Variable([1.0, 2.0])
    with tf2.GradientTape() as tape:
        y = a * a
    zero = tf2.UnconnectedGradients.ZERO
    own, other = tape.jacobian(y, [a, b], unconnected_gradients=zero)
    np.testing.assert_array_equal(own, [[2, 0], [0, 4]])
    np.testing.assert_array_equal(other, np.zeros((2, 2)))
    x, apart = tf2.constant([[1.0, 2.0]] * 3), tf2.constant([[1.0] * 4] * 3)
    with tf2.GradientTape() as tape:
        tape.watch([x, apart])
        y = x * x
    found = tape.batch_jacobian(y, apart, unconnected_gradients=zero)
    assert found.shape.as_list() == [3, 2, 4]


def test_gradients_of_some_rows_are_compared_whole(eager: None) -> None:
    table = tf2.constant(np.arange(6.0).reshape(3, 2))
    by_rules, by_steps = tf2.test.compute_gradient(
        lambda rows: tf2.gather(rows, [0, 2]), [table]
    )
    np.testing.assert_allclose(by_rules[0], np.eye(6)[[0, 1, 4, 5]])
    np.testing.assert_allclose(by_steps[0], by_rules[0], atol=1e-3)


@pytest.mark.parametrize("kind", ["GRUCell", "SimpleRNNCell"])
def test_cells_begin_by_inputs_as_by_their_number(kind: str, eager: None) -> None:
    """Keras 2 gives the inputs first, Keras 3 how many there are."""
    cell = getattr(tf2.keras.layers, kind)(3)
    for given in (tf2.ones([2, 4]), 2, tf2.constant(2)):
        assert cell.get_initial_state(given).shape.as_list() == [2, 3]
    size = np.float64(2)
    patches = tf2.image.extract_patches(
        tf2.ones([1, 3, 3, 1]), (1, size, size, 1), (1,) * 4, (1,) * 4, "VALID"
    )
    assert patches.shape.as_list() == [1, 2, 2, 4]


class _Told(tf2.train.experimental.PythonState):
    """Is saved as the text that it holds."""

    def __init__(self, text: Any) -> None:
        self.text = text

    def serialize(self) -> Any:
        return self.text

    def deserialize(self, string_value: Any) -> None:
        self.text = string_value


def test_objects_are_saved_by_what_they_tell(tmp_path: Path, eager: None) -> None:
    """The key is TensorFlow's, and it gives bytes back."""
    path = tf2.train.Checkpoint(own=_Told("héllo")).save(str(tmp_path / "told"))
    keys = [name for name, _ in tf2.train.list_variables(path)]
    assert "own/.ATTRIBUTES/py_state" in keys
    other = _Told("")
    tf2.train.Checkpoint(own=other).restore(path).assert_consumed()
    assert other.text == "héllo".encode()


def test_partitioners_say_into_how_many_parts(eager: None) -> None:
    """TensorFlow 2.21's numbers."""
    own: Any = tf2.distribute.experimental.partitioners
    shape = tf2.TensorShape([6, 10])
    for partitioner, parts in (
        (own.FixedShardsPartitioner(20), [6, 1]),
        (own.MinSizePartitioner(100, 3, 16), [3, 1]),
        (own.MaxSizePartitioner(100), [3, 1]),
        (own.MaxSizePartitioner(1, max_shards=3), [3, 1]),
    ):
        assert partitioner(shape, tf2.float32) == parts
    with pytest.raises(NotImplementedError):
        own.Partitioner()(shape, tf2.float32)


def test_parts_of_variables_are_assigned_to_by_functions(eager: None) -> None:
    table = tf2.Variable([[1.0, 2.0], [3.0, 4.0]])
    tf.assign(table[1, :], [5.0, 6.0])
    np.testing.assert_array_equal(table.numpy(), [[1, 2], [5, 6]])


def test_what_graphs_do_not_allow_has_an_error_of_its_own(eager: None) -> None:
    asked: Any = tf2.function(lambda x: 1 if x else 2, autograph=False)
    errors: Any = tf2.errors
    with pytest.raises(errors.OperatorNotAllowedInGraphError, match="truth value"):
        asked(tf2.constant(True))
    assert issubclass(errors.OperatorNotAllowedInGraphError, TypeError)
    before = tf2.debugging.is_traceback_filtering_enabled()
    tf2.debugging.disable_traceback_filtering()
    assert not tf2.keras.config.is_traceback_filtering_enabled()
    if before:
        tf2.debugging.enable_traceback_filtering()


class _Nothing(tf2.keras.initializers.Initializer):
    """A program's own initializer."""

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None
    ) -> Any:
        return tf2.zeros(shape)

    def get_config(self) -> dict[str, Any]:
        return {}


class _Steps(tf2.keras.optimizers.SGD):
    """A program's own optimizer."""


class _Still(tf2.keras.optimizers.schedules.ExponentialDecay):
    """A program's own schedule."""


@pytest.mark.parametrize(
    ("module", "made"),
    [
        (tf2.keras.initializers, _Nothing()),
        (tf2.keras.optimizers, _Steps()),
        (tf2.keras.optimizers.schedules, _Still(0.1, 2, 0.5)),
    ],
)
def test_descriptions_of_programs_own_objects_are_read(
    module: Any, made: Any
) -> None:
    """Classes that are given for the names are found, and only then."""
    told = module.serialize(made)
    name = type(made).__name__
    found = module.deserialize(told, custom_objects={name: type(made)})
    assert type(found) is type(made)
    with pytest.raises(tl.errors.InvalidArgumentError, match=name):
        module.deserialize(told)


@pytest.mark.parametrize(
    "made",
    [
        lambda x: tf2.expand_dims(x, -1),
        lambda x: tf2.reduce_sum(x, axis=1, keepdims=True),
        lambda x: tf2.add(tf2.cast(tf2.argmax(x, -1), tf2.float32), 1.0),
        lambda x: tf2.nn.softmax(tf2.concat([x, x], -1)),
        lambda x: tf2.keras.backend.mean(tf2.square(x)),
    ],
)
def test_models_of_functions_are_described(made: Any, eager: None) -> None:
    """TensorFlow's functions stand for layers in a model, which is made again of what is told."""
    x = tf2.keras.Input([3])
    model = tf2.keras.Model(x, made(x))
    again = tf2.keras.Model.from_config(model.get_config())
    rows = tf2.constant([[0.5, 2.0, 1.0]])
    np.testing.assert_array_equal(again(rows).numpy(), model(rows).numpy())
