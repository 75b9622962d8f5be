"""Operators whose class is used for the first time, by several threads at once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import FrozenInstanceError, field
from threading import Barrier, Thread
from typing import Any

import pytest

import tensorlite as tl
from tensorlite.core.op import REGISTRY, Op, Specs


@pytest.fixture(autouse=True)
def _threads_take_turns_often() -> Iterator[None]:
    before, known = sys.getswitchinterval(), set(REGISTRY)
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
    for name in REGISTRY.keys() - known:
        del REGISTRY[name]


class _Base(Op, abstract=True):
    first: int

    def infer(self, *xs: tl.TensorSpec) -> Specs:
        return xs


def classes(number: int) -> tuple[type[Any], type[Any]]:
    class Plain(_Base, abstract=True):
        pass

    class Derived(Plain):
        second: tuple[int, ...] = ()
        third: str = field(default="x", kw_only=True)

    return Plain, Derived


def test_all_threads_make_whole_operators() -> None:
    for number in range(30):
        plain, derived = classes(number)
        found: list[Any] = []
        together = Barrier(8)

        def make(
            plain: Any = plain,
            derived: Any = derived,
            found: list[Any] = found,
            together: Barrier = together,
        ) -> None:
            together.wait()
            try:
                found.append((derived(1, (2,)), plain(3), derived.attribute_names()))
            except TypeError as error:
                found.append(error)

        threads = [Thread(target=make) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        names = ("first", "second", "third")
        assert found == [(derived(1, (2,), third="x"), plain(3), names)] * 8


def test_an_operator_is_a_frozen_dataclass_of_its_own_fields() -> None:
    _, derived = classes(0)
    op = derived(1, second=(2,), third="y")
    assert (op, hash(op)) == (
        derived(1, (2,), third="y"),
        hash(derived(1, (2,), third="y")),
    )
    assert op != derived(1, (2,))
    assert repr(op) == "Derived(first=1, second=(2,), third='y')"
    for name in ("first", "other"):
        with pytest.raises(FrozenInstanceError):
            setattr(op, name, 5)
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        derived()
    assert derived.__match_args__ == ("first", "second")
