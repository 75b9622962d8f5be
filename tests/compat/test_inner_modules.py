"""tensorflow.python: programs import from its modules, by whole names too."""

from __future__ import annotations

import collections.abc
import json
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite.compat.v1 as tf

tf1: Any = tf
V1, V2 = "tensorlite.compat.v1.python", "tensorlite.compat.v2.python"


def _of(module: str, name: str, package: str = V1) -> Any:
    return getattr(import_module(f"{package}.{module}"), name)


@pytest.mark.parametrize(
    ("module", "name", "public"),
    [
        ("framework.ops", "reset_default_graph", tf1.reset_default_graph),
        ("framework.ops", "GraphKeys", tf1.GraphKeys),
        ("framework.dtypes", "float32", tf1.float32),
        ("framework.tensor_shape", "TensorShape", tf1.TensorShape),
        ("framework.errors", "OutOfRangeError", tf1.errors.OutOfRangeError),
        ("ops.array_ops", "concat", tf1.concat),
        ("ops.math_ops", "reduce_sum", tf1.reduce_sum),
        ("ops.nn_ops", "softmax", tf1.nn.softmax),
        ("ops.variable_scope", "get_variable", tf1.get_variable),
        ("ops.rnn_cell_impl", "LSTMStateTuple", tf1.nn.rnn_cell.LSTMStateTuple),
        ("ops.rnn", "dynamic_rnn", tf1.nn.dynamic_rnn),
        ("ops.control_flow_ops", "while_loop", tf1.while_loop),
        ("ops.init_ops", "Zeros", tf1.zeros_initializer),
        ("ops.losses.losses", "add_loss", tf1.losses.add_loss),
        ("platform.gfile", "Exists", tf1.gfile.Exists),
        ("platform.tf_logging", "info", tf1.logging.info),
        ("training.saver", "Saver", tf1.train.Saver),
        ("training.optimizer", "Optimizer", tf1.train.Optimizer),
        (
            "saved_model.tag_constants",
            "SERVING",
            tf1.saved_model.tag_constants.SERVING,
        ),
        ("layers.core", "Dense", tf1.layers.Dense),
        ("keras.layers", "Dense", tf1.keras.layers.Dense),
        ("keras.engine.training", "Model", tf1.keras.Model),
        ("util.compat", "collections_abc", collections.abc),
        ("pywrap_tensorflow", "NewCheckpointReader", tf1.train.NewCheckpointReader),
    ],
)
def test_modules_have_the_public_names(module: str, name: str, public: Any) -> None:
    assert _of(module, name) is public
    assert getattr(import_module(f"{V1}.{module}"), name) is public  # kept
    names = module.split(".")
    holder = tf1.python
    for one in names:
        holder = getattr(holder, one)
    assert getattr(holder, name) is public


def test_version_2_has_its_own() -> None:
    tf2: Any = import_module("tensorlite.compat.v2")
    assert {"framework", "keras", "ops", "training"} <= set(dir(tf2.python))
    assert _of("keras", "Model", V2) is tf2.keras.Model
    assert _of("keras.backend", "epsilon", V2) is tf2.keras.backend.epsilon
    assert _of("ops.math_ops", "reduce_sum", V2) is tf2.reduce_sum


@pytest.mark.parametrize("package", [V1, V2])
@pytest.mark.parametrize(
    ("module", "name", "version", "public"),
    [
        ("ops.array_ops", "where", "v1", "where"),
        ("ops.array_ops", "where_v2", "v1", "where_v2"),
        ("ops.math_ops", "argmax_v2", "v2", "argmax"),
        ("ops.math_ops", "reduce_sum_v1", "v1", "reduce_sum"),
        ("ops.nn_ops", "dropout", "v1", "nn.dropout"),
        ("ops.nn_ops", "dropout_v2", "v2", "nn.dropout"),
        ("ops.nn", "moments", "v1", "nn.moments"),
        ("ops.standard_ops", "expand_dims", "v1", "expand_dims"),
        ("ops.variables", "VariableV1", "v1", "Variable"),
        ("framework.ops", "name_scope", "v1", "name_scope"),
        ("framework.ops", "name_scope_v2", "v2", "name_scope"),
        ("framework.ops", "convert_to_tensor_v2", "v2", "convert_to_tensor"),
        ("framework.tensor_util", "constant_value", "v2", "get_static_value"),
    ],
)
def test_names_are_of_the_version_that_tensorflow_has_there(
    package: str, module: str, name: str, version: str, public: str
) -> None:
    root = import_module(f"tensorlite.compat.{version}")
    assert _of(module, name, package) is attrgetter(public)(root)


