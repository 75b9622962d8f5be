"""Tracing: how what all tasks of a cluster do comes into one recording, on one clock.

A task takes notes with a recorder of its own, and hands them over as numbers and JSON when the
client ends the recording. The clocks are compared by round trips, as in NTP, at the beginning and
at the end. What is noted, and how it is shown, is runtime/timeline.py's and its neighbours'.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from tensorlite.core.device import DeviceName
from tensorlite.core.errors import FailedPreconditionError, UnavailableError
from tensorlite.core.provenance import Line
from tensorlite.core.xp import CPU, Array
from tensorlite.distributed import packing
from tensorlite.runtime import timeline
from tensorlite.runtime.timeline import (
    Ending,
    Level,
    Recorder,
    Span,
    Transfer,
    Work,
    clock,
)

if TYPE_CHECKING:
    from tensorlite.distributed.master import Master

PROCESS = secrets.token_hex(8)
"""What tells this process from others: what runs in one process is noted by one recorder."""
ROUNDS = 8
BEGIN, ANSWER, END = 10.0, 2.0, 60.0
"""Seconds in which a task begins to take notes, says what time it is, and has handed them over."""

T = TypeVar("T")


class Recording:
    """A task's side: the notes that it takes for one client."""

    def __init__(self, task: str) -> None:
        self._task = task
        self._recorder: Recorder | None = None
        self._client = ""

    def begin(self, client: str, asked: Mapping[str, Any]) -> bool:
        """Begin to take notes; return whether there is need: another may see what runs here.

        FailedPreconditionError when notes are taken for another client.
        """
        if asked["process"] == PROCESS:
            return False
        if self._client:
            raise FailedPreconditionError(
                f"{self._task} is recorded for {self._client} already: one client at a time can "
                "have a trace"
            )
        recorder = Recorder(asked["limit"], asked["synchronize"])
        timeline.begin(recorder)
        self._recorder, self._client = recorder, client
        return True

    def end(self, client: str) -> Array:
        """Take no more notes, and return those that there are."""
        recorder = self._recorder
        if recorder is None or client != self._client:
            raise FailedPreconditionError(
                f"{self._task} takes no notes for {client}: it has been started anew since they "
                "were asked for"
            )
        self.drop(client)
        return packed(recorder, self._task)

    def drop(self, client: str) -> None:
        """Take no more notes for a client."""
        if self._recorder is not None and client == self._client:
            timeline.end(self._recorder)
            self._recorder, self._client = None, ""


class _Numbers(dict[T, int]):
    """Gives numbers to things, from 0 on."""

    def __missing__(self, thing: T) -> int:
        number = self[thing] = len(self)
        return number


def packed(recorder: Recorder, task: str) -> Array:
    """Return what was noted, as bytes; devices get the full names that the task's have."""
    own = DeviceName.parse(task)
    works, threads = _Numbers[Work](), _Numbers[int]()
    names, errors = _Numbers[str](), _Numbers[str]()
    devices, keys = _Numbers[DeviceName](), _Numbers[tuple[str, tuple[int, ...]]]()
    tables = [
        [
            (works[work], threads[thread], start, end, size, errors[error])
            for work, thread, start, end, size, error in recorder.notes
        ],
        [(names[x.name], threads[x.thread], x.start, x.end) for x in recorder.spans],
        [
            (names[x.name], devices[x.source], devices[x.target], *x[3:])
            for x in recorder.transfers
        ],
        [
            (x.step, keys[x.name, x.tag], int(x.is_sent), x.nbytes, x.time)
            for x in recorder.endings
        ],
        [(devices[x.device], x.time, x.live) for x in recorder.levels],
    ]
    head = {
        "works": [[*x[:3], *x.line, devices[x.device]] for x in works],
        "threads": [recorder.threads.get(x, str(x)) for x in threads],
        "names": list(names),
        "errors": list(errors),
        "devices": [str(x if x.job is not None else own.merge(x)) for x in devices],
        "keys": [[name, *tag] for name, tag in keys],
        "dropped": recorder.dropped,
    }
    arrays = [np.asarray(table, np.int64) for table in tables]
    return packing.pack([packing.pack_json(head), *arrays])


def unpack_into(
    recorder: Recorder, data: Array, task: str, common: Callable[[int], int]
) -> None:
    """Add what a task noted to a recorder, its times turned by `common` into those here."""
    content: list[Any] = packing.unpack(data)
    head, (notes, spans, transfers, endings, levels) = (
        packing.unpack_json(content[0]),
        [table.tolist() for table in content[1:]],
    )
    names, errors = head["names"], head["errors"]
    devices = [DeviceName.parse(text) for text in head["devices"]]
    works = [
        Work(kind, name, op, Line(file, number, function), devices[device])
        for kind, name, op, file, number, function, device in head["works"]
    ]
    threads = _new_threads(recorder, task, head["threads"])
    recorder.notes += [
        (works[w], threads[t], common(start), common(end), size, errors[error])
        for w, t, start, end, size, error in notes
    ]
    recorder.spans += [
        Span("annotation", names[name], -1, threads[t], common(start), common(end))
        for name, t, start, end in spans
    ]
    recorder.transfers += [
        Transfer(names[x], devices[a], devices[b], size, common(sent), common(came))
        for x, a, b, size, sent, came in transfers
    ]
    keys = [(name, tuple(tag)) for name, *tag in head["keys"]]
    recorder.endings += [
        Ending(step, name, tag, bool(is_sent), size, common(time))
        for step, key, is_sent, size, time in endings
        for name, tag in [keys[key]]
    ]
    recorder.levels += [
        Level(devices[x], common(time), live) for x, time, live in levels
    ]
    recorder.drop(head["dropped"])


