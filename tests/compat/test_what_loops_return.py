"""tf.while_loop of version 1: what its variables come back in, as TensorFlow 1.15 has it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode

tf: Any = v1


class Pair(NamedTuple):
    a: Any
    b: Any


@pytest.fixture
def _in_graph() -> Iterator[None]:
    with tf.Graph().as_default():
        yield


@pytest.fixture
def _at_once() -> Iterator[None]:
    before = mode.eager, mode.plain_sizes, mode.graph, mode.older
    mode.graph = None  # as at a program's start, whatever other tests have built
    tf.enable_eager_execution()
    yield
    mode.eager, mode.plain_sizes, mode.graph, mode.older = before


def of_two(start: Any, made: Callable[[Any, Any], Any], **options: Any) -> Any:
    return tf.while_loop(
        lambda i, _: i < 3, lambda i, j: made(i + 1, j + 2), start, **options
    )


def of_one(start: Any, made: Callable[[Any], Any], **options: Any) -> Any:
    return tf.while_loop(lambda i: i < 3, lambda i: made(i + 1), start, **options)


def listed(*members: Any) -> list[Any]:
    return [*members]


def in_tuple(*members: Any) -> tuple[Any, ...]:
    return members


def bare(member: Any) -> Any:
    return member


def values(found: Any) -> list[int]:
    if tf.executing_eagerly():
        return [int(x) for x in found]
    with tf.Session() as session:
        return [int(x) for x in session.run(list(found))]


STARTS: tuple[Callable[..., Any], ...] = (listed, in_tuple, Pair)
KINDS = [
    pytest.param(begun, made, kind)
    for begun in STARTS
    for made, kind in ((listed, list), (in_tuple, tuple), (Pair, Pair))
]


@pytest.mark.usefixtures("_in_graph")
@pytest.mark.parametrize(("begun", "made", "kind"), KINDS)
def test_variables_come_as_the_body_gives_them(
    begun: Callable[..., Any], made: Callable[..., Any], kind: type
) -> None:
    found = of_two(begun(tf.constant(0), tf.constant(1)), made)
    assert type(found) is kind
    assert values(found) == [3, 7]


@pytest.mark.usefixtures("_at_once")
@pytest.mark.parametrize(("begun", "made", "kind"), KINDS)
def test_variables_come_as_the_last_turn_gave_them_without_graph(
    begun: Callable[..., Any], made: Callable[..., Any], kind: type
) -> None:
    found = of_two(begun(tf.constant(0), tf.constant(1)), made)
    assert type(found) is kind
    assert values(found) == [3, 7]


@pytest.mark.usefixtures("_in_graph")
def test_a_single_variable_comes_bare_but_on_request() -> None:
    for made in (bare, listed, in_tuple):
        assert of_one([0], made).shape == ()
    assert type(of_one((0,), bare, return_same_structure=True)) is list
    assert type(of_one([0], in_tuple, return_same_structure=True)) is tuple


@pytest.mark.usefixtures("_at_once")
def test_a_single_variable_without_graph_comes_as_it_was_given() -> None:
    assert np.shape(of_one([0], bare)) == ()
    assert type(of_one([0], listed)) is list
    assert type(of_one([0], in_tuple)) is tuple


@pytest.mark.usefixtures("_at_once")
def test_variables_of_no_turn_come_as_they_were() -> None:
    found = tf.while_loop(lambda i, _: i < 0, Pair, [0, 1])
    assert type(found) is list
    assert values(found) == [0, 1]


@pytest.mark.usefixtures("_in_graph")
def test_a_loop_of_no_turns_in_a_graph_knows_what_its_body_gives() -> None:
    found = tf.while_loop(lambda i, _: i < 0, Pair, [0, 1])
    assert type(found) is Pair
    assert values(found) == [0, 1]


@pytest.mark.usefixtures("_at_once")
def test_functions_return_what_the_loop_began_with() -> None:
    traced: Any = tf.function(lambda: of_two([tf.constant(0), tf.constant(1)], Pair))
    found = traced()
    assert type(found) is list
    assert values(found) == [3, 7]
