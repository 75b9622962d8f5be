"""tl.config: what it sets, what it refuses, and that refusing leaves all as it was."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tensorlite as tl
from tensorlite.core.device import placement_log, settings
from tensorlite.runtime import devices


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    """Leave the process with one CPU and the settings that it begins with."""
    yield
    tl.config.set_logical_devices("CPU", 1)
    tl.config.set_soft_placement(False)
    tl.config.set_log_device_placement(False)
    tl.config.set_step_timeout(None)


def test_devices_are_listed_as_tensorflow_lists_them() -> None:
    assert repr(tl.config.list_physical_devices("CPU")) == (
        "[PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]"
    )
    made = tl.config.set_logical_devices("CPU", 2)
    assert repr(made) == (
        "[LogicalDevice(name='/device:CPU:0', device_type='CPU'), "
        "LogicalDevice(name='/device:CPU:1', device_type='CPU')]"
    )
    assert tl.config.list_logical_devices("CPU") == made
    assert len(tl.config.list_physical_devices("CPU")) == 1
    gpus = tl.config.list_logical_devices("GPU")
    assert tl.config.list_logical_devices() == [*made, *gpus]
    assert len(tl.config.list_physical_devices("GPU")) == len(gpus)


def test_what_lies_on_a_device_that_is_taken_away_can_still_be_used() -> None:
    tl.config.set_logical_devices("CPU", 2)
    with tl.device("CPU:1"):
        x, v = tl.asarray([1.0, 2.0]), tl.Variable([3.0, 4.0])
    tl.config.set_logical_devices("CPU", 1)
    v.assign_add(x)
    assert (tl.stack([x, v]) * 2.0).numpy().tolist() == [[2, 4], [8, 12]]
    assert str(x.device) == "/device:CPU:1"
    assert str(x.to_device("CPU:0").device) == "/device:CPU:0"
    with (
        pytest.raises(tl.errors.DeviceError, match="set_logical_devices"),
        tl.device("CPU:1"),
    ):
        pass


def test_the_thread_of_a_device_that_is_taken_away_ends_after_its_work() -> None:
    tl.config.set_logical_devices("CPU", 3)
    name = tl.DeviceName.parse("CPU:2")
    ran: list[str] = []
    devices.executor(name).submit(lambda: ran.append(threading.current_thread().name))
    tl.config.set_logical_devices("CPU", 1)
    assert ran == ["tensorlite /device:CPU:2"]
    assert ran[0] not in [thread.name for thread in threading.enumerate()]


def test_placements_are_logged_and_the_log_can_be_handled(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tl.config.set_logical_devices("CPU", 2)

    def half_away(x: tl.Tensor) -> tl.Tensor:
        with tl.device("CPU:1"):
            y = tl.exp(x)
        return tl.sin(y)

    tl.function(half_away)(tl.ones(2))
    assert not caplog.records
    tl.config.set_log_device_placement(True)
    assert tl.config.get_log_device_placement()
    tl.function(half_away)(tl.ones(2))
    assert {
        "Exp (Exp): /device:CPU:1",
        "Sin (Sin): /device:CPU:0",
    } <= set(caplog.messages)
    assert {record.name for record in caplog.records} == {placement_log.name}
    caplog.clear()
    tl.config.set_log_device_placement(False)
    tl.function(half_away)(tl.ones(2))
    assert not caplog.records


def test_that_a_graph_asks_for_no_device_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    tl.config.set_log_device_placement(True)

    @tl.function
    def anywhere(x: tl.Tensor) -> tl.Tensor:
        return tl.sin(x)

    anywhere(tl.ones(2))
    anywhere(tl.ones(2))
    assert caplog.messages == [
        "anywhere asks for no device: its 2 nodes run where its data is"
    ]


def test_counts_may_be_numbers_of_numpy() -> None:
    assert len(tl.config.set_logical_devices("CPU", np.int64(2))) == 2
    tl.config.set_memory_limit("CPU:1", np.int32(10**6))
    assert tl.config.memory_info("CPU:1").limit == 10**6
    tl.config.count_memory(False)


def test_without_a_handler_placements_are_printed_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(placement_log, "propagate", False)
    tl.config.set_log_device_placement(True)
    tl.config.set_log_device_placement(True)
    (handler,) = placement_log.handlers
    assert isinstance(handler, logging.StreamHandler)
    tl.config.set_log_device_placement(False)
    assert not placement_log.handlers


def test_settings_are_kept_and_read_back() -> None:
    assert tl.config.get_step_timeout() is None
    tl.config.set_step_timeout(2)
    assert (tl.config.get_step_timeout(), settings.step_timeout) == (2.0, 2.0)
    tl.config.set_soft_placement(True)
    assert tl.config.get_soft_placement()
    assert settings.soft_placement


WRONG: dict[str, Callable[[Any], object]] = {
    "another kind": lambda tl: tl.config.set_logical_devices("GPU", 2),
    "no device": lambda tl: tl.config.set_logical_devices("CPU", 0),
    "half a device": lambda tl: tl.config.set_logical_devices("CPU", 1.5),
    "a bool of devices": lambda tl: tl.config.set_logical_devices("CPU", True),
    "a list of no kind": lambda tl: tl.config.list_logical_devices("TPU"),
    "machines of no kind": lambda tl: tl.config.list_physical_devices(0),
    "no flag": lambda tl: tl.config.set_soft_placement("yes"),
    "no flag either": lambda tl: tl.config.set_log_device_placement(1),
    "no time": lambda tl: tl.config.set_step_timeout(0),
    "no number": lambda tl: tl.config.set_step_timeout("1"),
    "not a number": lambda tl: tl.config.set_step_timeout(float("nan")),
    "without end": lambda tl: tl.config.set_step_timeout(float("inf")),
    "a bool of seconds": lambda tl: tl.config.set_step_timeout(True),
}


@pytest.mark.parametrize("ask", WRONG.values(), ids=WRONG)
def test_wrong_settings_are_refused_and_change_nothing(
    ask: Callable[[Any], object],
) -> None:
    before = (vars(settings).copy(), devices.logical_devices())
    with pytest.raises(tl.errors.InvalidArgumentError):
        ask(tl)
    assert (vars(settings), devices.logical_devices()) == before
