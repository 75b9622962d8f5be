"""set_image_data_format: where layers of version 1 have channels if nothing else is said."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

keras: Any = tf.keras
layers = keras.layers
FIRST = "channels_first"
MADE = {
    **{f"{kind}(2, 3)": FIRST for kind in ("Conv2D", "Conv3D", "Conv2DTranspose")},
    **{f"{kind}(2, 3)": FIRST for kind in ("SeparableConv2D", "ConvLSTM2D")},
    **{f"{kind}()": FIRST for kind in ("MaxPooling2D", "GlobalAveragePooling2D")},
    **{f"{kind}()": FIRST for kind in ("UpSampling2D", "ZeroPadding3D", "Flatten")},
    **{f"{kind}()": "channels_last" for kind in ("MaxPooling1D", "AveragePooling1D")},
    **{f"Global{kind}Pooling1D()": "channels_last" for kind in ("Max", "Average")},
    "Conv1D(2, 3)": "channels_last",
    "SpatialDropout2D(0.5)": FIRST,
}
"""As TensorFlow 1.15 has them."""


@pytest.fixture
def first() -> Iterator[None]:
    """Let images have their channels first."""
    keras.backend.set_image_data_format(FIRST)
    yield
    keras.backend.set_image_data_format("channels_last")


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize("source", [*MADE])
def test_layers_have_channels_where_the_backend_says(source: str) -> None:
    made = eval(f"layers.{source}", {"layers": layers})  # noqa: S307  of the table
    assert made.data_format == MADE[source]


@pytest.mark.usefixtures("first")
def test_models_compute_with_channels_first() -> None:
    assert keras.backend.image_data_format() == FIRST
    convolved = layers.Conv2D(2, 2, kernel_initializer="ones", input_shape=(3, 4, 4))
    model = keras.Sequential([convolved, layers.GlobalAveragePooling2D()])
    assert convolved.get_weights()[0].shape == (2, 2, 3, 2)
    made = model.predict(np.ones((1, 3, 4, 4)))
    np.testing.assert_allclose(made, np.full((1, 2), 12.0))


def test_other_words_are_refused() -> None:
    with pytest.raises(ValueError, match="channels_last"):
        keras.backend.set_image_data_format("channels_middle")
    assert keras.backend.image_data_format() == "channels_last"
