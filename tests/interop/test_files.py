"""Graphs that read files by queues and readers are written and read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tensorlite.compat import v1

tf: Any = v1


def _begun(session: Any, queues: list[list[str]]) -> None:
    (names, pairs) = queues
    session.run(names)
    for _ in range(2):
        session.run(pairs)


def test_rows_of_files_by_queues(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("n,x\n1,0.5\n2,\n")
    with tf.Graph().as_default() as graph:
        names = tf.train.string_input_producer([str(path)], shuffle=False)
        reader = tf.TextLineReader(skip_header_lines=1)
        _, line = reader.read(names)
        row = tf.decode_csv(line, [[0], [9.0]])
        batch = [x.name for x in tf.train.batch(row, 2)]
        runners = tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS)
        queues = [[op.name for op in one.enqueue_ops] for one in runners]
        counted = reader.num_records_produced().name
        image = tf.image.decode_jpeg(
            tf.image.encode_jpeg(np.full([4, 4, 3], 100, np.uint8)), name="image"
        )
        proto = graph.as_graph_def()
    ops = {node.op for node in proto.node}
    assert {"TextLineReaderV2", "ReaderReadV2", "DecodeCSV", "DecodeJpeg"} <= ops
    with tf.Graph().as_default() as again:
        tf.import_graph_def(proto, name="")
        assert {node.op for node in again.as_graph_def().node} == ops
        with tf.Session() as session:
            _begun(session, queues)
            numbers, values = session.run(batch)
            assert (numbers.tolist(), values.tolist()) == ([1, 2], [0.5, 9.0])
            assert session.run(counted) == 2
            assert session.run(image.name).tolist() == [[[100] * 3] * 4] * 4
