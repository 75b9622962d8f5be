"""What probability and agents libraries import of TensorFlow's inside, by as little as shows it."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf


def inside(path: str) -> Any:
    return import_module(f"tensorlite.compat.v2.python.{path}")


class PairSpec(inside("framework.type_spec").BatchableTypeSpec):  # type: ignore[misc]
    """What is known of two variables or tensors."""

    value_type = property(lambda self: Pair)

    def __init__(self, parts: Any) -> None:
        self.parts = parts

    def _serialize(self) -> Any:
        return (self.parts,)

    @property
    def _component_specs(self) -> Any:
        return self.parts

    def _to_components(self, value: Any) -> Any:
        return value.parts

    def _from_components(self, components: Any) -> Any:
        return Pair(*components)


class Pair(inside("framework.composite_tensor").CompositeTensor):  # type: ignore[misc]
    """Two variables or tensors."""

    def __init__(self, first: Any, second: Any) -> None:
        self.parts = first, second

    @property
    def _type_spec(self) -> Any:
        return PairSpec(tuple(map(tf.type_spec_from_value, self.parts)))

    def _convert_variables_to_tensors(self) -> Any:
        return Pair(*map(tf.convert_to_tensor, self.parts))


def test_specs_of_libraries_have_names() -> None:
    registry = inside("framework.type_spec_registry")
    spec = registry.register("tests.PairSpec")(PairSpec)
    assert (registry.get_name(spec), registry.lookup("tests.PairSpec")) == (
        "tests.PairSpec",
        PairSpec,
    )
    with pytest.raises(ValueError, match="already been registered"):
        registry.register("tests.PairSpec")(tf.TensorSpec)
    with pytest.raises(ValueError, match="project_name"):
        registry.register("PairSpec")
    with pytest.raises(ValueError, match="not been registered"):
        registry.get_name(tf.TensorSpec)


def test_variables_and_their_specs() -> None:
    """As TensorFlow 2.21 tells them."""
    kinds = inside("ops.resource_variable_ops")
    weight = tf.Variable([1.0, 2.0], trainable=False)
    spec = kinds.VariableSpec([2], tf.float32, trainable=False)
    assert inside("framework.type_spec").type_spec_from_value(weight) == spec
    assert (spec.shape.as_list(), spec.dtype, spec.rank) == ([2], tf.float32, 1)
    assert spec != kinds.VariableSpec([2], tf.float32)
    dense = inside("framework.tensor_spec").DenseSpec
    assert isinstance(spec, dense)
    assert isinstance(tf.TensorSpec([1]), dense)
    assert not isinstance(tf.TensorSpec([1]), kinds.VariableSpec)
    assert tf.TensorSpec([3, 2])._unbatch() == tf.TensorSpec([2])
    assert tf.TensorSpec([2])._batch(None) == tf.TensorSpec([None, 2])


def test_variables_in_structures_become_tensors() -> None:
    weight = tf.Variable(3.0)
    utilities = inside("util.variable_utils")
    one, pair = utilities.convert_variables_to_tensors([weight, Pair(weight, weight)])
    assert all(type(x) is type(tf.ones([])) for x in (one, *pair.parts))
    assert utilities.replace_variables_with_atoms({"w": weight, "x": "x"}) == {
        "w": 0,
        "x": "x",
    }


def test_paths_go_as_far_as_another_structure() -> None:
    """These are the results of TensorFlow 2.21."""
    nest = inside("util.nest")
    lower, upper = {"a": "a", "b": ("b0", "b1")}, {"a": "A", "b": ("B0", "B1")}
    shallow = {"a": None, "b": None}
    found = nest.map_structure_with_tuple_paths_up_to(
        shallow, lambda *given: given, lower, upper
    )
    assert found == {
        "a": (("a",), "a", "A"),
        "b": (("b",), ("b0", "b1"), ("B0", "B1")),
    }
    into = nest.get_traverse_shallow_structure(
        lambda x: not isinstance(x, tuple), [lower, [1, (2, 3)]]
    )
    assert into == [{"a": True, "b": False}, [True, False]]
    with pytest.raises(TypeError, match="non-bool scalar"):
        nest.get_traverse_shallow_structure(lambda _: 1, [1])
    pair = Pair(tf.ones([1]), tf.zeros([1]))
    paths = nest.flatten_with_tuple_paths([pair], expand_composites=True)
    assert len(paths) == 2
    assert nest.flatten_with_tuple_paths([pair]) == [((0,), pair)]


def test_arguments_of_a_call_have_what_functions_gather() -> None:
    """`getcallargs` of TensorFlow 2.21 does not put it together under one name."""

    def called(x: int, y: int = 2, **rest: int) -> Any:
        return x, y, rest

    inspection = inside("util.tf_inspect")
    assert inspection.getcallargs(called, 1, z=3) == {"x": 1, "y": 2, "z": 3}
    assert inspection.getcallargs(lambda x: x, 1, unknown=3) == {"x": 1, "unknown": 3}


def test_older_names_are_told_once() -> None:
    alias = inside("util.deprecation").deprecated_alias
    older = alias("m.older", "m.newer", lambda x: x + 1)
    assert older(1) == 2
    kind = alias("m.Older", "m.Pair", Pair)
    assert issubclass(kind, Pair)
    assert kind(1, 2).parts == (1, 2)


def test_rows_by_their_numbers() -> None:
    rows = inside("ops.parallel_for.control_flow_ops").pfor(
        lambda i: tf.cast(i, tf.float32) ** 2.0, 4
    )
    np.testing.assert_array_equal(rows, np.arange(4.0) ** 2)


@pytest.mark.parametrize(("x", "wanted"), [(1, "one"), (5, "many")])
def test_the_first_condition_that_holds(x: int, wanted: str) -> None:
    helper = inside("ops.control_flow_case")._case_helper
    found = helper(
        lambda pred, true_fn, false_fn: true_fn() if pred else false_fn(),
        [(x == 1, lambda: "one"), (x < 9, lambda: "many"), (True, lambda: "lots")],
        None,
        exclusive=False,
        name=None,
        allow_python_preds=True,
    )
    assert found == wanted


def test_attributes_that_are_kept_as_they_are() -> None:
    held, base = inside("trackable.data_structures"), inside("trackable.base")
    module: Any = tf.Module()
    given = [1]
    module.kept, module.copied = held.NoDependency(given), given
    with base.no_automatic_dependency_tracking_scope(module):
        module.also = given
    assert module.kept is module.also is given
    assert isinstance(module.copied, held.ListWrapper)


def test_messages_of_assertions_about_zero() -> None:
    """Their first line is the program's."""
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be positive"):
        tf.debugging.assert_positive([1.0, -1.0], message="It must be positive.")
    with pytest.raises(ValueError, match="must have rank 2"):
        tf.debugging.assert_rank([1.0], 2, "a message", "a_name")