def test_modules_have_the_modules_that_they_import() -> None:
    cells = _of("ops.rnn", "rnn_cell_impl")
    assert cells is import_module(f"{V1}.ops.rnn_cell_impl")
    assert _of("training.optimizer", "array_ops").concat is tf1.concat


def test_what_one_version_has_not_is_the_others() -> None:
    reshape = _of("ops.sparse_ops", "sparse_reshape", V2)
    assert reshape is tf1.sparse_reshape, "not the operator's function"
    assert _of("framework.ops", "reset_default_graph", V2) is tf1.reset_default_graph
    tf2: Any = import_module("tensorlite.compat.v2")
    assert _of("ops.math_ops", "reduce_variance") is tf1.math.reduce_variance
    assert _of("eager.def_function", "function", V2) is tf2.function


def test_names_that_are_public_nowhere_are_told_as_such() -> None:
    with pytest.raises(
        AttributeError, match=r"inside, and none of the public .* \., math"
    ):
        _of("ops.array_ops", "no_such_name")
    with pytest.raises(ImportError):
        import_module(f"{V1}.ops.no_such_module")


def test_moving_averages_of_variables() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        v = tf1.Variable(1.0)
        moved = _of("training.moving_averages", "assign_moving_average")(
            v, 3.0, 0.75, zero_debias=False
        )
        session.run(tf1.global_variables_initializer())
        assert session.run(moved) == 1.5


def test_devices_are_listed() -> None:
    found = _of("client.device_lib", "list_local_devices")()
    assert ("/device:CPU:0", "CPU") in [(x.name, x.device_type) for x in found]


def test_files_by_their_older_names(tmp_path: Path) -> None:
    files = import_module(f"{V1}.lib.io.file_io")
    path = str(tmp_path / "a.txt")
    assert not files.file_exists(path)
    files.write_string_to_file(path, "words\n")
    assert files.read_file_to_string(path) == "words\n"
    assert files.read_file_to_string(path, binary_mode=True) == b"words\n"
    assert files.list_directory(str(tmp_path)) == ["a.txt"]


def test_timelines_are_traces_of_chrome() -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        x = tf1.placeholder(tf1.float32, [2, 2])
        y = tf1.matmul(x, x, name="product")
        told = tf1.RunMetadata()
        options = tf1.RunOptions(trace_level=tf1.RunOptions.FULL_TRACE)
        session.run(y, {x: np.eye(2)}, options=options, run_metadata=told)
    timeline = _of("client.timeline", "Timeline")(told.step_stats)
    events = json.loads(timeline.generate_chrome_trace_format())["traceEvents"]
    assert {key: events[0][key] for key in ("ph", "name", "pid")} == {
        "ph": "M",
        "name": "process_name",
        "pid": 0,
    }
    (product,) = [x for x in events if x.get("args", {}).get("name") == "product"]
    assert (product["ph"], product["name"], product["cat"]) == ("X", "MatMul", "Op")
    assert product["dur"] >= 0


def test_arguments_are_told_through_decorators() -> None:
    inspection = import_module(f"{V2}.util.tf_inspect")

    def target(x: Any, y: int = 1) -> Any:
        return x + y

    wrapped = _of("util.tf_decorator", "make_decorator")(
        target, lambda *_, **__: None
    )
    assert tuple(inspection.getargspec(wrapped)) == (["x", "y"], None, None, (1,))
    assert inspection.getcallargs(wrapped, 3) == {"x": 3, "y": 1}
    assert inspection.isfunction(wrapped)
    with pytest.raises(ValueError, match="keyword only"):
        inspection.getargspec(lambda *, y: y)


