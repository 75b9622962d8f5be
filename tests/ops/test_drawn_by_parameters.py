"""Binomial, Poisson and bounded normal numbers; expected is what TensorFlow 2.21 draws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.errors import GraphDefError, InvalidArgumentError, ShapeError
from tensorlite.interop.tensorflow.raw import raw_call
from tests.interop.graphdefs import Program

SEED = tl.random.Seed((1, 2))


@pytest.mark.parametrize(
    ("count", "chance", "expected"),
    [
        (50.0, 0.3, [19, 17, 20, 23, 12, 18, 15]),
        (50.0, 0.9, [43, 43, 41, 43, 43, 44, 42]),
        (7.0, 0.2, [3, 1, 2, 2, 3, 2, 3]),
        (7.0, 0.8, [4, 6, 5, 5, 4, 5, 4]),
        (1e6, 0.001, [1038, 1021, 1046, 1037, 971, 1019, 1002]),
        (1e6, 0.6, [599408, 599492, 599281, 599424, 600453, 599714, 599974]),
        (0.0, 0.4, [0] * 7),
    ],
)
def test_binomial_numbers(count: float, chance: float, expected: list[int]) -> None:
    found = tl.random.binomial((7,), count, chance, generator=SEED)
    assert found.tolist() == expected


def test_numbers_of_each_of_some_distributions() -> None:
    chances = np.array([0.1, 0.6, 0.5], np.float32)
    found = tl.random.binomial((2, 3), [10.0, 50.0, 100.0], chances, generator=SEED)
    assert found.tolist() == [[3, 25, 45], [1, 21, 54]]
    found = tl.random.poisson((2, 3), [1.0, 5.0, 50.0], generator=SEED)
    assert found.tolist() == [[3, 8, 43], [3, 8, 56]]


def test_parameters_that_do_not_broadcast_to_the_shape() -> None:
    with pytest.raises(InvalidArgumentError, match="does not broadcast"):
        tl.random.binomial((2, 1), [1.0, 2.0], 0.5, generator=SEED)


@pytest.mark.parametrize("seed", [(1, 2, 3), 1.5])
def test_seeds_that_are_none(seed: Any) -> None:
    wrong = tl.random.Seed(np.array(seed))
    with pytest.raises(ShapeError, match="two integers"):
        tl.random.binomial((2,), 3.0, 0.5, generator=wrong)
    with pytest.raises(ShapeError, match="two integers"):
        tl.random.stateless_parameterized_truncated_normal((2,), np.array(seed))


def test_generators_go_on_behind_binomial_numbers() -> None:
    generator = tl.random.Generator.from_state(np.array([5, 0, 0], np.int64))
    assert tl.random.binomial((4,), 10.0, 0.5, generator=generator).tolist() == [
        *(5, 5, 4, 6)
    ]
    np.testing.assert_allclose(
        generator.normal((2,)), [-0.32014838, -0.6533854], rtol=1e-5
    )
    found = tl.random.binomial(
        (3, 2), np.array([100, 5], np.float32), np.float32(0.7), generator=generator
    )
    assert found.tolist() == [[77, 5], [70, 3], [70, 4]]
    np.testing.assert_allclose(
        generator.normal((2,)), [-1.203343, -0.30529475], rtol=1e-5
    )


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        (
            (0.0, 1.0, -1.0, 3.0),
            [0.5441101, 0.20738031, 0.07356432, 0.04643455, -0.9538565, 0.84172857],
        ),
        (
            (0.0, 1.0, 3.0, 9.0),
            [3.0513299, 3.0011456, 3.3942106, 3.6768384, 3.2490196, 3.4858367],
        ),
        (
            (0.0, 1.0, -0.01, 0.01),
            [
                0.00688121,
                -0.00615909,
                0.00992446,
                -0.00679225,
                -0.00121297,
                -0.00830464,
            ],
        ),
        (
            (0.0, 1.0, -np.inf, -5.0),
            [-5.0326486, -5.0007286, -5.25074, -5.4305077, -5.1583905, -5.3090196],
        ),
        (
            (5.0, 2.0, 4.0, np.inf),
            [6.08822, 5.4147606, 5.1471286, 5.0928693, 6.6834574, 8.879374],
        ),
        (
            (1.0, 3.0, -9.0, -6.0),
            [-6.188141, -6.004199, -7.444912, -8.480835, -6.9127383, -7.7807503],
        ),
    ],
)
def test_normal_numbers_between_bounds(
    parameters: Any, expected: list[float]
) -> None:
    draw = tl.random.stateless_parameterized_truncated_normal
    found = draw((6,), (1, 2), *parameters)
    np.testing.assert_allclose(found, expected, rtol=2e-5)


def test_normal_numbers_move_with_their_bounds() -> None:
    given = [tl.asarray(x) for x in (0.5, 1.5, -1.0, 3.0)]
    with tl.GradientTape() as tape:
        for x in given:
            tape.watch(x)
        draw = tl.random.stateless_parameterized_truncated_normal
        y = tl.sum(tl.square(draw((5,), (1, 2), *given)))
    np.testing.assert_allclose(y, 3.9535127, rtol=1e-5)
    np.testing.assert_allclose(
        tape.gradient(y, given), [4.752898, 3.6870503, 0.06106961, 1.00729], rtol=2e-5
    )


@pytest.mark.parametrize(
    ("deviation", "low", "high"), [(0.0, 0.0, 1.0), (1.0, 2.0, 1.0)]
)
def test_bounds_that_are_none(deviation: float, low: float, high: float) -> None:
    draw = tl.random.stateless_parameterized_truncated_normal
    with pytest.raises(InvalidArgumentError, match="Invalid parameters"):
        draw((2,), (1, 2), 0.0, deviation, low, high)
    with pytest.raises(InvalidArgumentError, match="must end with"):
        draw((2,), (1, 2), [0.0, 1.0, 2.0])


def test_normal_numbers_of_operators_with_seeds_of_their_own() -> None:
    seeds: dict[str, Any] = {"seed": 3, "seed2": 4}
    given: dict[str, Any] = {"means": [0.0, 1.0], "stdevs": [1.0, 2.0]}
    bounds: dict[str, Any] = {"minvals": [-1.0, 0.5], "maxvals": [1.0, 6.0]}
    draw = "ParameterizedTruncatedNormal"
    rows = raw_call(draw, given | bounds | seeds | {"shape": [2, 4]})
    expected = [
        [0.8474734, -0.25913906, 0.8963969, -0.0739162],
        [3.9030106, 0.97915804, 0.8701798, 1.1407813],
    ]
    np.testing.assert_allclose(rows, expected, rtol=1e-5)
    given = {"means": 0.0, "stdevs": 1.0, "minvals": -1.0, "maxvals": 4.0}
    many = raw_call(draw, given | seeds | {"shape": [230]})
    expected_at_98 = [0.11717241, -0.3182772, 0.19770001, -0.2311508]
    np.testing.assert_allclose(many.numpy()[98:102], expected_at_98, rtol=1e-5)


def test_draws_by_seeds_are_written() -> None:
    graph = tl.Graph()
    with graph.as_default():
        seed = tl.random.Seed(tl.placeholder(tl.TensorSpec((2,), tl.int32, "seed")))
        tl.random.binomial((7,), 50.0, 0.3, generator=seed)
        tl.random.poisson((3,), 2.0, generator=seed)
        tl.random.stateless_parameterized_truncated_normal((3,), seed.seed)
    written = tl.interop.tensorflow.to_graphdef(graph)
    assert {node.op for node in written.node} >= {
        "StatelessRandomBinomial",
        "StatelessRandomPoisson",
        "StatelessParameterizedTruncatedNormal",
    }
    again = tl.interop.tensorflow.from_graphdef(written)
    session = tl.Session(again)
    name = next(x.name for x in written.node if x.op == "StatelessRandomBinomial")
    found = session.run(f"{name}:0", {"seed:0": [1, 2]})
    assert found.tolist() == [19, 17, 20, 23, 12, 18, 15]


LEARNED: list[list[Any]] = [
    [
        [3, 4, 5, 2],
        [[0.6666666865348816], [0.6666666865348816]],
        [
            0.6666666865348816,
            0.6666666865348816,
            0.6666666865348816,
            0.6666666865348816,
        ],
        [3, 4, 5, 2],
        [[0.6666666865348816], [0.6666666865348816]],
        [
            0.6666666865348816,
            0.6666666865348816,
            0.6666666865348816,
            0.6666666865348816,
        ],
    ],
    [
        [0, 3, 4, 5],
        [[1.5], [1.5]],
        [0.5, 0.5, 0.5, 0.5],
        [0, 3, 4, 5],
        [[1.5], [1.5]],
        [0.5, 0.5, 0.5, 0.5],
    ],
]
"""The outputs of two runs."""


def test_candidates_are_learned_from_labels() -> None:
    """Expected is what TensorFlow 1.15 draws in two runs of a graph with these seeds."""
    made = Program()
    made.const("labels", np.array([[1], [1]]))
    kinds: dict[str, Any] = {"num_true": 1, "num_sampled": 4, "range_max": 6}
    kinds |= {"seed": 3, "seed2": 4}
    op = "LearnedUnigramCandidateSampler"
    made.node(op, "unique", "labels", unique=True, **kinds)
    made.node(op, "any", "labels", unique=False, **kinds)
    session = made.session()
    fetches = [f"{name}:{i}" for name in ("unique", "any") for i in range(3)]
    for expected in LEARNED:
        for found, wanted in zip(session.run(fetches), expected, strict=True):
            np.testing.assert_allclose(found, wanted, rtol=1e-6)
    made.node(
        op, "none", "labels", unique=False, num_true=1, num_sampled=1, range_max=0
    )
    with pytest.raises(GraphDefError, match="range_max is 0"):
        made.session()
