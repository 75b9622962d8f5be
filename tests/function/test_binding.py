"""What a trace takes out of the arguments of a call, and which calls it refuses."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.function.binding import BindingError

INT = tl.TensorSpec((), tl.int32)


def less(b: Any, a: Any) -> Any:
    return b - a


@pytest.fixture
def subtract() -> Any:
    return tl.function(less).get_concrete_function(INT, INT)


def test_arguments_by_name_are_those_of_their_parameters(subtract: Any) -> None:
    """The parameters' order is not that of their names: sorted, they would change places."""
    one, two = tl.asarray(1), tl.asarray(2)
    assert int(subtract(b=one, a=two)) == -1
    assert int(subtract(a=two, b=one)) == -1
    assert int(subtract(one, a=two)) == -1


def test_names_of_specs_are_names_of_inputs() -> None:
    spec = tl.TensorSpec((), tl.int32, "z")
    concrete: Any = tl.function(less).get_concrete_function(spec, INT)
    assert concrete.binding.names == ["z", "a"]
    assert int(concrete(z=tl.asarray(7), a=tl.asarray(2))) == 5
    assert int(concrete(b=tl.asarray(7), a=tl.asarray(2))) == 5


def test_python_values_may_be_given_again_as_they_were() -> None:
    @tl.function
    def scaled(x: Any, by: Any = 3, *, power: int = 1) -> Any:
        return (x["a"] * by[0]) ** power

    given = {"a": tl.asarray(5)}
    concrete = scaled.get_concrete_function(given, (2, "unit"), power=2)
    for result in (
        concrete(given),
        concrete(given, (2, "unit")),
        concrete(x=given, by=(2, "unit"), power=2),
        concrete(tl.asarray(5)),
    ):
        assert int(result) == 100
    with pytest.raises(BindingError, match="by: Can not cast 4 to 2"):
        concrete(given, (4, "unit"))
    with pytest.raises(BindingError, match="power: Can not cast 1 to 2"):
        concrete(given, power=1)
    with pytest.raises(BindingError, match="the same nested structure"):
        concrete({"b": tl.asarray(5)})


def test_the_rest_of_arguments_by_position_has_numbers() -> None:
    @tl.function
    def total(x: Any, *rest: Any, **named: Any) -> Any:
        return x + sum(rest) * named["k"]

    concrete: Any = total.get_concrete_function(INT, INT, INT, k=INT)
    assert concrete.binding.names == ["x", "rest_0", "rest_1", "k"]
    numbers = [tl.asarray(n) for n in (1, 2, 3, 4)]
    assert int(concrete(*numbers[:3], k=numbers[3])) == 21
    assert int(concrete(*numbers)) == 21


@pytest.mark.parametrize(
    ("args", "kwargs", "text"),
    [
        ((1,), {}, r"less\(b, a\) missing required arguments: a"),
        ((1, 2, 3), {}, r"less\(b, a\) takes 2 positional arguments, got 3"),
        ((1, 2), {"b": 1}, r"less\(b, a\) got two values for 'b'"),
        ((1, 2), {"c": 1}, r"less\(b, a\) got unexpected keyword arguments: c"),
        ((1.5, 2), {}, r"Can not cast .*float32.* to .*int32"),
    ],
)
def test_calls_that_do_not_fit_are_refused(
    subtract: Any, args: Any, kwargs: Any, text: str
) -> None:
    tensors = [tl.asarray(x) for x in args]
    named = {key: tl.asarray(x) for key, x in kwargs.items()}
    with pytest.raises(BindingError, match=text):
        subtract(*tensors, **named)


def test_inputs_one_by_one_are_tensors() -> None:
    concrete = tl.function(lambda x: x["a"]).get_concrete_function({"a": INT})
    with pytest.raises(
        BindingError, match=r"argument #0\(zero-based\) to be a Tensor"
    ):
        concrete(5)


def test_a_general_trace_serves_what_it_covers() -> None:
    f = tl.function(lambda x: x + x)
    f.get_concrete_function(tl.TensorSpec((None,), tl.float32))
    assert f(tl.ones(2)).shape == f(tl.ones(2)).shape == (2,)
    assert f(tl.ones(3)).shape == (3,)
    assert f.trace_count == 1
    f(tl.ones((2, 2)))
    assert f.trace_count == 2


def test_a_number_is_no_tensor_to_an_earlier_trace() -> None:
    f = tl.function(lambda x: x + x)
    f.get_concrete_function(INT)
    assert f(5) == 10
    assert f.trace_count == 2


@pytest.mark.parametrize(
    "change",
    [
        lambda given: given["rows"].append(tl.asarray(1)),
        lambda given: given["rows"].reverse(),
        lambda given: given.clear(),
        lambda given: given.update(rows=[]),
    ],
)
def test_arguments_are_not_changed(change: Any) -> None:
    """What is done to the copies that are traced with would be lost."""
    f = tl.function(lambda given: change(given) or 1)
    with pytest.raises(
        InvalidArgumentError, match="should not modify its Python input"
    ):
        f({"rows": [tl.asarray(1), tl.asarray(2)]})


def test_inspect_sees_the_arguments_of_the_python_function() -> None:
    class Layer:
        @tl.function
        def double(self, x: tl.Tensor, times: int = 2) -> tl.Tensor:
            return x * times

    specified = inspect.getfullargspec(Layer.double)
    assert specified.args == ["self", "x", "times"]
    assert specified.defaults == (2,)
    assert list(inspect.signature(Layer.double).parameters) == ["self", "x", "times"]
    assert list(inspect.signature(Layer().double).parameters) == ["x", "times"]
    assert inspect.getfullargspec(Layer().double).args == ["x", "times"]
    assert "python_function" in inspect.signature(tl.Function).parameters
