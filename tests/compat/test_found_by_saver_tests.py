"""What TensorFlow 1.15's tests of savers, meta graphs and their surroundings found."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tensorlite.compat import v1
from tensorlite.graph_mode.graph import mode

tf: Any = v1
INSIDE = "tensorlite.compat.v1.python"


@pytest.fixture(autouse=True)
def graph_mode() -> Iterator[None]:
    before, mode.eager = mode.eager, False
    with tf.Graph().as_default():
        yield
    mode.eager = before


def test_devices_are_given_by_specs() -> None:
    spec = tf.DeviceSpec(job="worker", task=0, device_type="CPU", device_index=3)
    with tf.device(spec):
        assert tf.constant(1).device == "/job:worker/task:0/device:CPU:3"
    with tf.get_default_graph().device(tf.DeviceSpec()):
        assert tf.constant(1).device == ""


def test_blocks_beside_nothing_forget_those_around() -> None:
    a = tf.constant(1.0, name="a")
    with tf.colocate_with(a):
        assert (a + 1.0).op.colocation_groups() == [b"loc:@a"]
        with tf.colocate_with(None, ignore_existing=True):
            b = tf.identity(a, name="b")
        with (
            pytest.raises(ValueError, match="ignore_existing"),
            tf.colocate_with(None),
        ):
            pass
    assert b.op.colocation_groups() == [b"loc:@b"]


def test_savers_that_keep_all_list_only_the_newest(tmp_path: Path) -> None:
    v = tf.Variable(1.0)
    saver = tf.train.Saver(max_to_keep=0)
    with tf.Session() as session:
        session.run(v.initializer)
        paths = [saver.save(session, str(tmp_path / f"s{i}")) for i in range(2)]
    assert saver.last_checkpoints == []
    state = tf.train.get_checkpoint_state(str(tmp_path))
    assert list(state.all_model_checkpoint_paths) == paths[1:]
    assert all(tf.train.checkpoint_exists(path) for path in paths)


def test_empty_savers_write_the_graph_alone(tmp_path: Path) -> None:
    tf.constant(1.0, name="one")
    saver = tf.train.Saver(allow_empty=True)
    path = str(tmp_path / "model")
    with tf.Session() as session:
        assert saver.save(session, path) is None
        saver.restore(session, path)
    assert [x.name for x in tmp_path.iterdir()] == ["model.meta"]
    with tf.Graph().as_default() as graph:
        tf.Variable(1.0, name="other")
        assert tf.train.import_meta_graph(f"{path}.meta", import_scope="in") is None
        assert graph.get_operation_by_name("in/one").type == "Const"


def test_savers_are_built_before_they_save(tmp_path: Path) -> None:
    tf.Variable(1.0)
    saver = tf.train.Saver(defer_build=True)
    with tf.Session() as session, pytest.raises(RuntimeError, match="defer_build"):
        saver.save(session, str(tmp_path / "model"))


def test_files_are_no_folders_to_save_in(tmp_path: Path) -> None:
    v = tf.Variable(1.0)
    saver = tf.train.Saver()
    (tmp_path / "file").write_text("")
    with tf.Session() as session:
        session.run(v.initializer)
        with pytest.raises(ValueError, match="Parent directory"):
            saver.save(session, str(tmp_path / "file" / "model"))


def test_savers_in_collections_are_read_with_their_graph() -> None:
    v = tf.Variable(3.0, name="v")
    for _ in range(2):
        tf.add_to_collection(tf.GraphKeys.SAVERS, tf.train.Saver([v]))
    meta = tf.train.export_meta_graph()
    with tf.Graph().as_default(), tf.name_scope("outer"):
        tf.train.import_meta_graph(meta)
        savers = tf.get_collection(tf.GraphKeys.SAVERS)
        names = [x.saver_def.restore_op_name for x in savers]
        assert names == ["outer/save/restore_all", "outer/save_1/restore_all"]
        assert [x.name for x in tf.global_variables()] == ["outer/v:0"]


def test_extraneous_savers_are_left_out_with_their_nodes() -> None:
    v = tf.Variable(3.0, name="v")
    savers = [tf.train.Saver([v]) for _ in range(2)]
    for saver in savers:
        tf.add_to_collection(tf.GraphKeys.SAVERS, saver)
    whole = savers[0].export_meta_graph()
    made = savers[0].export_meta_graph(clear_extraneous_savers=True)
    left = {x.name for x in whole.graph_def.node} - {
        x.name for x in made.graph_def.node
    }
    assert left
    assert all(x.startswith("save_1/") for x in left)
    assert len(made.collection_def[tf.GraphKeys.SAVERS].bytes_list.value) == 1


def test_files_that_are_no_meta_graphs_are_refused(tmp_path: Path) -> None:
    (tmp_path / "bad").write_text("name {")
    with pytest.raises(OSError, match="Cannot parse file"):
        tf.train.import_meta_graph(str(tmp_path / "bad"))
    with pytest.raises(OSError, match="does not exist"):
        tf.train.import_meta_graph(str(tmp_path / "none"))


def test_gradients_by_variables_that_are_found_by_name() -> None:
    v = tf.Variable([2.0], name="v")
    loss = v * v
    found = tf.get_default_graph().get_tensor_by_name("v:0")
    (grad,) = tf.gradients(loss, [found])
    with tf.Session() as session:
        session.run(v.initializer)
        np.testing.assert_array_equal(session.run(grad), [4.0])


def test_variables_that_begin_with_checkpoints_say_so(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.Variable([5.0, 6.0], name="v")
        session.run(v.initializer)
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    w = tf.get_variable("w", [2], initializer=tf.zeros_initializer())
    before = w.initialized_value()
    tf.train.init_from_checkpoint(path, {"v": w})
    after = w.initialized_value()
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(before), [0.0, 0.0])
        np.testing.assert_array_equal(session.run(after), [5.0, 6.0])


def test_variables_are_chosen_by_patterns_of_whole_names(tmp_path: Path) -> None:
    names = ("v1", "v1/Momentum", "v2", "v2/Momentum")
    with tf.Graph().as_default(), tf.Session() as session:
        ones = [tf.get_variable(x, initializer=1.0) for x in names]
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver(ones).save(session, str(tmp_path / "model"))
    zeros = [tf.get_variable(x, initializer=0.0) for x in names]
    tf.train.warm_start(path, vars_to_warm_start=["v1", "v2[^/]"])
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(zeros) == [1.0, 1.0, 1.0, 0.0]


def test_slots_are_made_as_optimizers_make_them() -> None:
    slots = import_module(f"{INSIDE}.training.slot_creator")
    with tf.variable_scope("scope"):
        v = tf.Variable([1.0, 2.5], name="var")
    first = slots.create_slot(v, v.initialized_value(), name="slot")
    zeros = slots.create_zeros_slot(v, name="zeros", dtype=tf.float64)
    assert (first.op.name, v._shared_name) == ("scope/var/slot", "scope/var")
    assert zeros.dtype.base_dtype == tf.float64
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(session.run(first), [1.0, 2.5])
        np.testing.assert_array_equal(session.run(zeros), [0.0, 0.0])


def test_steps_are_read_before_they_are_counted() -> None:
    inside = import_module(f"{INSIDE}.training.training_util")
    assert inside._get_or_create_global_step_read() is None
    with pytest.raises(ValueError, match="should be created"):
        inside._increment_global_step(1)
    tf.train.create_global_step()
    read = inside._get_or_create_global_step_read()
    assert inside._get_or_create_global_step_read() is read
    counted = inside._increment_global_step(1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert [int(session.run([read, counted])[0]) for _ in range(3)] == [0, 1, 2]


def test_graphs_that_are_finalized_say_so() -> None:
    tf.get_default_graph().finalize()
    with pytest.raises(RuntimeError, match="is finalized and cannot be modified"):
        tf.constant(1)


def test_rates_in_pieces_are_of_one_dtype() -> None:
    with pytest.raises(ValueError, match="same dtype"):
        tf.train.piecewise_constant(tf.constant(1.0), [1.0, 2.0], [1, 2.0, 3.0])


def test_turns_of_rates_may_be_of_a_length_that_is_fed() -> None:
    longer = tf.placeholder(tf.float32, [])
    step = tf.placeholder(tf.int64, [])
    rate = tf.train.cosine_decay_restarts(1.0, step, 10, t_mul=longer, m_mul=0.5)
    with tf.Session() as session:
        # The second turn begins at 10, and is half done behind 5 or 10 more.
        for factor, half in ((1.0, 15), (2.0, 20)):
            for at, wanted in ((5, 0.5), (10, 0.5), (half, 0.25)):
                got = session.run(rate, {longer: factor, step: at})
                np.testing.assert_allclose(got, wanted, atol=1e-6)


def test_gradients_of_a_graph_wait_for_each_other() -> None:
    v, w = tf.Variable(1.0), tf.Variable(2.0)
    pairs = tf.train.GradientDescentOptimizer(0.1).compute_gradients(
        v * w, gate_gradients=tf.train.Optimizer.GATE_GRAPH
    )
    gates = [[x.type for x in grad.op.control_inputs] for grad, _ in pairs]
    assert gates == [["NoOp"], ["NoOp"]]


def test_hooks_of_replicas_want_gradients_applied() -> None:
    inner = tf.train.GradientDescentOptimizer(0.1)
    synced = tf.train.SyncReplicasOptimizer(inner, 1, 1)
    with pytest.raises(ValueError, match="apply_gradient should be called"):
        synced.make_session_run_hook(True).begin()


def test_paths_of_a_saver_may_be_relative_to_the_list(tmp_path: Path) -> None:
    v = tf.Variable(2.0, name="v")
    first, moved = tmp_path / "first", tmp_path / "moved"
    with tf.Session() as session:
        session.run(v.initializer)
        tf.train.Saver(save_relative_paths=True).save(session, str(first / "c"))
    assert 'model_checkpoint_path: "c"' in (first / "checkpoint").read_text()
    first.rename(moved)
    assert tf.train.latest_checkpoint(str(moved)) == str(moved / "c")


def test_what_does_not_fit_a_variable_is_an_invalid_argument(tmp_path: Path) -> None:
    v = tf.Variable([1.0, 2.0], name="v")
    path = str(tmp_path / "c")
    with tf.Session() as session:
        session.run(v.initializer)
        tf.train.Saver().save(session, path)
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.Saver([tf.Variable([1, 2], name="v")])
        with pytest.raises(
            tf.errors.InvalidArgumentError, match="asked for as int32"
        ):
            saver.restore(session, path)


def test_collections_of_values_are_written_and_others_left_out() -> None:
    message: Any = import_module("google.protobuf.any_pb2")
    any_message = message.Any(type_url="type.example/x", value=b"x")
    tf.constant(1, name="c")
    written: dict[str, list[Any]] = {
        "texts": ["text", b"bytes"],
        "numbers": [3, True],
        "any": [any_message],
        "mixed": ["a", 1],
        "objects": [object()],
    }
    for key, values in written.items():
        for value in values:
            tf.add_to_collection(key, value)
    exported = tf.train.export_meta_graph()
    kinds = {k: x.WhichOneof("kind") for k, x in exported.collection_def.items()}
    assert kinds == {
        "texts": "bytes_list",
        "numbers": "int64_list",
        "any": "any_list",
    }
    with tf.Graph().as_default():
        tf.train.import_meta_graph(exported)
        assert tf.get_collection("texts") == [b"text", b"bytes"]
        assert tf.get_collection("numbers") == [3, 1]
        assert tf.get_collection("any") == [any_message]


def test_savers_of_a_graph_that_was_read_keep_as_many_as_before(
    tmp_path: Path,
) -> None:
    v = tf.Variable(1.0, name="v")
    told = tf.train.Saver(max_to_keep=2).as_saver_def()
    again = tf.train.Saver(saver_def=told)
    with tf.Session() as session:
        session.run(v.initializer)
        paths = [again.save(session, str(tmp_path / f"s{i}")) for i in range(3)]
    assert again.last_checkpoints == paths[1:]
    assert not tf.train.checkpoint_exists(paths[0])


def test_variables_have_one_name_each_in_checkpoints() -> None:
    v = tf.Variable([1.0], name="v")
    part = tf.Variable([1.0], name="part")
    part._set_save_slice_info(tf.Variable.SaveSliceInfo("v", [1], [0], [1]))
    with pytest.raises(ValueError, match="same name: v"):
        tf.train.Saver([v, part])
    with pytest.raises(ValueError, match="restored with two names: v and v_too"):
        tf.train.Saver({"v": v, "v_too": v})


def test_programs_save_objects_of_their_own(tmp_path: Path) -> None:
    inner = import_module(f"{INSIDE}.training.saver")
    builder = inner.BaseSaverBuilder
    v = tf.Variable(3.0, name="v")

    class Doubled(builder.SaveableObject):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__(v, [builder.SaveSpec(v * 2.0, "", "doubled")], "doubled")

        def restore(self, restored_tensors: Any, restored_shapes: Any) -> Any:
            return v.assign(restored_tensors[0] / 2.0)

    path = str(tmp_path / "c")
    saver = tf.train.Saver([Doubled()])
    with tf.Session() as session:
        session.run(v.initializer)
        saver.save(session, path)
        session.run(v.assign(7.0))
        saver.restore(session, path)
        assert session.run(v) == 3.0
    assert tf.train.load_variable(path, "doubled") == 6.0


def test_checkpoints_are_removed_and_listed(tmp_path: Path) -> None:
    v = tf.Variable(1.0, name="v")
    with tf.Session() as session:
        session.run(v.initializer)
        path = tf.train.Saver().save(session, str(tmp_path / "c"), global_step=3)
    inner = import_module(f"{INSIDE}.training.checkpoint_management")
    assert Path(inner.meta_graph_filename(path)).exists()
    assert inner.meta_graph_filename("c-?????-of-00002") == "c.meta"
    tf.train.remove_checkpoint(path)
    assert [x.name for x in tmp_path.iterdir()] == ["checkpoint"]
    state = tf.train.generate_checkpoint_state_proto(str(tmp_path), path, ["other"])
    assert list(state.all_model_checkpoint_paths) == ["other", path]


def test_variables_take_over_what_a_checkpoint_of_objects_has(tmp_path: Path) -> None:
    def made(value: float) -> Any:
        first = tf.constant_initializer(value)
        return tf.get_variable("w", [2], initializer=first, use_resource=True)

    with tf.Graph().as_default(), tf.Session() as session:
        w = made(3.0)
        session.run(w.initializer)
        path = tf.train.Checkpoint(inner=w).save(str(tmp_path / "c"), session=session)
    with tf.Graph().as_default(), tf.Session() as session:
        w = made(0.0)
        tf.train.Saver().restore(session, path)
        assert session.run(w).tolist() == [3.0, 3.0]
    with tf.Graph().as_default(), tf.Session() as session:
        w = made(0.0)
        tf.train.warm_start(path)
        session.run(tf.global_variables_initializer())
        assert session.run(w).tolist() == [3.0, 3.0]
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(0.0, name="other")
        with pytest.raises(tf.errors.NotFoundError, match="other"):
            tf.train.Saver().restore(session, path)


def test_savers_tell_the_variables_that_they_found() -> None:
    with tf.Graph().as_default():
        first, second = tf.Variable(1.0, name="a"), tf.get_variable("b", [2])
        assert tf.train.Saver()._var_list == [first, second]
        assert tf.train.Saver([second])._var_list == [second]
        deferred = tf.train.Saver(defer_build=True)
        assert deferred._var_list is None
        third = tf.Variable(1.0, name="c")
        deferred.build()
        assert deferred._var_list == [first, second, third]


def test_a_state_file_that_names_no_checkpoint_is_wrong(tmp_path: Path) -> None:
    assert tf.train.get_checkpoint_state(str(tmp_path)) is None
    (tmp_path / "checkpoint").write_text("")
    with pytest.raises(ValueError, match="Invalid checkpoint state loaded from"):
        tf.train.get_checkpoint_state(str(tmp_path))
