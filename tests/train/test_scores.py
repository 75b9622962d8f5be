"""The formulas of metrics against counts made one by one in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.train import scores

RNG = np.random.default_rng(7)
LABELS = RNG.random(40) > 0.4
LIKELY = RNG.random(40)
WEIGHTS = RNG.random(40)
LIMITS = [-1e-7, 0.2, 0.5, 0.8, 1.0 + 1e-7]


@pytest.mark.parametrize("kind", scores.OUTCOMES)
@pytest.mark.parametrize("weighted", [False, True])
def test_outcomes_by_threshold(kind: str, weighted: bool) -> None:
    wanted, found = scores.OUTCOMES[kind]
    each = WEIGHTS if weighted else np.ones(40)
    expected = [
        sum(
            w
            for label, x, w in zip(LABELS, LIKELY, each, strict=True)
            if label == wanted and (x > limit) == found
        )
        for limit in LIMITS
    ]
    (counted,) = scores.outcomes_by_threshold(
        *(tl.asarray(LABELS), tl.asarray(LIKELY), LIMITS),
        *(tl.asarray(WEIGHTS) if weighted else None, [kind]),
    )
    np.testing.assert_allclose(np.asarray(counted), expected, rtol=1e-12)


def test_weights_may_be_one_for_all() -> None:
    given = tl.asarray(LABELS), tl.asarray(LIKELY), [0.5]
    (once,) = scores.outcomes_by_threshold(*given, None, ["true_positives"])
    (twice,) = scores.outcomes_by_threshold(
        *given, tl.asarray(2.0, dtype=tl.float64), ["true_positives"]
    )
    assert float(twice[0]) == 2 * float(once[0])


@pytest.mark.parametrize(
    ("method", "area"), [("trapezoidal", 0.5), ("minoring", 0.25), ("majoring", 0.75)]
)
def test_areas_under_the_diagonal(method: str, area: float) -> None:
    x = tl.asarray([1.0, 0.5, 0.0])
    assert float(scores.area_under_points(x, x, method)) == area


def test_an_unknown_way_to_sum_is_refused_with_those_there_are() -> None:
    x = tl.asarray([1.0, 0.0])
    with pytest.raises(
        tl.errors.InvalidArgumentError, match=r"'simpson'.*trapezoidal.*majoring"
    ):
        scores.area_under_points(x, x, "simpson")


def test_area_under_precision_is_the_integral_between_thresholds() -> None:
    right, wrong = np.array([9.0, 7.0, 2.0, 0.0]), np.array([6.0, 2.0, 1.0, 0.0])
    missed = 9.0 - right
    expected = 0.0
    for i in range(3):
        share = np.linspace(0.0, 1.0, 200_001)
        tp = right[i + 1] + share * (right[i] - right[i + 1])
        fp = wrong[i + 1] + share * (wrong[i] - wrong[i + 1])
        precision = np.divide(tp, tp + fp, out=np.zeros_like(tp), where=tp + fp > 0)
        precision[0] = precision[1] if tp[0] + fp[0] == 0 else precision[0]
        expected += np.trapezoid(precision, tp) / 9.0
    found = scores.area_under_precision(*map(tl.asarray, (right, wrong, missed)))
    assert float(found) == pytest.approx(expected, 1e-5)


def test_overlap_leaves_out_classes_that_do_not_occur() -> None:
    table = tl.asarray([[2.0, 1.0, 0.0], [1.0, 4.0, 0.0], [0.0, 0.0, 0.0]])
    assert float(scores.mean_overlap(table)) == pytest.approx((2 / 4 + 4 / 6) / 2)
    assert float(scores.mean_overlap(table, [1, 2])) == pytest.approx(4 / 6)
    assert float(scores.mean_overlap(table, [2])) == 0.0
