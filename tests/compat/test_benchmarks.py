"""tf.test.Benchmark: what is measured, and which methods tf.test.main runs."""

import json
import logging
from typing import Any

import pytest

import tensorlite.compat.v1 as tf
from tensorlite.core.errors import InvalidArgumentError, UnimplementedError


class Counting:
    """A session that counts its runs."""

    def __init__(self) -> None:
        self.fetched: list[Any] = []

    def run(self, fetches: Any, feed_dict: Any = None) -> None:
        self.fetched.append((fetches, feed_dict))


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tf.test.Benchmark, "known", [])


def test_runs_are_counted_and_reported(caplog: pytest.LogCaptureFixture) -> None:
    class Products(tf.test.Benchmark):
        def benchmark_small(self) -> dict[str, Any]:
            return self.run_op_benchmark(
                session, "y", {"x": 1}, burn_iters=1, min_iters=4, extras={"size": 2}
            )

    session = Counting()
    with caplog.at_level(logging.INFO, "tensorflow"):
        found = Products().benchmark_small()
    assert session.fetched == [("y", {"x": 1})] * 5
    assert [found[k] for k in ("iters", "extras", "name")] == [4, {"size": 2}, None]
    assert found["throughput"] == 0
    text = caplog.records[-1].getMessage()
    assert text.startswith("Benchmark [Products.benchmark_small] {")
    assert json.loads(text.partition("] ")[2])["iters"] == 4
    assert not Products.is_abstract()
    assert tf.test.Benchmark.is_abstract()
    with pytest.raises(UnimplementedError, match="store_trace"):
        Products().run_op_benchmark(session, "y", store_trace=True)


def test_main_runs_the_benchmarks_asked_for() -> None:
    ran = []

    class Sums(tf.test.Benchmark):
        def __init__(self) -> None:
            ran.append("made")

        def benchmark_rows(self) -> None:
            ran.append("rows")

        def benchmark_columns(self) -> None:
            ran.append("columns")

    tf.test.main(["program", "--benchmarks=Sums.*rows"])
    assert ran == ["made", "rows"]
    tf.test.main(["program", "--benchmarks=all"])
    assert ran[2:] == ["made", "columns", "rows"]
    with pytest.raises(InvalidArgumentError, match="benchmarks=\\("):
        tf.test.main(["program", "--benchmarks=("])


def test_values_are_evaluated_in_the_session_there_is() -> None:
    with tf.Graph().as_default(), tf.Session():
        assert tf.test.Benchmark().evaluate(tf.constant(3) + 4) == 7
