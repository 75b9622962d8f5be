"""Policies of placement in traced functions, and what tl.placement says of programs."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.device import DeviceName
from tensorlite.core.errors import CostsWarning, InvalidArgumentError, PlacementError
from tensorlite.core.spec import TensorSpec
from tensorlite.function import policies
from tensorlite.passes import cost_table
from tests import networks

EARLIEST = tl.placement.EarliestFinish
CPUS = [DeviceName(kind="CPU", index=i) for i in range(2)]


@pytest.fixture(autouse=True)
def _two_devices() -> Iterator[None]:
    tl.config.set_logical_devices("CPU", 2)
    yield
    tl.config.set_logical_devices("CPU", 1)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Keep what is measured in a folder of the test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    policies._shared.cache_clear()
    yield tmp_path
    policies._shared.cache_clear()


def towers(x: tl.Tensor) -> tl.Tensor:
    """Two products that need not wait for each other."""
    return (x @ x) @ x + x @ tl.exp(x)


def test_a_policy_spreads_a_function_which_computes_the_same() -> None:
    policy = EARLIEST(tl.placement.Costs())
    x = tl.asarray(np.random.default_rng(0).random((300, 300), np.float32) / 100)
    spread = tl.function(towers, placement=policy)
    np.testing.assert_array_equal(spread(x), tl.function(towers)(x))
    partitions = spread.get_concrete_function(x).partitions
    assert set(partitions) == set(CPUS)
    assert "placements of" in policy.outcome


@pytest.mark.parametrize("unrolled", [True, False])
def test_an_lstm_computes_the_same_wherever_it_is(unrolled: bool) -> None:
    program, specs = networks.lstm(8, 64, layers=3, turns=6, unrolled=unrolled)
    x = tl.asarray(np.random.default_rng(0).random(specs[0].dims, np.float32))  # type: ignore[arg-type]
    costs = tl.placement.Costs()
    costs.rates["CPU"] = costs.rates["CPU"]._replace(flops=1e8)  # so that it pays
    spread = tl.function(program, placement=EARLIEST(costs))
    assert len(spread.get_concrete_function(x).partitions) == 2
    for got, expected in zip(spread(x), tl.function(program)(x), strict=True):
        np.testing.assert_array_equal(got, expected)


def test_a_search_is_told_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    policy = tl.placement.Search(
        math.inf, seed=3, iterations=50, costs=tl.placement.Costs()
    )
    with caplog.at_level(logging.INFO, "tensorlite"):
        tl.function(towers, placement=policy)(tl.ones((100, 100)))
    assert policy.outcome.startswith("towers: ")
    assert policy.outcome in caplog.text
    assert "0 kernels measured" in caplog.text


def test_what_is_frozen_runs_the_same_way(tmp_path: Path) -> None:
    spec = TensorSpec((300, 300))
    searched = tl.function(towers).get_concrete_function(spec)
    policy = tl.placement.Search(math.inf, iterations=100, costs=tl.placement.Costs())
    frozen = tl.placement.freeze(searched, policy)
    assert frozen.about == policy.outcome
    path = frozen.to_file(tmp_path / "towers.json")
    again = tl.function(towers, placement=tl.placement.Frozen.from_file(path))
    concrete = again.get_concrete_function(spec)
    assert set(concrete.partitions) == set(CPUS)
    assert tl.placement.freeze(concrete).devices == frozen.devices
    with pytest.raises(PlacementError, match="frozen for another graph"):
        again(tl.ones((2, 2)))


# What is measured, and kept.


def test_what_is_measured_is_kept_in_the_cache_folder(own_cache: Path) -> None:
    policy = EARLIEST()
    tl.function(towers, placement=policy)(tl.ones((30, 30)))
    path = cost_table.default_path()
    assert path.parent == own_cache / "tensorlite"
    kept = path.read_text("utf-8")
    assert "MatMul" in kept
    measured = tl.placement.measured_costs().measured
    assert measured >= 3
    tl.function(towers, placement=EARLIEST())(tl.ones((30, 30)))
    assert tl.placement.measured_costs().measured == measured
    policies._shared.cache_clear()
    assert tl.placement.measured_costs().kernels["CPU"]
    tl.function(towers, placement=EARLIEST())(tl.ones((30, 30)))
    assert tl.placement.measured_costs().measured == 0


def test_a_folder_that_cannot_be_written_to_is_warned_of(own_cache: Path) -> None:
    (own_cache / "tensorlite").write_text("in the way", "utf-8")
    with pytest.warns(CostsWarning):
        tl.function(towers, placement=EARLIEST())(tl.ones((31, 31)))


def test_measured_costs_of_a_file_are_its_own(tmp_path: Path) -> None:
    mine = tl.placement.measured_costs(tmp_path / "costs.json")
    assert mine is not tl.placement.measured_costs(tmp_path / "costs.json")
    assert mine.kernels == {}
    (tmp_path / "costs.json").write_text("{", "utf-8")
    with pytest.warns(CostsWarning, match="left out"):
        tl.placement.measured_costs(tmp_path / "costs.json")


# Simulation.


def test_a_program_is_simulated_as_it_is_placed() -> None:
    @tl.function
    def program(x: tl.Tensor) -> tl.Tensor:
        with tl.device("/cpu:1"):
            y = x @ x
        return tl.exp(y)

    concrete = program.get_concrete_function(TensorSpec((100, 100)))
    found = tl.placement.simulate(concrete, costs=tl.placement.Costs())
    assert [(one.name, one.device) for one in found.timeline] == [
        ("MatMul", CPUS[1]),
        ("Exp", CPUS[0]),
    ]
    assert [one.name for one in found.transfers] == ["MatMul"]
    assert str(found).count("works") == 2


def test_a_program_is_placed_for_machines_that_are_not_there() -> None:
    table = tl.placement.Machines(["/cpu:0", "/gpu:0"], speed=[1.0, 1.0])
    costs = tl.placement.Costs()
    for size, place in ((8, "CPU"), (2000, "GPU")):
        concrete = tl.function(lambda x: x @ x).get_concrete_function(
            TensorSpec((size, size))
        )
        found = tl.placement.simulate(concrete, table, costs=costs)
        assert found.timeline[-1].device.kind == place


def test_scopes_that_name_other_machines_give_way() -> None:
    @tl.function
    def program(x: tl.Tensor) -> tl.Tensor:
        with tl.device("/cpu:1"):
            return x @ x

    concrete = program.get_concrete_function(TensorSpec((10, 10)))
    table = tl.placement.Machines(["/job:a/task:0/cpu:0"])
    found = tl.placement.simulate(concrete, table, costs=tl.placement.Costs())
    assert found.timeline[0].device == table.names[0]


def test_thousands_of_devices_are_simulated() -> None:
    variable = tl.Variable(tl.ones((100, 10)))

    @tl.function
    def step(x: tl.Tensor) -> None:
        variable.assign_sub(0.1 * tl.matrix_transpose(x) @ (x @ variable))

    concrete = step.get_concrete_function(TensorSpec((32, 100)))
    machines = tl.placement.cluster(workers=3000, ps=8, backup=50)
    found = tl.placement.simulate(concrete, machines, costs=tl.placement.Costs())
    assert len(found.busy) == 3058


@pytest.mark.parametrize(
    ("run", "why"),
    [
        (lambda f: tl.placement.simulate(f, steps=0), "steps=0"),
        (
            lambda f: tl.placement.simulate(
                f, tl.placement.cluster(2), choose=EARLIEST()
            ),
            "leave out choose",
        ),
        (lambda f: EARLIEST(iterations=0), "iterations=0"),
        (lambda f: tl.placement.Search(-1.0), "seconds=-1.0"),
        (lambda f: tl.placement.Search(math.nan), "seconds=nan"),
        (lambda f: tl.placement.Search(seed=-1), "seed=-1"),
        (lambda f: tl.placement.Search(seed=1.5), "seed=1.5"),  # type: ignore[arg-type]
    ],
)
def test_what_makes_no_sense_is_refused(
    run: Callable[[object], object], why: str
) -> None:
    concrete = tl.function(towers).get_concrete_function(TensorSpec((4, 4)))
    with pytest.raises(InvalidArgumentError, match=why):
        run(concrete)


WRONG: dict[str, Callable[[Any, Any], object]] = {
    "a function": lambda of, step: of.explain(tl.function(lambda x: x)),
    "no program": lambda of, step: of.simulate(None),
    "no costs": lambda of, step: of.explain(step, 3),
    "no costs to simulate": lambda of, step: of.simulate(step, costs=3),
    "no machines": lambda of, step: of.simulate(step, ["/cpu:0"]),
    "no policy": lambda of, step: of.freeze(step, "fast"),
    "a class of policies": lambda of, step: tl.function(
        lambda x: x, placement=of.Search
    ),
    "a policy without costs": lambda of, step: of.EarliestFinish(3),
    "no list of devices": lambda of, step: of.Machines("/cpu:0"),
    "no device": lambda of, step: of.Machines([3]),
    "no pairs": lambda of, step: of.Machines(
        ["/cpu:0"], links={"/cpu:0": of.Link(1.0)}
    ),
    "no link": lambda of, step: of.Machines(
        ["/cpu:0", "/cpu:1"], links={("/cpu:0", "/cpu:1"): 3}
    ),
    "no stragglers": lambda of, step: of.cluster(2, 1, stragglers=3),
}


@pytest.mark.parametrize("ask", WRONG.values(), ids=WRONG)
def test_arguments_of_the_wrong_kind_say_what_to_give(
    ask: Callable[[Any, Any], object],
) -> None:
    step = tl.function(lambda x: tl.exp(x) * 2.0).get_concrete_function(tl.ones(2))
    with pytest.raises(tl.errors.DTypeError, match=r"give|allowed"):
        ask(tl.placement, step)


def test_a_link_that_passes_nothing_and_a_choice_of_nothing_are_refused() -> None:
    link = tl.placement.Link(1.0, 0.0)
    with pytest.raises(InvalidArgumentError, match="bandwidth above 0"):
        tl.placement.Machines(["/cpu:0", "/cpu:1"], network=link)
    with pytest.raises(InvalidArgumentError, match="allowed are 0 and more"):
        tl.placement.Search("x")  # type: ignore[arg-type]
    chosen: Any = lambda *_: 3  # noqa: E731
    with pytest.raises(PlacementError, match="a list of one device for each"):
        tl.function(lambda x: tl.exp(x) * 2.0, placement=chosen)(tl.ones(2))
