"""tf.keras.optimizers: averages, gathered gradients, scaled losses, rules by hand, own classes.

What is expected was computed by hand, by the formulas of the papers.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf
from tensorlite.core.errors import InvalidArgumentError

keras: Any = tf.keras
kinds: Any = keras.optimizers
STEPS = [np.array([1.0, -2.0]), np.array([0.5, 0.25]), np.array([-1.0, 1.0])]


def run(optimizer: Any, first: Any = (2.0, -3.0), steps: Any = STEPS) -> list[Any]:
    """Return what a variable was after each step."""
    w = tf.Variable(np.asarray(first, np.float32))
    found = []
    for g in steps:
        optimizer.apply_gradients([(tf.constant(g.astype(np.float32)), w)])
        found.append(w.numpy().copy())
    optimizer.finalize_variable_values([w])
    return [*found, w.numpy().copy()]


def test_lion_takes_signs_of_momentum() -> None:
    w, m = np.array([2.0, -3.0]), np.zeros(2)
    for g in STEPS:
        w = w - 0.1 * np.sign(0.9 * m + 0.1 * g)
        m = 0.99 * m + 0.01 * g
    np.testing.assert_allclose(run(kinds.Lion(0.1))[-1], w, rtol=1e-5)


def test_lamb_steps_as_long_as_weights_are_large() -> None:
    w, m, v = np.array([2.0, -3.0]), np.zeros(2), np.zeros(2)
    for t, g in enumerate(STEPS, 1):
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        update = m / (1 - 0.9**t) / (np.sqrt(v / (1 - 0.999**t)) + 1e-7)
        w = w - 0.1 * np.linalg.norm(w) / np.linalg.norm(update) * update
    np.testing.assert_allclose(run(kinds.Lamb(0.1))[-1], w, rtol=1e-4)


def test_adafactor_keeps_rows_and_columns() -> None:
    first = np.array([[1.0, -2.0], [0.5, 3.0], [2.0, 1.0]])
    steps = [first * 0.3 + i for i in range(3)]
    w, rows, columns = first.copy(), np.zeros(3), np.zeros(2)
    for t, g in enumerate(steps, 1):
        share = 1 - t**-0.8
        squares = g * g + 1e-30
        rows = share * rows + (1 - share) * squares.mean(-1)
        columns = share * columns + (1 - share) * squares.mean(-2)
        update = g / np.sqrt((rows / rows.mean())[:, None] * columns[None])
        update = update / max(1.0, np.sqrt(np.mean(update**2)))
        size = max(1e-3, np.sqrt(np.mean(w * w)))
        w = w - size * min(0.1, 1 / np.sqrt(t)) * update
    found = run(kinds.Adafactor(0.1), first, steps)[-1]
    np.testing.assert_allclose(found, w, rtol=1e-4)


def test_averages_take_the_place_of_weights_in_the_end() -> None:
    plain = run(kinds.SGD(0.1))
    *during, final = run(kinds.SGD(0.1, use_ema=True, ema_momentum=0.5))
    np.testing.assert_allclose(during, plain[:-1], rtol=1e-6)
    average = plain[0]
    for w in plain[1:-1]:
        average = 0.5 * average + 0.5 * w
    np.testing.assert_allclose(final, average, rtol=1e-5)
    often = kinds.SGD(0.1, use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=2)
    found = run(often)
    np.testing.assert_allclose(found[1], (plain[0] + plain[1]) / 2, rtol=1e-5)


def test_gradients_are_gathered_over_steps() -> None:
    optimizer = kinds.SGD(0.1, gradient_accumulation_steps=2)
    found = run(optimizer)
    np.testing.assert_allclose(found[0], [2.0, -3.0])
    want = np.array([2.0, -3.0]) - 0.1 * (STEPS[0] + STEPS[1]) / 2
    np.testing.assert_allclose(found[1], want, rtol=1e-6)
    np.testing.assert_allclose(found[2], want, rtol=1e-6)
    assert int(optimizer.iterations) == 1  # updates, as Keras counts them
    with pytest.raises(InvalidArgumentError, match="integer >= 2"):
        kinds.SGD(gradient_accumulation_steps=1)


def test_scaled_losses_halve_where_gradients_are_infinite() -> None:
    optimizer = keras.mixed_precision.LossScaleOptimizer(
        kinds.SGD(1.0), initial_scale=8.0, dynamic_growth_steps=2
    )
    assert float(optimizer.scale_loss(tf.constant(2.0))) == 16.0
    w = tf.Variable(1.0)
    scales = []
    for g in (8.0, np.inf, 4.0, 4.0):
        optimizer.apply_gradients([(tf.constant(np.float32(g)), w)])
        scales.append(float(optimizer.dynamic_scale))
    assert float(w) == 1.0 - 8 / 8 - 4 / 4 - 4 / 4
    assert scales == [8.0, 4.0, 4.0, 8.0]
    again = kinds.deserialize(kinds.serialize(optimizer))
    assert again.initial_scale == 8.0
    assert isinstance(again.inner_optimizer, kinds.SGD)


class Heavy(kinds.Optimizer):  # type: ignore[misc]
    """Descent whose steps grow."""

    def __init__(self, learning_rate: Any = 0.1, **kwargs: Any) -> None:
        super().__init__(learning_rate=learning_rate, name="heavy", **kwargs)

    def build(self, variables: Any) -> None:
        super().build(variables)
        self.sums = self.add_optimizer_variables(variables, "sum")

    def update_step(self, gradient: Any, variable: Any, learning_rate: Any) -> None:
        held = self.sums[self._get_variable_index(variable)]
        steps = tf.cast(self.iterations + 1, variable.dtype)
        self.assign_add(held, gradient * steps)
        self.assign_sub(variable, learning_rate * held)


def test_classes_of_programs_update_by_their_method() -> None:
    w, held = np.array([2.0, -3.0]), np.zeros(2)
    for t, g in enumerate(STEPS, 1):
        held = held + g * t
        w = w - 0.1 * held
    optimizer = Heavy()
    np.testing.assert_allclose(run(optimizer)[-1], w, rtol=1e-5)
    assert len(optimizer.variables) == 3  # the steps, the rate, the sum
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.set_weights([np.full((2, 1), 2.0), np.zeros(1)])
    model.compile(Heavy(clipnorm=0.1), "mse")
    history = model.fit(np.ones((8, 2)), np.ones((8, 1)), epochs=3, verbose=0)
    assert history.history["loss"][2] < history.history["loss"][0]


def test_widths_of_models_are_chosen_once_for_all() -> None:
    keras.backend.set_floatx("float64")
    try:
        model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
        model.compile("sgd", "mse")
        model.fit(np.ones((8, 2)), np.ones((8, 1)), verbose=0)
        assert model.predict(np.ones((2, 2)), verbose=0).dtype == np.float64
        assert keras.mixed_precision.global_policy().name == "float64"
    finally:
        keras.config.set_floatx("float32")


MOVED = {
    False: [[0.9, 1.95], [0.7126, 1.8563], [0.449071, 1.77197], [0.119493, 1.649872]],
    True: [
        [0.81, 1.905],
        [0.543939, 1.77197],
        [0.211895, 1.696072],
        [-0.177127, 1.539983],
    ],
}
"""What TensorFlow 2.21 gives; the third gradient is of one row."""


@pytest.mark.parametrize("nesterov", [False, True])
def test_momentum_has_the_rates_in_it_that_it_came_about_by(nesterov: bool) -> None:
    rate = kinds.schedules.ExponentialDecay(0.1, 4, 0.9)
    optimizer = kinds.SGD(rate, momentum=0.9, nesterov=nesterov)
    w = tf.Variable([1.0, 2.0])
    row = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]), tf.constant([2]))
    for i, expected in enumerate(MOVED[nesterov]):
        g = row if i == 2 else tf.constant([1.0, 0.5])
        optimizer.apply_gradients([(g, w)])
        np.testing.assert_allclose(w.numpy(), expected, atol=2e-6)


def test_rows_without_a_gradient_go_on_by_momentum() -> None:
    """TensorFlow 2.21 gives these numbers; those of Adagrad and plain descent stay."""
    found = {}
    for kind in (kinds.Adam, kinds.RMSprop, kinds.Adagrad, kinds.SGD):
        w, optimizer = tf.Variable([[1.0], [2.0]]), kind(0.1)
        for row in (0, 1, 1):
            at, shape = tf.constant([row]), tf.constant([2, 1])
            g = tf.IndexedSlices(tf.constant([[1.0]]), at, shape)
            optimizer.apply_gradients([(g, w)])
        found[kind.__name__] = w.numpy().ravel().tolist()
    assert found == {
        "Adam": pytest.approx([0.781201, 1.839742], abs=2e-6),
        "RMSprop": pytest.approx([0.683772, 1.454357], abs=2e-6),
        "Adagrad": pytest.approx([0.904654, 1.835647], abs=2e-6),
        "SGD": pytest.approx([0.9, 1.8], abs=2e-6),
    }


def test_a_schedule_shows_as_the_rate_that_holds_now() -> None:
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 10, 0.5)
    optimizer = keras.optimizers.Adam(schedule)
    variable = tf.Variable(1.0)
    for _ in range(3):
        optimizer.apply_gradients([(tf.constant(1.0), variable)])
    assert float(optimizer.learning_rate) == pytest.approx(0.1 * 0.5**0.3)
    assert optimizer.get_config()["learning_rate"]["class_name"] == "ExponentialDecay"


def test_weights_that_are_named_keep_their_size() -> None:
    kernel, bias = (keras.Variable([1.0], name=name) for name in ("kernel", "bias"))
    other = keras.Variable([1.0], name="other")
    optimizer = keras.optimizers.AdamW(0.1, weight_decay=0.5)
    optimizer.exclude_from_weight_decay(var_list=[other], var_names=["bias", "norm"])
    zero = tf.zeros(1)
    optimizer.apply_gradients([(zero, kernel), (zero, bias), (zero, other)])
    assert np.allclose(kernel.numpy(), 0.95)
    assert bias.numpy() == other.numpy() == 1.0
    with pytest.raises(ValueError, match="before the optimizer is built"):
        optimizer.exclude_from_weight_decay(var_names=["kernel"])


def test_what_is_asked_of_an_optimizer_is_in_its_configuration() -> None:
    asked = {
        "weight_decay": 0.1,
        "clipnorm": 2.0,
        "use_ema": True,
        "ema_overwrite_frequency": 3,
        "gradient_accumulation_steps": 4,
    }
    made = keras.optimizers.AdamW(0.5, **asked)
    again = keras.optimizers.AdamW.from_config(made.get_config())
    assert again.get_config() == made.get_config()
    assert asked.items() <= again.get_config().items()


def test_gradients_are_clipped_in_one_way() -> None:
    with pytest.raises(ValueError, match="Only one of `clipnorm`"):
        keras.optimizers.SGD(clipnorm=1.0, clipvalue=1.0)


def test_beta_of_ftrl_is_a_share_of_the_rate() -> None:
    variable = keras.Variable([1.0, 2.0])
    optimizer = keras.optimizers.Ftrl(0.05, l1_regularization_strength=0.01, beta=0.1)
    for _ in range(3):
        optimizer.apply_gradients([(tf.constant([1.0, -2.0]), variable)])
    assert np.allclose(variable.numpy(), [0.53458, 1.71694], atol=1e-5)


TWICE = {
    "SGD": [0.0, 0.25, 0.0, 0.9, 1.0, 1.25, 1.3, 1.55],
    "RMSprop": [0.0, 0.25, -0.16169, 1.14701, 1.0, 1.25, 0.95436, 1.20436],
    "Adagrad": [0.0, 0.25, 0.29488, 0.86984, 1.0, 1.25, 1.33565, 1.58565],
    "Adam": [0.0, 0.25, 0.25747, 0.89552, 1.0, 1.25, 1.3, 1.55],
    "Adamax": [0.0, 0.25, 0.3, 0.87, 1.0, 1.25, 1.3, 1.55],
    "Nadam": [0.0, 0.25, 0.27731, 0.88362, 1.0, 1.25, 1.31636, 1.56636],
    "Ftrl": [0.0, 0.0, 0.21908, 0.64987, 0.0, 0.0, 0.88338, 1.058],
    "Lamb": [0.0, 0.25, 0.15067, 0.9596, 1.0, 1.25, 1.21194, 1.46194],
    "Adafactor": [0.0, 0.25, 0.23802, 0.87539, 1.0, 1.25, 1.32921, 1.47751],
}
"""What TensorFlow 2.21's optimizers make in two steps of a gradient that names a row twice."""