@pytest.mark.parametrize("package", [V1, V2])
def test_all_names_of_a_module_are_imported_at_once(package: str) -> None:
    """Cells are there in both versions, and no name of Python's is hidden."""
    names: dict[str, Any] = {}
    exec(f"from {package}.ops.rnn_cell import *", names)
    assert names["RNNCell"] is tf1.nn.rnn_cell.RNNCell
    assert names["LSTMStateTuple"] is tf1.nn.rnn_cell.LSTMStateTuple
    exec(f"from {package}.ops.math_ops import *", names)
    assert names["cumsum"](tf1.constant([1, 2])).shape == [2]
    assert not {"abs", "round", "Any", "np"} & names.keys()


def test_sizes_by_the_arguments_of_the_inside() -> None:
    inner = import_module(f"{V1}.ops.array_ops")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf1.placeholder(tf1.float32, [None, 3])
        asked = [
            inner.shape_internal(x, optimize=False, out_type=tf1.int64),
            inner.size_internal(x, "count", False),
            inner.rank_internal(x, optimize=True),
        ]
        assert [value.dtype.name for value in asked] == ["int64", "int32", "int32"]
        shape, size, rank = session.run(asked, {x: np.ones((2, 3))})
    assert (shape.tolist(), size, rank) == ([2, 3], 6, 2)


@pytest.mark.parametrize(
    ("module", "name", "public"),
    [
        ("ops.bincount_ops", "bincount", "math.bincount"),
        ("eager.forwardprop", "ForwardAccumulator", "autodiff.ForwardAccumulator"),
        ("ops.ragged.row_partition", "RowPartition", "experimental.RowPartition"),
        ("framework.extension_type", "ExtensionType", "experimental.ExtensionType"),
        ("saved_model.save_options", "SaveOptions", "saved_model.SaveOptions"),
        ("saved_model.load", "load", "saved_model.load"),
        ("saved_model.save", "save", "saved_model.save"),
        ("trackable.asset", "Asset", "saved_model.Asset"),
        ("util.dispatch", "dispatch_for_api", "experimental.dispatch_for_api"),
        ("ops.image_ops", "ResizeMethod", "image.ResizeMethod"),
        ("ops.nn_ops", "general_dropout", "nn.experimental.general_dropout"),
        ("ops.numpy_ops.np_array_ops", "array", "experimental.numpy.array"),
        (
            "ops.ragged.dynamic_ragged_shape",
            "DynamicRaggedShape",
            "experimental.DynamicRaggedShape",
        ),
        (
            "autograph.lang.directives",
            "set_loop_options",
            "autograph.experimental.set_loop_options",
        ),
    ],
)
def test_modules_that_have_names_of_version_2(
    module: str, name: str, public: str
) -> None:
    wanted = attrgetter(public)(import_module("tensorlite.compat.v2"))
    assert _of(module, name, V2) is wanted
    if module != "ops.bincount_ops":  # version 1 has one of its own
        assert _of(module, name) is wanted


@pytest.mark.parametrize("package", [V1, V2])
def test_segments_of_ragged_tensors_are_counted(package: str) -> None:
    with tf1.Graph().as_default(), tf1.Session() as session:
        rows = tf1.ragged.constant([[3, 1], [4], [1, 5]])
        largest = _of("ops.ragged.ragged_math_ops", "segment_max", package)
        found = session.run(largest(rows, [0, 0, 1], 2))
    assert found.to_list() == [[4, 1], [1, 5]]


def test_constants_are_exported_by_name() -> None:
    exported = _of("util.tf_export", "tf_export")
    assert exported("one.two", v1=[])(len) is len
    assert exported("one.TWO").export_constant("one", "TWO") is None


@pytest.mark.parametrize("package", [V1, V2])
def test_tests_of_tensors_that_run_at_once_have_their_folder(package: str) -> None:
    folder = Path(_of("eager.test", "get_temp_dir", package)())
    assert folder.is_dir()


@pytest.mark.parametrize("package", [V1, V2])
def test_models_are_loaded_into_sessions_by_the_loader(package: str) -> None:
    assert _of("saved_model.loader", "load", package) is tf1.saved_model.load
