"""Values of several tensors whose classes have a TypeSpec of their own, as libraries make them."""

from __future__ import annotations

from collections.abc import Iterator
from operator import methodcaller
from typing import Any

import pytest

from tensorlite.compat import v2 as tf
from tensorlite.graph_mode.graph import mode

CompositeTensor = tf.__internal__.CompositeTensor


@pytest.fixture(autouse=True)
def _eager() -> Iterator[None]:
    before = mode.eager, mode.plain_sizes, mode.graph
    mode.eager, mode.plain_sizes = True, False
    yield
    mode.eager, mode.plain_sizes, mode.graph = before


class LineSpec(tf.TypeSpec):
    """What is known of a line: the specs of its tensors, and its label."""

    def __init__(self, slope: Any, offset: Any, label: str) -> None:
        self.parts, self.label = {"slope": slope, "offset": offset}, label

    @property
    def value_type(self) -> type:
        return Line

    @property
    def _component_specs(self) -> Any:
        return self.parts

    def _to_components(self, value: Line) -> Any:
        return {"slope": value.slope, "offset": value.offset}

    def _from_components(self, components: Any) -> Line:
        return Line(components["slope"], components["offset"], self.label)

    def _serialize(self) -> tuple[Any, ...]:
        return self.parts["slope"], self.parts["offset"], self.label


class Line(CompositeTensor):
    def __init__(self, slope: Any, offset: Any, label: str = "") -> None:
        self.slope = tf.convert_to_tensor(slope)
        self.offset = tf.convert_to_tensor(offset)
        self.label = label

    @property
    def _type_spec(self) -> LineSpec:
        parts = (self.slope, self.offset)
        slope, offset = [tf.TensorSpec(x.shape, x.dtype) for x in parts]
        return LineSpec(slope, offset, self.label)

    def at(self, x: Any) -> Any:
        return self.slope * x + self.offset


def test_functions_are_given_such_values_and_return_them() -> None:
    @tf.function
    def moved(line: Line, by: Any) -> Line:
        return Line(line.slope, line.offset + by, line.label + "'")

    for slope in (2.0, 3.0):
        found = moved(Line(slope, 1.0, "a"), tf.constant(4.0))
        assert (found.at(1.0).numpy(), found.label) == (slope + 5.0, "a'")
    assert moved(Line(2.0, 1.0, "b"), tf.constant(4.0)).label == "b'"


def test_loops_and_branches_carry_such_values() -> None:
    @tf.function
    def turned(line: Line, times: Any) -> Any:
        for _ in tf.range(times):
            line = Line(-line.slope, line.offset + 1.0)
        return tf.cond(times > 2, lambda: line, lambda: Line(0.0, line.offset))

    assert turned(Line(2.0, 0.0), tf.constant(3)).at(1.0).numpy() == 1.0
    assert turned(Line(2.0, 0.0), tf.constant(2)).at(1.0).numpy() == 2.0


def test_structures_hold_them_as_one_value_unless_asked() -> None:
    line = Line(2.0, 1.0)
    assert tf.nest.flatten([line, 3]) == [line, 3]
    parts = tf.nest.flatten([line], expand_composites=True)
    assert [x.numpy() for x in parts] == [1.0, 2.0]
    (made,) = tf.nest.pack_sequence_as([line], parts, expand_composites=True)
    assert made.at(3.0).numpy() == 7.0


def test_a_class_without_a_spec_is_abstract() -> None:
    class Bare(CompositeTensor):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Bare()  # type: ignore[abstract]


def test_specs_of_classes_are_compared_by_what_they_serialise() -> None:
    vector, any_vector = tf.TensorSpec([3]), tf.TensorSpec([None])
    narrow, wide = LineSpec(vector, vector, "a"), LineSpec(any_vector, vector, "a")
    assert narrow == LineSpec(vector, vector, "a") != wide
    assert hash(narrow) == hash(LineSpec(vector, vector, "a"))
    assert narrow.is_subtype_of(wide)
    assert not wide.is_subtype_of(narrow)
    assert narrow.is_compatible_with(wide)
    assert not narrow.is_compatible_with(LineSpec(vector, vector, "b"))
    assert narrow.most_specific_common_supertype([wide]) == wide
    assert (
        narrow.most_specific_common_supertype([LineSpec(vector, vector, "b")]) is None
    )
    other = LineSpec(tf.TensorSpec([4]), vector, "a")
    assert narrow.most_specific_compatible_type(other) == wide
    with pytest.raises(ValueError, match="No TypeSpec is compatible"):
        narrow.most_specific_compatible_type(vector)
    loose = methodcaller("_with_tensor_ranks_only")(narrow)
    assert loose == LineSpec(any_vector, any_vector, "a")
    named = LineSpec(tf.TensorSpec([3], name="x"), vector, "a")
    assert methodcaller("_without_tensor_names")(named) == narrow


def test_values_that_may_change_or_have_parts_are_tensors_without_a_static_value() -> (
    None
):
    for x in (tf.Variable(1.0), tf.ragged.constant([[1], []])):
        assert tf.is_tensor(x)
        assert tf.get_static_value(x) is None
    assert tf.get_static_value(tf.constant(2)) == 2
    assert tf.get_static_value("text") == "text"


def test_a_program_s_own_values_are_no_tensors_but_have_an_identity() -> None:
    line = Line(2.0, 1.0, "a")
    assert not tf.is_tensor(line)
    assert tf.get_static_value(line) is line
    same = tf.identity(line)
    assert isinstance(same, Line)
    assert same is not line
    assert (float(same.slope), same.label) == (2.0, "a")


def test_structures_of_specs_are_messages_and_come_back() -> None:
    inside: Any = tf.__internal__.saved_model
    given = {"x": tf.TensorSpec([None, 2], tf.float32, "x"), "more": [1, "two", None]}
    assert inside.decode_proto(inside.encode_structure(given)) == given
