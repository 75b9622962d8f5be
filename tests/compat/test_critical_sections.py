"""Critical sections of programs: eagerly, in functions and in sessions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tensorlite.compat.v1 as tf1
import tensorlite.compat.v2 as tf
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def _eager() -> Iterator[None]:
    before = mode.eager, mode.plain_sizes, mode.graph
    mode.eager, mode.plain_sizes = True, False
    yield
    mode.eager, mode.plain_sizes, mode.graph = before


def test_critical_sections_run_functions_eagerly_and_in_functions() -> None:
    section, total = tf.CriticalSection(name="counted"), tf.Variable(1.0)

    def doubled() -> Any:
        return total.assign_add(total)

    assert float(section.execute(doubled)) == 2.0

    @tf.function
    def twice() -> Any:
        return section.execute(doubled, name="run")

    assert float(twice()) == 4.0


def test_critical_sections_run_functions_in_sessions() -> None:
    with tf1.Graph().as_default():
        section, total = tf1.CriticalSection(), tf1.Variable(3, use_resource=True)
        made = section.execute(lambda: tf1.identity(total.assign_add(1)))
        with tf1.Session() as session:
            session.run(tf1.global_variables_initializer())
            assert session.run(made) == 4
            assert session.run([made, total.read_value()])[0] == 5
