"""What the guide on tf.function has shown to be unlike TensorFlow 2's."""

from __future__ import annotations

from typing import Any

import pytest

import tensorlite.compat.v2 as tf
from tensorlite.compat.v2.function_types import TraceType
from tensorlite.core.errors import SideEffectWarning

SIGNATURE = """Input Parameters:
  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)
  n (POSITIONAL_OR_KEYWORD): Literal[2]
  rest (POSITIONAL_OR_KEYWORD): Tuple[TensorSpec(shape=(), dtype=tf.int32, name=None), \
Literal['a']]
Output Type:
  Dict[['y', TensorSpec(shape=<unknown>, dtype=tf.float32, name=None)]]
Captures:
  None"""


def test_traces_tell_their_types() -> None:
    @tf.function
    def power(x: Any, n: Any, rest: Any) -> Any:
        return {"y": x**n}

    specs = tf.TensorSpec(None, tf.float32), 2, (tf.TensorSpec([], tf.int32), "a")
    concrete = power.get_concrete_function(*specs)
    assert str(concrete) == f"ConcreteFunction {SIGNATURE}"
    assert power.pretty_printed_concrete_signatures() == SIGNATURE
    assert str(concrete.function_type).startswith("(x: TensorSpec(shape=<unknown>")
    assert power.experimental_get_tracing_count() == 1


def test_a_trace_has_its_function_and_its_graph() -> None:
    double = tf.function(lambda a: a + a)
    concrete = double.get_concrete_function(tf.constant("a"))
    assert concrete.inference_fn(tf.constant("b")).numpy() == b"bb"
    placeholder, add = concrete.graph.as_graph_def().node[:2]
    assert (placeholder.op, list(add.input)) == ("Placeholder", ["a", "a"])
    assert concrete.graph.get_operations()[0].name == "a"
    assert concrete.graph.get_tensor_by_name("a:0").dtype is tf.string


class OfClass(TraceType):
    """Counts an argument by its class."""

    def __init__(self, fruit: Any) -> None:
        self.kind, self.value = type(fruit), fruit

    def is_subtype_of(self, other: Any) -> bool:
        return bool(self == other)

    def most_specific_common_supertype(self, others: Any) -> Any:
        return self if all(self == x for x in others) else None

    def placeholder_value(self, placeholder_context: Any = None) -> Any:
        return self.value

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OfClass) and self.kind is other.kind

    def __hash__(self) -> int:
        return hash(self.kind)


class Apple:
    """Says how it counts."""

    flavour = 1

    def __tf_tracing_type__(self, context: Any) -> OfClass:
        return OfClass(self)


class Mango(Apple):
    """Counts as another class."""

    flavour = 2


def test_arguments_say_how_they_count() -> None:
    mixed = tf.function(lambda a, b: tf.constant(a.flavour + b.flavour))
    assert mixed(Apple(), Mango()).numpy() == mixed(Apple(), Mango()).numpy() == 3
    assert mixed.trace_count == 1
    assert mixed(Mango(), Mango()).numpy() == 4
    assert mixed.trace_count == 2


def test_results_are_tensors() -> None:
    v = tf.Variable(1)

    @tf.function
    def f() -> Any:
        return 1, "a", None, v.assign_add(1)

    one, text, nothing, read = f()
    v.assign(7)
    assert (one.dtype, one.numpy(), text.numpy()) == (tf.int32, 1, b"a")
    assert nothing is None
    assert tf.is_tensor(read)
    assert read.numpy() == 2


def test_tensors_of_a_trace_are_none_outside_of_it() -> None:
    leaked = []

    @tf.function
    def f(x: Any) -> Any:
        leaked.append(x + 1)
        return x

    with pytest.warns(SideEffectWarning):
        f(tf.constant(1))
    with pytest.raises(AttributeError):
        leaked[0].numpy()
    with pytest.raises(TypeError):
        tf.function(lambda x: x + leaked[0])(tf.constant(1))


def test_traces_tell_what_they_take_and_capture() -> None:
    """Names as TensorFlow 2.21 gives them."""
    variable = tf.Variable(2.0)

    @tf.function
    def f(x: Any, *rest: Any, k: Any = 3, **named: Any) -> Any:
        return variable * 1.0

    def spec(name: str | None = None) -> Any:
        return tf.TensorSpec(None, tf.float32, name)

    given = {"a": spec(), "b": [spec(), spec("q")]}
    concrete = f.get_concrete_function(
        given, tf.constant(1), 5, k=spec(), z=spec(), w=4
    )
    args, kwargs = concrete.structured_input_signature
    assert [args[0]["a"].name, *[x.name for x in args[0]["b"]]] == [
        "x_a",
        "x_b_0",
        "q",
    ]
    assert (args[1].name, args[2]) == ("rest_0", 5)
    assert (kwargs["k"].name, kwargs["w"], kwargs["z"].name) == ("k", 4, "z")
    names = [x.name for x in concrete.graph.inputs[:6]]
    assert names == ["x:0", "x_1:0", "q:0", "rest_0:0", "k:0", "z:0"]
    graph = concrete.graph
    assert graph.variables == (variable,)
    assert [inner for _, inner in graph.captures] == graph.internal_captures
    assert graph.structured_input_signature == concrete.structured_input_signature
    again = f.get_concrete_function(given, tf.constant(1), 5, k=spec(), z=spec(), w=4)
    assert again is concrete
    assert repr(concrete).startswith("<ConcreteFunction (")


def test_signatures_are_checked_when_functions_are_made() -> None:
    assert tf.function(lambda: 1, input_signature=[]).input_signature == ()
    with pytest.raises(TypeError, match="either a tuple or a list"):
        tf.function(lambda x: x, input_signature=tf.TensorSpec([]))
    with pytest.raises(TypeError, match=r"invalid args \[1\]"):
        tf.function(lambda x: x, input_signature=[1])
    with pytest.raises(TypeError, match="is not a callable object"):
        tf.function(1)  # type: ignore[arg-type]