def test_sums_of_operators() -> None:
    kinds = tf.linalg
    add = inside("ops.linalg.linear_operator_addition").add_operators
    diagonal = kinds.LinearOperatorDiag([1.0, 2.0], is_positive_definite=True)
    lower = kinds.LinearOperatorLowerTriangular([[1.0, 0.0], [5.0, 1.0]])
    full = kinds.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    (one,) = add([diagonal, diagonal])
    assert (type(one), one.is_positive_definite) == (kinds.LinearOperatorDiag, True)
    (two,) = add([diagonal, lower])
    assert type(two) is kinds.LinearOperatorLowerTriangular
    (three,) = add([diagonal, lower, full])
    np.testing.assert_allclose(three.to_dense(), [[3.0, 2.0], [8.0, 7.0]])
    assert add([full]) == [full]
    with pytest.raises(ValueError, match="have no sum"):
        add([full, kinds.LinearOperatorDiag([1.0])])


def test_normal_numbers_between_bounds() -> None:
    draw = inside("ops.random_ops").parameterized_truncated_normal
    found = draw([400], 10.0, 2.0, 9.0, 13.0, seed=3).numpy()
    assert (found.min() >= 9, found.max() <= 13, found.std() > 0.5) == (True,) * 3


def test_a_block_of_graphs_leaves_the_version() -> None:
    behaviour, version = (
        import_module("tensorlite.compat.v1.graphs.behaviour"),
        inside("tf2"),
    )
    before = version.enabled()
    with behaviour.graph_mode():
        assert not tf.executing_eagerly()
        assert version.enabled() is before
        graph = tf.compat.v1.get_default_graph()
        assert graph.unique_name("a", mark_as_used=False) == "a"
        assert type(tf.zeros([2]).shape) is tf.TensorShape


class Doubled(tf.keras.layers.Lambda):
    """A layer of a function, derived by a program."""

    def __init__(self) -> None:
        super().__init__(lambda x: 2 * x)


def test_layers_of_functions_are_derived_from() -> None:
    assert Doubled()(tf.ones([2])).numpy().tolist() == [2.0, 2.0]


def test_states_begin_with_what_inputs_tell() -> None:
    """Keras 2 gives inputs where Keras 3 gives the size of the batch."""
    layer = tf.keras.layers.RNN(tf.keras.layers.LSTMCell(3, implementation=1))
    for given in (4, tf.ones([4, 2, 5])):
        states = layer.get_initial_state(given)
        assert [tuple(x.shape) for x in states] == [(4, 3), (4, 3)]


