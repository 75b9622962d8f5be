"""tf.keras.export.ExportArchive: SavedModels whose functions a program names one by one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v2 as tf

keras: Any = tf.keras
ROWS = tf.TensorSpec((None, 3), tf.float32)


@pytest.fixture
def model() -> Any:
    """Sums of three numbers, of which training drops half."""
    ones = keras.layers.Dense(2, kernel_initializer="ones")
    return keras.Sequential([keras.Input((3,)), ones, keras.layers.Dropout(0.5)])


def test_each_endpoint_is_a_function_of_what_is_read(
    model: Any, tmp_path: Path
) -> None:
    archive = keras.export.ExportArchive()
    archive.track(model)
    spec = keras.InputSpec(shape=(None, 3), dtype="float32")
    archive.add_endpoint("infer", lambda x: model.call(x, training=False), [spec])
    archive.add_endpoint("train", lambda x: model.call(x, training=True), [spec])
    archive.add_variable_collection("more", [tf.Variable(3.0)])
    archive.write_out(str(tmp_path), verbose=False)
    found: Any = tf.saved_model.load(str(tmp_path))
    assert found.infer(tf.ones((2, 3))).numpy().tolist() == [[3.0, 3.0]] * 2
    assert set(np.ravel(found.train(tf.ones((50, 3))))) == {0.0, 6.0}
    assert [float(x) for x in found.more] == [3.0]
    assert (len(found.variables), len(found.trainable_variables)) == (3, 2)
    assert set(found.signatures) == {"infer", "train", "serving_default"}
    served = found.signatures["serving_default"](tf.ones((1, 3)))
    np.testing.assert_array_equal(served["output_0"], [[3.0, 3.0]])


def test_a_function_that_was_called_needs_no_signature(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    @tf.function
    def above(x: Any) -> Any:
        return {"above": x + 1.0}

    archive = keras.export.ExportArchive()
    with pytest.raises(ValueError, match="never been called"):
        archive.add_endpoint("serve", above)
    above(tf.constant([1.0]))
    assert archive.add_endpoint("serve", above) is above
    archive.write_out(str(tmp_path))
    assert "* Endpoint 'serve'\n  x (" in capsys.readouterr().out
    found: Any = tf.saved_model.load(str(tmp_path))
    assert found.serve(tf.constant([5.0]))["above"].numpy().tolist() == [6.0]


def test_a_layer_is_tracked_and_served_at_once(model: Any, tmp_path: Path) -> None:
    archive = keras.export.ExportArchive()
    archive.track_and_add_endpoint("serve", model, [ROWS])
    archive.write_out(tmp_path, verbose=False)
    layer = keras.layers.TFSMLayer(str(tmp_path), call_endpoint="serve")
    assert layer(tf.ones((1, 3))).numpy().tolist() == [[3.0, 3.0]]


def test_what_cannot_be_written_is_said_to_be(model: Any, tmp_path: Path) -> None:
    archive = keras.export.ExportArchive()
    with pytest.raises(ValueError, match="No endpoints"):
        archive.write_out(str(tmp_path))
    with pytest.raises(ValueError, match="not yet been built"):
        archive.track(keras.layers.Dense(1))
    with pytest.raises(ValueError, match="Invalid resource type"):
        archive.track(3)
    with pytest.raises(ValueError, match="input_signature"):
        archive.add_endpoint("serve", model.call)
    archive.add_endpoint("serve", model.call, [ROWS])
    with pytest.raises(ValueError, match="already taken"):
        archive.add_endpoint("serve", model.call, [ROWS])
    with pytest.raises(ValueError, match="is no spec"):
        archive.add_endpoint("other", model.call, ["rows"])
    with pytest.raises(ValueError, match="list/tuple/set"):
        archive.add_variable_collection("more", 3)
    with pytest.raises(ValueError, match="Unsupported format"):
        keras.export.ExportArchive(format="other")


def test_layers_of_a_model_train_where_only_its_call_is_told_so(model: Any) -> None:
    rows = tf.ones((50, 3))
    inputs = keras.Input((3,))
    functional = keras.Model(inputs, keras.layers.Dropout(0.5)(inputs))
    assert set(np.ravel(model.call(rows, training=True))) == {0.0, 6.0}
    assert set(np.ravel(functional.call(rows, True))) == {0.0, 2.0}
    assert set(np.ravel(functional.call(rows, training=False))) == {1.0}
    assert set(np.ravel(functional.call(rows))) == {1.0}


def test_what_a_model_adds_is_forgotten_where_only_its_call_is_called() -> None:
    inputs = keras.Input((2,))
    layer = keras.layers.ActivityRegularization(l1=1.0)
    held = keras.Model(inputs, layer(inputs))
    for _ in range(2):
        held.call(tf.ones((1, 2)), training=True)
        assert [float(x) for x in layer.losses] == [2.0]
