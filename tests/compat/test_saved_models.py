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
