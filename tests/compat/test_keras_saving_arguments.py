"""What Model.save is asked for: functions of SavedModels, HDF5 files without an optimizer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v2 as tf


@pytest.fixture
def model() -> Any:
    made = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    made.compile("adam", "mse")
    made.fit(tf.ones([4, 3]), tf.ones([4, 2]), verbose=0)
    return made


def test_signatures_are_functions_of_saved_models(model: Any, tmp_path: Path) -> None:
    def doubling(input: Any) -> Any:
        return {"output": 2.0 * model(input)}

    specs = [tf.TensorSpec([None, 3], tf.float32)]
    doubled = tf.function(doubling, input_signature=specs)
    model.save(f"{tmp_path}/one", save_format="tf", signatures={"double": doubled})
    signatures = tf.saved_model.load(f"{tmp_path}/one").signatures
    assert list(signatures) == ["double"]
    found = signatures["double"](input=tf.ones([1, 3]))["output"]
    np.testing.assert_allclose(found, 2.0 * model(tf.ones([1, 3])), rtol=1e-6)
    again = tf.keras.models.load_model(f"{tmp_path}/one")
    np.testing.assert_allclose(
        again.predict(tf.ones([1, 3])), model.predict(tf.ones([1, 3])), rtol=1e-6
    )


def test_files_without_an_optimizer(model: Any, tmp_path: Path) -> None:
    model.save(f"{tmp_path}/with.h5")
    model.save(f"{tmp_path}/without.h5", include_optimizer=False)
    assert tf.keras.models.load_model(f"{tmp_path}/with.h5").optimizer is not None
    assert tf.keras.models.load_model(f"{tmp_path}/without.h5").optimizer is None


def test_arguments_that_save_does_not_have(model: Any, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="overwrit"):
        model.save(f"{tmp_path}/one.keras", overwrit=True)
