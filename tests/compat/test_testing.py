"""TestCase: what it asserts, the sessions it opens, and gradients compared with differences."""

from __future__ import annotations

import os
import unittest
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.compat.v1 import test
from tensorlite.compat.v1.graphs import framework
from tensorlite.compat.v2 import test as test_v2
from tensorlite.graph_mode.graph import get_default_graph, mode


@pytest.fixture(autouse=True)
def graphs() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    yield
    mode.eager = before


class Asserted(test.TestCase):
    def test_arrays(self) -> None:
        self.assertAllEqual([[1, 2]], np.asarray([[1, 2]]))
        self.assertAllEqual(np.asarray([np.nan]), [np.nan])
        self.assertAllEqual([b"a"], ["a"])
        self.assertAllClose(
            {"a": [1.0, (2.0, [3.0])]}, {"a": [1.0, (2.0 + 1e-7, [3.0])]}
        )
        self.assertAllCloseAccordingToType(np.float16(1.0), np.float16(1.0009))
        self.assertNotAllClose([1.0], [1.1])
        self.assertNotAllEqual([1], [2])
        self.assertAllInRange([0.0, 1.0], 0, 1)
        self.assertAllGreater([2], 1)
        self.assertAllInSet([1, 2], {1, 2, 3})
        self.assertArrayNear([1.0], [1.1], 0.2)
        self.assertShapeEqual(np.ones((2, 3)), np.zeros((2, 3)))
        self.assertDTypeEqual(np.float32(1), tl.float32)
        self.assertStartsWith("abc", "ab")
        self.assertLen([1, 2], 2)
        failing: list[Any] = [
            lambda: self.assertAllEqual([1], [1, 1]),
            lambda: self.assertAllEqual([1], [2]),
            lambda: self.assertAllClose([1.0], [1.1]),
            lambda: self.assertAllClose({"a": 1}, {"b": 1}),
            lambda: self.assertAllClose([[1.0], [1.0, 2.0]], [[1.0]]),
            lambda: self.assertAllInRange([2.0], 0, 1),
            lambda: self.assertNotAllEqual([1], [1]),
            lambda: self.assertShapeEqual(np.ones(2), np.ones(3)),
        ]
        for wrong in failing:
            with pytest.raises(AssertionError):
                wrong()

    def test_errors(self) -> None:
        with self.assertRaisesOpError("no such .*"):
            raise tl.errors.InvalidArgumentError("no such thing")
        with (
            pytest.raises(AssertionError, match="does not match"),
            self.assertRaisesOpError("other"),
        ):
            raise tl.errors.InvalidArgumentError("no such thing")
        with self.assertRaisesWithPredicateMatch(ValueError, lambda e: "x" in str(e)):
            raise ValueError("x")

    def test_sessions(self) -> None:
        with self.test_session() as session:
            x = framework.constant([1.0, 2.0])
            self.assertAllEqual(x, [1.0, 2.0])
            self.assertAllEqual(session.run(x * 2), [2.0, 4.0])
        with self.cached_session() as again:
            self.assertIs(session, again)
        self.assertAllEqual(self.evaluate({"a": x})["a"], [1.0, 2.0])
        with self.session(graph=framework.Graph()) as other:
            self.assertIsNot(other, session)
            self.assertEqual(self.evaluate(framework.constant(3)), 3)

    def test_each_test_has_a_graph_of_its_own(self) -> None:
        self.assertEqual(get_default_graph().nodes, [])
        self.assertEqual(get_default_graph().seed, 87654321)

    def test_gradients(self) -> None:
        with self.cached_session():
            x = framework.placeholder(tl.float64, [3])
            y = x * x * 3.0
            error = test.compute_gradient_error(x, [3], y, [3])
            self.assertLess(error, 1e-6)
            first, second = test.compute_gradient(
                x, [3], y, [3], x_init_value=np.asarray([1.0, 2.0, 3.0])
            )
            self.assertAllClose(first, np.diag([6.0, 12.0, 18.0]))
            self.assertAllClose(first, second, 1e-6, 1e-6)

    def test_folders_and_threads(self) -> None:
        folder = self.get_temp_dir()
        self.assertTrue(os.path.isdir(folder))  # noqa: PTH112
        self.assertEqual(folder, self.get_temp_dir())
        found: list[int] = []
        thread = self.checkedThread(found.append, args=(1,))
        thread.start()
        thread.join()
        self.assertEqual(found, [1])
        wrong = self.checkedThread(lambda: 1 / 0)
        wrong.start()
        with pytest.raises(AssertionError, match="division by zero"):
            wrong.join()


def test_jacobians_of_functions() -> None:
    pairs = test_v2.compute_gradient(
        tl.matmul,
        [np.asarray([[1.0, 2.0]]), np.asarray([[3.0], [4.0]])],
    )
    assert [len(one) for one in pairs] == [2, 2]
    np.testing.assert_allclose(pairs[0][0], [[3.0, 4.0]])
    assert test_v2.max_error(*pairs) < 1e-6


def test_what_opens_sessions_is_no_test() -> None:
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Asserted)
    result = unittest.TestResult()
    suite.run(result)
    assert not result.failures
    assert not result.errors
    assert [case.id().rpartition(".")[2] for case, _ in result.skipped] == [
        "test_session"
    ]
    assert test.is_built_with_cuda() == test.is_gpu_available()


def test_gradients_of_version_2_in_graphs() -> None:
    with framework.Graph().as_default(), test.TestCase("session").session():
        scale = framework.constant([[2.0, 3.0]])
        x = framework.constant([[1.0, 2.0], [3.0, 4.0]])
        found = test_v2.compute_gradient(lambda x: tl.sum(x * scale, axis=0), [x])
    expected = [[2, 0, 2, 0], [0, 3, 0, 3]]
    for jacobians in found:
        np.testing.assert_allclose(jacobians[0], expected, rtol=1e-3)


def test_errors_with_a_literal_text() -> None:
    case = test.TestCase("session")
    with case.assertRaisesWithLiteralMatch(ValueError, "a (b)"):
        raise ValueError("a (b)")
    with (
        pytest.raises(AssertionError),
        case.assertRaisesWithLiteralMatch(ValueError, "a"),
    ):
        raise ValueError("a (b)")
