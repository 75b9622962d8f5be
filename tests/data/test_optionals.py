"""Elements that may be missing, eagerly and in traced functions."""

from __future__ import annotations

import pytest

import tensorlite as tl
from tensorlite.core.errors import InvalidArgumentError
from tensorlite.data.optionals import Optional

Dataset = tl.data.Dataset


def test_optionals_have_elements_of_any_structure() -> None:
    pair = Optional.from_value({"a": [1, 2], "b": (3.0, "x")})
    assert bool(pair.has_value())
    assert pair.get_value()["a"].tolist() == [1, 2]
    assert pair.element_spec["a"] == tl.TensorSpec((2,), tl.int32)
    assert pair.element_spec["b"][1] == tl.TensorSpec((), tl.string)


@pytest.mark.parametrize("dtype", [tl.int32, tl.string, tl.bool])
def test_optionals_may_have_none(dtype: tl.DType) -> None:
    spec = tl.TensorSpec((None, 2), dtype)
    none = Optional.empty(spec)
    assert not bool(none.has_value())
    assert none.element_spec == spec
    with pytest.raises(InvalidArgumentError, match="does not have a value"):
        none.get_value()


def test_iterators_end_with_optionals() -> None:
    numbers = iter(Dataset.range(2).batch(2))
    found = [numbers.get_next_as_optional() for _ in range(3)]
    assert [bool(x.has_value()) for x in found] == [True, False, False]
    assert found[0].get_value().tolist() == [0, 1]
    assert found[1].element_spec == tl.TensorSpec((None,), tl.int64)


def test_functions_read_iterators_as_optionals() -> None:
    numbers = iter(Dataset.range(3))

    @tl.function
    def total() -> tl.Tensor:
        found = tl.asarray(0, dtype=tl.int64)
        one = numbers.get_next_as_optional()
        while one.has_value():
            found += one.get_value()
            one = numbers.get_next_as_optional()
        return found

    assert int(total()) == 3
    assert int(total()) == 0


def test_functions_take_and_return_optionals() -> None:
    @tl.function
    def doubled(one: Optional) -> Optional:
        return Optional(one.has_value(), one.get_value() * 2)

    @tl.function
    def following(more: Optional) -> tl.Tensor:
        found: tl.Tensor = tl.cond(
            more.has_value(), more.get_value, lambda: tl.asarray(-1)
        )
        return found

    assert int(doubled(Optional.from_value(4)).get_value()) == 8
    with pytest.raises(InvalidArgumentError, match="does not have a value"):
        doubled(Optional.empty(tl.TensorSpec((), tl.int32)))
    assert int(following(Optional.from_value(7))) == 7
    assert int(following(Optional.empty(tl.TensorSpec((), tl.int32)))) == -1
