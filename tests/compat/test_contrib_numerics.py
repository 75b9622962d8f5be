"""tf.contrib.integrate, sparsemax and resampler, held against closed forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.core.errors import DTypeError, InvalidArgumentError
from tensorlite.graph_mode.graph import mode, reset_default_graph

tf: Any = v1
contrib = tf.contrib


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    reset_default_graph()
    yield
    mode.eager = before


def run(fetches: Any) -> Any:
    with tf.Session() as session:
        return session.run(fetches)


def test_equations_are_solved_as_precisely_as_is_asked() -> None:
    times = [0.0, 0.5, 2.0, 5.0]
    y, told = contrib.integrate.odeint(
        lambda y, t: tf.stack([y[1], -y[0]]), [0.0, 1.0], times, full_output=True
    )
    assert (y.dtype, y.get_shape().as_list()) == (tf.float32, [4, 2])
    found, told = run([y, told])
    np.testing.assert_allclose(
        found, np.stack([np.sin(times), np.cos(times)], 1), atol=1e-4
    )
    points = told["integrate_points"]
    assert told["num_func_evals"] == 6 * len(points) + 1
    assert len(told["error_ratio"]) == len(points)
    assert points[-1] >= 5.0


def test_options_of_steps_and_their_errors() -> None:
    solve = contrib.integrate.odeint
    options = {"first_step": 0.1, "max_num_steps": 2}
    y = solve(
        lambda y, t: y,
        tf.constant(1.0, tf.float64),
        [0, 9],
        1e-9,
        1e-9,
        "dopri5",
        options,
    )
    with pytest.raises(InvalidArgumentError, match="max_num_steps"):
        run(y)
    with pytest.raises(InvalidArgumentError, match="monotonic"):
        run(solve(lambda y, t: y, 1.0, [0.0, 1.0, 0.5]))
    with pytest.raises(InvalidArgumentError, match="invalid method"):
        solve(lambda y, t: y, 1.0, [0.0, 1.0], method="euler")
    with pytest.raises(InvalidArgumentError, match="options"):
        solve(lambda y, t: y, 1.0, [0.0, 1.0], options=options)
    with pytest.raises(DTypeError):
        solve(lambda y, t: y, 1, [0.0, 1.0])


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        # A step of h multiplies by 1 + h + h^2 / 2 (+ h^3 / 6 + h^4 / 24): twice 0.5, twice 0.25.
        ("midpoint", [1.0, 1.625**2, 1.625**2 * 1.28125**2]),
        (
            "rk4",
            [1.0, 1.6484375**2, 1.6484375**2 * (1.28125 + 1 / 384 + 1 / 6144) ** 2],
        ),
    ],
)
def test_steps_on_a_grid(method: str, expected: list[float]) -> None:
    y = contrib.integrate.odeint_fixed(
        lambda y, t: y,
        tf.constant(1.0, tf.float64),
        [0.0, 1.0, 1.5],
        dt=tf.constant([0.6, 0.25], tf.float64),  # 0.6 does not fit: twice 0.5
        method=method,
    )
    np.testing.assert_allclose(run(y), expected, rtol=1e-12)


def test_solutions_have_gradients() -> None:
    rate = tf.constant(0.7, tf.float64)
    y = contrib.integrate.odeint_fixed(
        lambda y, t: -rate * y, tf.constant(2.0, tf.float64), np.linspace(0, 1, 20)
    )
    (found,) = run(tf.gradients(y[-1], rate))
    assert found == pytest.approx(-2 * np.exp(-0.7), rel=1e-5)


def test_sparse_probabilities_and_their_loss() -> None:
    logits = tf.constant([[1.0, 2.0, 0.5], [0.0, 0.0, 0.0], [0.5, 0.7, 0.0]])
    found = contrib.sparsemax.sparsemax(logits)
    labels = tf.one_hot([0, 1, 1], 3)
    loss = contrib.sparsemax.sparsemax_loss(logits, tf.stop_gradient(found), labels)
    p, cost, slope = run([found, loss, *tf.gradients(loss, logits)])
    third = 1 / 3
    expected = np.array([[0, 1, 0], [third, third, third], [0.4, 0.6, 0]])
    np.testing.assert_allclose(p, expected, atol=1e-6)
    np.testing.assert_allclose(slope, p - run(labels), atol=1e-6)
    # z_k is taken from, and half of p^2 - q^2 with tau of each in the support: by hand.
    np.testing.assert_allclose(cost, [1.0, third, 0.16], atol=1e-6)
    infinite = contrib.sparsemax.sparsemax(tf.constant([[float("inf"), 1.0]]))
    with np.errstate(invalid="ignore"):
        assert np.isnan(run(infinite)).all()


def test_images_are_seen_between_pixels() -> None:
    image = np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1)
    places = np.array(
        [[[1.0, 2.0], [0.5, 1.0], [2.0, 0.25], [-0.5, 0.0], [3.5, 2.5], [9, 9]]]
    )
    data, warp = tf.constant(image), tf.constant(places, tf.float32)
    found = contrib.resampler.resampler(data, warp)
    assert found.get_shape().as_list() == [1, 6, 1]
    slopes = tf.gradients(found, [data, warp])
    values, by_pixel, by_place = run([found, *slopes])
    np.testing.assert_allclose(values[0, :, 0], [9.0, 4.5, 3.0, 0.0, 2.75, 0.0])
    # A step to the right is one, one down four, where all pixels around are in the image.
    np.testing.assert_allclose(by_place[0, 1:3], [[1, 4], [1, 4]])
    np.testing.assert_allclose(by_pixel[0, 2, 1], 1.0)
    np.testing.assert_allclose(by_pixel[0, 1, :2, 0], [0.5, 0.5])
