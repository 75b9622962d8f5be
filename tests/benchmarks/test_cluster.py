"""The benchmark of clusters runs, and counts what it does. How fast is for `make bench-cluster`."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

import tensorlite as tl
from tests.benchmarks import cluster, cluster_figure, cluster_model, cluster_ours
from tests.benchmarks.cluster_steps import MEGABYTES_5, PS, SCALAR, Case

MEASURED: cluster_model.Curves = {
    ("ours", SCALAR, "sync"): {1: 2500.0, 2: 1800.0},
    ("ours", MEGABYTES_5, "sync"): {1: 300.0, 2: 150.0},
    ("TensorFlow", SCALAR, "sync"): {1: 400.0},
    ("TensorFlow", SCALAR, "async"): {1: 0.0},
}


@pytest.mark.parametrize("mode", ["sync", "async"])
@pytest.mark.parametrize("floats", [SCALAR, 1000])
def test_parameters_count_the_updates(floats: int, mode: str) -> None:
    case = Case(floats, workers=2, mode=mode)
    spec = {"ps": PS, "worker": case.workers}
    with tl.distribute.connect(spec, engine="inprocess"):
        program = cluster_ours.program(case)
        for _ in range(3):
            for step in program.steps:
                step()
        assert program.value() == 3 * len(program.steps)
        assert len(program.steps) == (1 if mode == "sync" else 2)


def test_a_case_is_measured_and_its_updates_told() -> None:
    with tl.distribute.connect({"ps": PS, "worker": 1}, engine="inprocess"):
        found = cluster_ours.program(Case()).measure(0.0)
    assert found.rate > 0
    assert found.steps == found.updates == 3


def test_costs_are_those_that_make_what_was_measured() -> None:
    costs = cluster_model.calibrated(MEASURED)
    assert set(costs) == {"ours"}
    for floats, rate in ((SCALAR, 2500), (MEGABYTES_5, 300)):
        assert cluster_model.rate(floats, "sync", 1, costs["ours"]) == pytest.approx(
            rate, rel=0.01
        )


def test_rows_say_whether_a_target_is_met() -> None:
    assert cluster.row("a", 700.0, 100.0, 6.0).endswith("6x  met")
    assert cluster.row("a", 500.0, 100.0, 6.0).endswith("6x  NOT MET")
    assert "met" not in cluster.row("a", 500.0, 0.0, 6.0).lower()


def test_the_figure_has_what_was_measured_and_what_is_foretold(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(cluster_model, "MANY", (1, 4))
    costs = cluster_model.calibrated(MEASURED)
    picture = ET.fromstring(cluster_figure.svg(MEASURED, costs))  # noqa: S314
    text = {each.text for each in picture.iter() if each.text}
    assert {"ours, sync", "TensorFlow, sync", "dense 1 GB"} <= text
    assert "TensorFlow, async" not in text
