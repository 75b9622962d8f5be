"""Optimizers against numbers that TensorFlow 2.21's own optimizers gave for the same gradients."""

from __future__ import annotations

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.optimizers import Optimizer
from tests.train.runs import both_ways

START = [1.0, -2.0, 0.5]
GRADIENTS = [[0.1, -0.2, 0.3], [0.4, 0.1, -0.5], [-0.2, 0.3, 0.05]]
PUBLISHED = {
    "SGD": [
        [0.99, -1.98, 0.47],
        [0.95, -1.99, 0.52],
        [0.97, -2.02, 0.515],
    ],
    "SGD momentum": [
        [0.99, -1.98, 0.47],
        [0.941, -1.972, 0.493],
        [0.9169, -1.9948, 0.5087],
    ],
    "SGD nesterov": [
        [0.981, -1.962, 0.443],
        [0.8969, -1.9648, 0.5137],
        [0.89521, -2.0153201, 0.52283],
    ],
    "Adagrad": [
        [0.9698489, -1.9465477, 0.4311753],
        [0.8928688, -1.9723676, 0.5065531],
        [0.9287899, -2.0336049, 0.4990366],
    ],
    "AdagradDA": [
        [-0.0269734, 0.0505096, -0.0662267],
        [-0.0916704, 0.0204448, 0.0269734],
        [-0.0479764, -0.0342813, 0.0178782],
    ],
    "Adadelta": [
        [0.9955323, -1.9955289, 0.4955284],
        [0.989391, -1.9984148, 0.5009874],
        [0.9932969, -2.0040185, 0.5002557],
    ],
    "RMSProp": [
        [0.6837881, -1.6837761, 0.183774],
        [0.2179907, -1.6731046, 0.3004854],
        [0.1293916, -1.9294798, 0.3299929],
    ],
    "RMSProp centered": [
        [0.7705842, -1.705116, 0.1855145],
        [0.3345782, -1.6920749, 0.3011619],
        [0.2593262, -1.9426117, 0.3304925],
    ],
    "Adam": [
        [0.9000031, -1.9000015, 0.400001],
        [0.8115665, -1.8733683, 0.4293569],
        [0.777957, -1.9123067, 0.4465048],
    ],
    "Ftrl": [
        [0.0072535, -0.2403072, 0.0632683],
        [-0.0653466, -0.2646349, 0.1380046],
        [-0.0294487, -0.3243046, 0.1301207],
    ],
    "ProximalSGD": [
        [0.983034, -1.971058, 0.4640719],
        [0.9361616, -1.9721138, 0.5080558],
        [0.9492631, -1.9931276, 0.4970617],
    ],
    "ProximalAdagrad": [
        [0.9490504, -1.9229064, 0.4177875],
        [0.8591409, -1.9258711, 0.4841678],
        [0.8829102, -1.9688643, 0.4677286],
    ],
    "AdamW": [
        [0.8900038, -1.8800023, 0.3950017],
        [0.7926677, -1.8345692, 0.4204074],
        [0.7511314, -1.855162, 0.4333512],
    ],
    "Adam amsgrad": [
        [0.9000038, -1.9000022, 0.4000017],
        [0.8115677, -1.8733692, 0.4293573],
        [0.7779582, -1.9123077, 0.4465053],
    ],
}
"""The variable after each step, by tf.compat.v1.train's optimizers (RMSProp, AdamW and
amsgrad by Keras's, whose mean square starts at 0)."""


def make(name: str) -> Optimizer:
    opt = tl.optimizers
    made: dict[str, Optimizer] = {
        "SGD": opt.SGD(0.1),
        "SGD momentum": opt.SGD(0.1, momentum=0.9),
        "SGD nesterov": opt.SGD(0.1, momentum=0.9, nesterov=True),
        "Adagrad": opt.Adagrad(0.1, epsilon=0.0),
        "AdagradDA": opt.AdagradDA(0.1, l1=0.01, l2=0.02),
        "Adadelta": opt.Adadelta(1.0, rho=0.95, epsilon=1e-6),
        "RMSProp": opt.RMSProp(0.1, momentum=0.5),
        "RMSProp centered": opt.RMSProp(
            0.1, momentum=0.5, epsilon=1e-3, centered=True
        ),
        "Adam": opt.Adam(0.1),
        "Adam amsgrad": opt.Adam(0.1, amsgrad=True),
        "AdamW": opt.AdamW(0.1, weight_decay=0.1),
        "Ftrl": opt.Ftrl(0.1, l1=0.01, l2=0.02, shrinkage=0.01),
        "ProximalSGD": opt.ProximalSGD(0.1, l1=0.05, l2=0.02),
        "ProximalAdagrad": opt.ProximalAdagrad(0.1, l1=0.05, l2=0.02),
    }
    return made[name]