def after_rows_named_twice(optimizer: Any) -> Any:
    w = tf.Variable(np.arange(8, dtype="f").reshape(4, 2) / 4)
    for _ in range(2):
        values = tf.constant([[0.5, -1.0], [2.0, 0.25], [1.0, 1.0]])
        g = tf.IndexedSlices(values, tf.constant([1, 1, 3]), tf.constant([4, 2]))
        optimizer.apply_gradients([(g, w)])
    return w.numpy().ravel()


@pytest.mark.parametrize("name", TWICE)
def test_squares_of_rows_named_twice_are_added(name: str) -> None:
    made = after_rows_named_twice(getattr(kinds, name)(learning_rate=0.1))
    np.testing.assert_allclose(made, TWICE[name], atol=1e-5)


def test_rows_named_twice_are_clipped_before_they_are_added() -> None:
    by_norm = after_rows_named_twice(kinds.SGD(0.1, clipnorm=1.0))
    np.testing.assert_allclose(by_norm[2:4], [0.3151, 0.80547], atol=1e-5)
    by_value = after_rows_named_twice(kinds.SGD(0.1, clipvalue=0.4))
    np.testing.assert_allclose(by_value[2:4], [0.34, 0.78], atol=1e-5)
    scaled = kinds.LossScaleOptimizer(kinds.Adam(0.1))
    made = after_rows_named_twice(scaled)
    np.testing.assert_allclose(made[2:4], [0.26743, 0.88404], atol=1e-5)


