"""SavedModels of TensorFlow 1's names: written, and loaded into another session."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
import tensorlite.compat.v1 as tf
from tensorlite.graph_mode.graph import mode


@pytest.fixture(autouse=True)
def _graph_mode() -> Iterator[None]:
    before = mode.eager
    mode.eager = False
    yield
    mode.eager = before


def written(folder: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", initializer=np.array([[1.0], [2.0]], "f"))
        y = tf.matmul(x, w, name="y")
        session.run(tf.global_variables_initializer())
        session.run(w.assign(w * 10.0))
        tf.saved_model.simple_save(session, str(folder), {"x": x}, {"y": y})


def test_a_model_is_loaded_into_a_session(tmp_path: Path) -> None:
    written(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], str(tmp_path / "model"))
        signature = meta.signature_def["serving_default"]
        names = signature.outputs["y"].name, signature.inputs["x"].name
        assert session.run(names[0], {names[1]: [[1, 1]]}) == pytest.approx(30.0)
        assert [v.name for v in tf.global_variables()] == ["w:0"]


def test_a_model_is_loaded_below_a_scope(tmp_path: Path) -> None:
    written(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ["serve"], str(tmp_path / "model"), "old")
        assert session.run("old/y:0", {"old/x:0": [[1, 0]]}) == pytest.approx(10.0)


def test_a_model_is_loaded_by_the_reader_of_all_models(tmp_path: Path) -> None:
    written(tmp_path / "model")
    model = tl.interop.tensorflow.load_saved_model(tmp_path / "model")
    found = model.signatures["serving_default"](x=[[0.0, 1.0]])
    assert found["y"].numpy() == pytest.approx(20.0)


def test_folders_are_named_by_bytes_too(tmp_path: Path) -> None:
    """Programs join the parts of a path by tf.compat.as_bytes."""
    folder = tf.compat.as_bytes(str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.Variable(1.0, name="v").initializer.run()
        builder = tf.saved_model.builder.SavedModelBuilder(folder)
        builder.add_meta_graph_and_variables(session, ["serve"])
        builder.save()
    assert tf.saved_model.contains_saved_model(folder)
    with tf.Graph().as_default(), tf.Session() as session:
        tf.saved_model.load(session, ["serve"], folder)
        assert session.run("v:0") == 1.0


def test_what_is_wrong_is_said(tmp_path: Path) -> None:
    written(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        with pytest.raises(tf.errors.NotFoundError, match="could not be found"):
            tf.saved_model.load(session, ["train"], str(tmp_path / "model"))
        with pytest.raises(AssertionError, match="isn't empty"):
            tf.saved_model.Builder(str(tmp_path / "model"))
        builder = tf.saved_model.Builder(str(tmp_path / "new"))
        with pytest.raises(AssertionError, match="has not been saved"):
            builder.add_meta_graph(["serve"])


def test_files_of_tables_are_kept_in_the_model(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("a\nb\nc\n")
    with tf.Graph().as_default(), tf.Session() as session:
        lookup: Any = tf.contrib.lookup
        table = lookup.index_table_from_file(str(words))
        tf.identity(table.lookup(tf.placeholder(tf.string, [None], "x")), name="y")
        start = tf.tables_initializer()
        kept = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
        builder = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
        builder.add_meta_graph_and_variables(
            session, ["serve"], assets_collection=kept, main_op=start
        )
        builder.save()
    words.unlink()
    for scope in (None, "below"):
        with tf.Graph().as_default(), tf.Session() as session:
            folder = str(tmp_path / "model")
            meta = tf.saved_model.loader.load(session, ["serve"], folder, scope)
            assert [x.filename for x in meta.asset_file_def] == ["words.txt"]
            within = f"{scope}/" if scope else ""
            found = session.run(f"{within}y:0", {f"{within}x:0": ["b", "c", "z"]})
            assert found.tolist() == [1, 2, -1]


def test_files_whose_names_are_not_known_are_refused(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        path = tf.placeholder(tf.string, [])
        builder = tf.saved_model.builder.SavedModelBuilder(str(tmp_path / "model"))
        with pytest.raises(tl.errors.InvalidArgumentError, match="is not known"):
            builder.add_meta_graph_and_variables(session, ["serve"], None, [path])


def test_tensors_of_signatures_are_messages_and_found_again(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.sparse_placeholder(tf.float32, [42, 69], name="x")
        y = tf.sparse_reduce_sum(x)
        info = tf.saved_model.utils.build_tensor_info
        told = info(x)
        assert told.dtype == 1
        assert [one.size for one in told.tensor_shape.dim] == [42, 69]
        assert told.coo_sparse.values_tensor_name == x.values.name
        signature = tf.saved_model.build_signature_def(
            {"x": told}, {"y": info(y)}, "tensorflow/serving/predict"
        )
        assert tf.saved_model.is_valid_signature(signature)
        builder = tf.saved_model.Builder(str(tmp_path / "model"))
        builder.add_meta_graph_and_variables(session, ["serve"], {"sum": signature})
        builder.save()
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.load(session, ["serve"], str(tmp_path / "model"))
        given = meta.signature_def["sum"]
        find = tf.saved_model.utils.get_tensor_from_tensor_info
        fed = tf.SparseTensorValue([[0, 1], [2, 3]], [1.5, 2.0], [42, 69])
        found = session.run(find(given.outputs["y"]), {find(given.inputs["x"]): fed})
        assert found == 3.5


def test_signatures_that_cannot_be_served_are_not_valid(tmp_path: Path) -> None:
    with tf.Graph().as_default(), tf.Session() as session:
        number, text = tf.constant(1.0), tf.constant("a")
        valid = tf.saved_model.is_valid_signature
        classify = tf.saved_model.classification_signature_def
        regress = tf.saved_model.regression_signature_def
        assert valid(classify(text, scores=number))
        assert not valid(classify(number, scores=number))
        assert valid(regress(text, number))
        assert not valid(regress(text, text))
        info: Any = tf.TensorInfo
        nameless = tf.saved_model.build_signature_def({"x": info(dtype=1)})
        builder = tf.saved_model.Builder(str(tmp_path / "model"))
        with pytest.raises(AssertionError, match="must have the name and dtype"):
            builder.add_meta_graph_and_variables(session, ["a"], {"bad": nameless})


def test_tags_that_no_graph_has_are_a_runtime_error(tmp_path: Path) -> None:
    written(tmp_path / "model")
    with (
        tf.Graph().as_default(),
        tf.Session() as session,
        pytest.raises(RuntimeError, match=r"could not be found.*tags are: serve"),
    ):
        tf.saved_model.load(session, ["train"], str(tmp_path / "model"))


def test_variables_in_collections_of_programs_are_found_as_tensors() -> None:
    with tf.Graph().as_default():
        tf.add_to_collection("mine", tf.Variable(3.0, name="v"))
        written_graph = tf.train.export_meta_graph()
    assert list(written_graph.collection_def["mine"].node_list.value) == ["v:0"]
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(written_graph)
        (found,) = tf.get_collection("mine")
        session.run(tf.global_variables_initializer())
        assert found.eval() == 3.0