def test_layers_of_columns_are_of_a_version() -> None:
    older = import_module("tensorlite.compat.v1.keras.layers").DenseFeatures
    assert older is not tf.keras.layers.DenseFeatures
    assert issubclass(older, tf.keras.layers.DenseFeatures)


class Both(tf.keras.layers.Layer):
    """Returns a value of several tensors."""

    def call(self, inputs: Any) -> Any:
        return Pair(tf.convert_to_tensor(inputs) + 1.0, tf.convert_to_tensor(inputs))


def test_layers_of_models_return_composite_tensors() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(2), Both()])
    found = model(tf.ones([3, 2]))
    np.testing.assert_allclose(
        found.parts[0] - found.parts[1], np.ones([3, 2]), rtol=1e-6
    )


def test_converters_can_be_extended_but_not_made() -> None:
    """Libraries with one of their own are imported, though nothing is converted by it here."""
    kinds = inside("autograph.pyct.transformer")

    base: Any = kinds.Base
    own: Any = type("Own", (base,), {"__doc__": "A converter of a library."})

    for module in ("converters.return_statements", "pyct.static_analysis.activity"):
        assert inside(f"autograph.{module}").__name__.endswith(module)
    with pytest.raises(ValueError, match="Own extends TensorFlow's converter"):
        own(None)
    assert (
        inside("autograph.impl.api").do_not_convert
        is tf.autograph.experimental.do_not_convert
    )
    assert not hasattr(inside("autograph.core.converter"), "EntityContext")


def test_structures_of_specs_as_messages() -> None:
    coder, specs = (
        inside("saved_model.nested_structure_coder"),
        inside("framework.tensor_spec"),
    )
    given = {
        "bounded": specs.BoundedTensorSpec([2], tf.int32, 0, [3, 4], "b"),
        "rest": [tf.TensorSpec([None], tf.float32), (tf.int64, 1.5, None)],
        "shape": tf.TensorShape([1, None]),
    }
    proto = coder.encode_structure(given)
    found = coder.decode_proto(type(proto).FromString(proto.SerializeToString()))
    bounded = found["bounded"]
    assert (bounded.minimum.tolist(), bounded.maximum.tolist()) == (0, [3, 4])
    assert (bounded.name, bounded.dtype) == ("b", tf.int32)
    assert found["rest"] == given["rest"]
    assert found["shape"].as_list() == [1, None]
    assert coder.can_encode([1])
    assert not coder.can_encode(object())


def test_loops_may_say_nothing_of_memory() -> None:
    found = tf.while_loop(
        lambda i: i < 3, lambda i: (i + 1,), [tf.constant(0)], swap_memory=None
    )
    assert [int(x) for x in found] == [3]


class Spread:
    """A prediction of a program's own kind, as a distribution is."""

    def __init__(self, mean: Any) -> None:
        self.mean = mean


def test_losses_are_given_predictions_of_other_kinds() -> None:
    """As Keras 2 has it, so that a loss may ask a distribution what is likely."""
    losses = import_module("tensorlite.compat.v2.keras.src.losses.base")
    loss = losses.LossFunctionWrapper(lambda y, d: tf.abs(y - d.mean))
    found = loss(np.ones([4, 1], np.float32), Spread(tf.zeros([4, 1])))
    assert float(found) == 1.0


def test_things_by_what_they_are() -> None:
    kinds = inside("util.object_identity")
    one, other = tf.ones([2]), tf.ones([2])
    held = kinds.ObjectIdentitySet([one, other, one])
    assert len(held) == 2
    held.discard(one)
    assert (one in held, other in held) == (False, True)
    table = kinds.ObjectIdentityDictionary([(one, 1)])
    table[other] = 2
    assert (table[one], table[other], len(table)) == (1, 2, 2)
    assert kinds.Reference(one).deref() is one
    assert kinds.Reference(one) != kinds.Reference(other)
    iterators = inside("data.ops.iterator_ops")
    assert isinstance(iter(tf.data.Dataset.range(2)), iterators.OwnedIterator)


def test_a_context_tells_of_the_place_that_it_is_asked_in() -> None:
    here = inside("eager.context").context()
    host = "/job:localhost/replica:0/task:0/device:CPU:0"
    assert here is inside("eager.context").context()
    assert (here.executing_eagerly(), here.device_name) == (True, "")
    assert here.device_spec.device_type is None
    with tf.device("/cpu:0"), tf.name_scope("outer"):
        assert (here.device_name, here.scope_name) == (host, "outer/")
        assert here.device_spec.to_string() == host
        with tf.Graph().as_default():
            assert not here.executing_eagerly()
            assert (here.device_name, here.scope_name) == ("", "")
    assert host in here.devices()
    assert here.num_gpus() == len(tf.config.list_logical_devices("GPU"))