def test_optimizers_are_called_and_described_as_keras_3_does() -> None:
    keras.backend.clear_session()
    assert [kinds.RMSprop().name, kinds.SGD().name, kinds.SGD().name] == [
        "rm_sprop",
        "sgd",
        "sgd_1",
    ]
    assert list(kinds.SGD(0.5).get_config()) == [
        *("name", "learning_rate", "weight_decay", "clipnorm", "global_clipnorm"),
        *("clipvalue", "use_ema", "ema_momentum", "ema_overwrite_frequency"),
        *("loss_scale_factor", "gradient_accumulation_steps", "momentum", "nesterov"),
    ]
    given = kinds.Adam(0.1, clipnorm=2.0, use_ema=True, gradient_accumulation_steps=3)
    config = given.get_config()
    assert kinds.Adam.from_config(config).get_config() == config


def _made(optimizer: Any) -> list[str]:
    layer = keras.layers.Dense(2, name="dd")
    layer.build((None, 3))
    optimizer.build(layer.trainable_variables)
    return [x.path for x in optimizer.variables]


def test_variables_of_optimizers_bear_the_names_of_weights() -> None:
    found = _made(kinds.Adam(amsgrad=True, use_ema=True, name="adam"))
    assert found == [
        "adam/iteration",
        "adam/learning_rate",
        *(f"adam/dd_{w}_average" for w in ("kernel", "bias")),
        *(
            f"adam/dd_{w}_{x}"
            for w in ("kernel", "bias")
            for x in ("momentum", "velocity")
        ),
        *(f"adam/dd_{w}_velocity_hat" for w in ("kernel", "bias")),
    ]
    assert _made(kinds.RMSprop(name="r"))[2:] == [
        "r/dd_kernel_velocity",
        "r/dd_bias_velocity",
    ]
    assert _made(kinds.RMSprop(momentum=0.9, centered=True, name="r"))[2::2] == [
        "r/dd_kernel_velocity",
        "r/dd_kernel_momentum",
        "r/dd_kernel_average_gradient",
    ]
    assert _made(kinds.Adadelta(name="a"))[2:4] == [
        "a/dd_kernel_accumulated_grad",
        "a/dd_kernel_accumulated_delta_var",
    ]


def test_optimizers_tell_what_they_were_asked_to_keep() -> None:
    plain = keras.optimizers.Adam()
    assert (plain.use_ema, plain.ema_momentum) == (False, 0.99)
    assert plain.gradient_accumulation_steps is None
    asked = keras.optimizers.SGD(use_ema=True, gradient_accumulation_steps=3)
    assert (asked.use_ema, asked.gradient_accumulation_steps) == (True, 3)


def test_a_model_compiled_by_a_name_tells_its_optimizer_as_it_is() -> None:
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
    model.compile("adam", "mse")
    model.optimizer.learning_rate = 0.5
    told = model.get_compile_config()["optimizer"]
    assert told["class_name"] == "Adam"
    assert told["config"]["learning_rate"] == 0.5
    assert told["config"]["name"] == model.optimizer.name
