"""Modules: which variables they find, and by which names."""

from __future__ import annotations

import tensorlite as tl


class Inner(tl.Module):
    def __init__(self) -> None:
        self.weight = tl.Variable([1.0])
        self.count = tl.Variable(0, trainable=False)


class Outer(tl.Module):
    def __init__(self) -> None:
        self.first = Inner()
        self.many = [Inner(), {"deep": (Inner(),)}]
        self.same = self.first
        self.number = 3


def test_variables_are_found_in_every_container_and_listed_once() -> None:
    assert list(Outer().named_variables()) == [
        *("first.weight", "first.count", "many.0.weight", "many.0.count"),
        *("many.1.deep.0.weight", "many.1.deep.0.count"),
    ]


def test_trainable_variables_leave_out_counters() -> None:
    outer = Outer()
    assert len(outer.trainable_variables) == 3
    assert all(v.trainable for v in outer.trainable_variables)


def test_submodules_are_listed_without_the_module_itself() -> None:
    outer = Outer()
    assert outer.submodules == [outer.first, outer.many[0], outer.many[1]["deep"][0]]  # type: ignore[index]


def test_a_module_that_holds_itself_is_walked_once() -> None:
    module = Inner()
    module.me = module  # type: ignore[attr-defined]
    assert list(module.named_variables()) == ["weight", "count"]


def test_the_repr_lists_variables_with_their_shapes() -> None:
    assert (
        repr(Inner())
        == "Inner:\n  weight: float32[1]\n  count: int32[] (not trainable)"
    )