def _new_threads(recorder: Recorder, task: str, names: Sequence[str]) -> list[int]:
    """Return numbers for the threads of a task that no others have."""
    numbers = []
    for name in names:
        numbers.append(-1 - len(recorder.tasks))
        recorder.tasks[numbers[-1]] = task
        recorder.threads[numbers[-1]] = f"{task} {name}"
    return numbers


def moved(
    step: int, what: str, source: str, target: str, is_sent: bool, nbytes: int = 0
) -> None:
    """Note one end of what goes between a client and a task; the client's name is nothing."""
    recorder = timeline.current()
    if recorder is not None:
        key = f"{what} from {source}{CPU} to {target}{CPU}", ()
        recorder.ending(step, key, is_sent, nbytes)


# The client's side.


class Reading(NamedTuple):
    """What a task's clock said, and by how much it was ahead then."""

    time: int
    ahead: int


def ahead(trips: Iterable[tuple[int, int, int]]) -> Reading:
    """Return by how much another clock is ahead, by round trips: when each was sent and came.

    The quickest says it best: at most half its duration is unknown. A clock that may be the same,
    as far as that tells, is taken for it, since no other would be so close.

    >>> ahead([(0, 1300, 500), (1000, 2100, 1100), (2000, 3900, 2800)])
    Reading(time=2100, ahead=1050)
    >>> ahead([(0, 30, 100)])
    Reading(time=30, ahead=0)
    """
    sent, said, came = min(trips, key=lambda trip: trip[2] - trip[0])
    found = said - (sent + came) // 2
    return Reading(said, 0 if 2 * abs(found) <= came - sent else found)


def common_clock(first: Reading, last: Reading) -> Callable[[int], int]:
    """Return what turns times of another clock into those here; it may go faster or slower.

    >>> common_clock(Reading(1000, 500), Reading(2000, 510))(1500)
    995
    """
    passed = last.time - first.time
    if passed <= 0 or last.ahead == first.ahead:
        return lambda time: time - first.ahead
    drift = (last.ahead - first.ahead) / passed
    return lambda time: time - first.ahead - round(drift * (time - first.time))


def begin(
    master: Master, tasks: Sequence[str], recorder: Recorder
) -> Callable[[], None]:
    """Have tasks take notes; returns what ends that, and adds them to a recorder.

    What a task that is lost has noted is lost with it: the recorder tells which are missing.
    """
    asked = {
        "process": PROCESS,
        "limit": recorder.limit,
        "synchronize": recorder.synchronize,
    }
    answers = master.ask(tasks, "record", BEGIN, packing.pack_json(asked))
    began = [task for task in tasks if answers.get(task) is True]
    missing = {
        task: _why(answers.get(task))
        for task in tasks
        if not isinstance(answers.get(task), bool)
    }
    refusals = [x for x in answers.values() if isinstance(x, FailedPreconditionError)]
    if refusals:
        master.ask(began, "recorded", END, beside=True)
        raise refusals[0]
    readings = _readings(master, began)

    def end() -> None:
        again = _readings(master, began)
        found = master.ask(began, "recorded", END, beside=True)
        for task in began:
            first = readings.get(task) or again.get(task)
            if isinstance(found.get(task), np.ndarray) and first is not None:
                common = common_clock(first, again.get(task, first))
                unpack_into(recorder, found[task], task, common)
            else:
                missing[task] = _why(found.get(task))
        recorder.missing.update(missing)

    return end


def _why(answer: Any) -> str:
    return "it does not answer" if answer is None else str(answer)


def _readings(master: Master, tasks: Iterable[str]) -> dict[str, Reading]:
    """Return by how much the clocks of tasks are ahead, of those that say."""
    found = {}
    for task in tasks:
        trips = _trips(master, task)
        if trips:
            found[task] = ahead(trips)
    return found


def _trips(master: Master, task: str) -> list[tuple[int, int, int]]:
    """Ask a task for the time; return when each question was sent, the answer, and when it came."""
    trips: list[tuple[int, int, int]] = []
    for _ in range(ROUNDS):
        sent = clock()
        try:
            request = master.request(task, "clock")
        except (
            UnavailableError,
            FailedPreconditionError,
        ):  # it is lost, or we are closed
            break
        in_time = master.carrier.wait(lambda asked=request: asked.is_over, ANSWER)  # type: ignore[misc]
        master.answered(request)
        if not in_time or not isinstance(request.answer, int):
            break
        trips.append((sent, request.answer, request.at))
    return trips