@pytest.mark.parametrize("traced", [False, True])
@pytest.mark.parametrize("name", PUBLISHED)
def test_optimizer_gives_the_published_numbers(name: str, traced: bool) -> None:
    w, optimizer = tl.Variable(START), make(name)

    def step(g: tl.Tensor) -> None:
        optimizer.apply_gradients([(g, w)])

    run = both_ways(step, traced)
    for g, expected in zip(GRADIENTS, PUBLISHED[name], strict=True):
        run(tl.asarray(g))
        np.testing.assert_allclose(w.numpy(), expected, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("name", PUBLISHED)
def test_sparse_gradients_update_named_rows_only_and_as_dense_ones_do(
    name: str,
) -> None:
    rows, start = [3, 1, 3], np.arange(8, dtype=np.float32).reshape(4, 2) - 3
    values = np.asarray([[0.1, -0.2], [0.3, 0.4], [0.5, -0.1]], np.float32)
    whole = np.zeros((4, 2), np.float32)
    np.add.at(whole, rows, values)
    sparse, dense = tl.Variable(start), tl.Variable(start)
    slices = tl.IndexedSlices(tl.asarray(values), tl.asarray(rows), (4, 2))
    make(name).apply_gradients([(slices, sparse)])
    make(name).apply_gradients([(tl.asarray(whole), dense)])
    np.testing.assert_allclose(
        sparse.numpy()[[1, 3]], dense.numpy()[[1, 3]], rtol=1e-6
    )
    np.testing.assert_array_equal(sparse.numpy()[[0, 2]], start[[0, 2]])


def test_a_schedule_is_asked_with_the_number_of_steps_done() -> None:
    w = tl.Variable(0.0)
    optimizer = tl.optimizers.SGD(
        tl.optimizers.schedules.PiecewiseConstant([0], [1.0, 0.5])
    )
    for expected in (-1.0, -1.5, -2.0):
        optimizer.apply_gradients([(tl.asarray(1.0), w)])
        assert float(w.value()) == expected
    assert int(optimizer.iterations.value()) == 3


def test_a_gradient_of_another_shape_is_refused_and_changes_nothing() -> None:
    w, optimizer = tl.Variable([1.0, 2.0]), tl.optimizers.SGD(0.1)
    with pytest.raises(
        tl.errors.ShapeError, match=r"gradient has shape \[3\], the variable \[2\]"
    ):
        optimizer.apply_gradients([(tl.ones(3), w)])
    np.testing.assert_array_equal(w.numpy(), [1.0, 2.0])


def test_no_gradient_at_all_is_an_error_that_says_where_to_look() -> None:
    with pytest.raises(tl.errors.InvalidArgumentError, match="why_none"):
        tl.optimizers.SGD(0.1).apply_gradients([(None, tl.Variable(1.0))])


def test_lbfgs_finds_the_valley_of_rosenbrock() -> None:
    w = tl.Variable(np.asarray([-1.2, 1.0]))

    def loss() -> tl.Tensor:
        x, y = w.value()[0], w.value()[1]
        return (1.0 - x) ** 2 + 100.0 * (y - x**2) ** 2

    reached = tl.optimizers.LBFGS([w], tolerance=1e-8).step(loss)
    assert reached < 1e-12
    np.testing.assert_allclose(w.numpy(), [1.0, 1.0], atol=1e-6)


def test_clipping_keeps_the_direction_and_shows_what_is_not_finite() -> None:
    gradients = [tl.asarray([3.0]), None, tl.asarray([4.0])]
    clipped, norm = tl.clip_by_global_norm(gradients, 2.5)
    assert clipped[1] is None
    np.testing.assert_allclose(np.asarray(clipped[0]), [1.5], rtol=1e-6)
    np.testing.assert_allclose(float(norm), 5.0)
    bad, _ = tl.clip_by_global_norm([tl.asarray([np.inf, 1.0])], 1.0)
    assert np.isnan(np.asarray(bad[0])).all()
