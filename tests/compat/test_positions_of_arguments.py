"""In which order Keras' classes take arguments by position: TensorFlow 1.15's, and Keras 3's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tensorlite.compat import v1, v2
from tensorlite.compat.v2.keras.src import positions
from tensorlite.graph_mode.graph import mode

LISTED = [
    line.split()
    for line in Path(positions.__file__)
    .with_name("positions.txt")
    .read_text()
    .splitlines()
    if line and not line.startswith("#")
]


@pytest.fixture
def second() -> Iterator[None]:
    """Let programs be TensorFlow 2's."""
    before, mode.eager = mode.eager, True
    yield
    mode.eager = before


class _Any:
    """What can stand for any argument, and is refused by none."""

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__


def _kind(version: str, name: str) -> Any:
    keras: Any = (v1 if version == "1" else v2).keras
    space, kind = name.split(".")
    return getattr(getattr(keras, space), kind)


@pytest.mark.parametrize(
    ("version", "name", "names"), [(x[0], x[1], x[2:]) for x in LISTED]
)
def test_arguments_get_the_names_of_their_places(
    version: str, name: str, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mode, "eager", version == "3")
    kind = _kind(version, name)
    seen: dict[str, Any] = {}
    wrapper: Any = kind.__init__
    inner = wrapper.__wrapped__

    def noted(self: Any, *args: Any, **kwargs: Any) -> None:
        seen.update(kwargs)
        assert not args

    cells = dict(zip(wrapper.__code__.co_freevars, wrapper.__closure__, strict=True))
    monkeypatch.setattr(cells["make"], "cell_contents", noted)
    given = [_Any() for _ in names]
    kind(*given)
    assert wrapper.__wrapped__ is inner
    assert seen == dict(zip(names, given, strict=True))


def test_version_1_has_no_groups_before_the_activation() -> None:
    keras: Any = v1.keras
    layers = keras.layers
    layer = layers.Conv2D(4, 3, 1, "same", None, 1, "relu", False)
    assert layer.activation is keras.activations.relu
    assert not layer.use_bias
    assert layer.get_config()["padding"] == "same"

    class Own(layers.Conv2D):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__(4, 3, 1, "same", None, 1, "relu", False)

    assert Own().activation is keras.activations.relu


@pytest.mark.usefixtures("second")
def test_keras_3_has_its_own_order() -> None:
    keras: Any = v2.keras
    layer = keras.layers.LSTM(4, "relu", "tanh", False, "ones")
    assert type(layer.cell.kernel_initializer) is keras.initializers.Ones
    assert not layer.cell.unit_forget_bias or not layer.cell.use_bias
    assert keras.optimizers.SGD(0.1, 0.5, True, 0.25).weight_decay == 0.25
    assert keras.Input((3,), 2, "float64").dtype == "float64"
    assert keras.layers.MaxPooling2D(2, 1, "same", None, "pooled").name == "pooled"
    assert keras.losses.Loss("mine", "sum").name == "mine"
    again = type(layer).from_config(layer.get_config())
    assert again.get_config() == layer.get_config()


@pytest.mark.usefixtures("second")
def test_too_many_arguments_and_such_given_twice_are_refused() -> None:
    keras: Any = v2.keras
    layers = keras.layers
    with pytest.raises(TypeError, match="at most 5 arguments"):
        layers.MaxPooling2D(2, 1, "same", None, "pooled", 3)
    with pytest.raises(TypeError, match="multiple values for the argument 'strides'"):
        layers.MaxPooling2D(2, 1, strides=2)
