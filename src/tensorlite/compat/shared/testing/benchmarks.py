"""tf.test.Benchmark: classes whose methods measure operations, run by `tf.test.main` when asked to.

Tests are in cases.py. What is measured is logged.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterator
from inspect import currentframe
from statistics import median
from time import perf_counter
from typing import Any, ClassVar

from tensorlite.core.errors import InvalidArgumentError, UnimplementedError
from tensorlite.graph_mode.sessions import Session, get_default_session

_logger = logging.getLogger("tensorflow")
_ASKED = re.compile(r"--?benchmarks=(.*)")


class Benchmark:
    """The base of classes that measure, by methods whose names begin with `benchmark`."""

    known: ClassVar[list[type[Benchmark]]] = []
    """The classes that programs have made of it."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.known.append(cls)

    @classmethod
    def is_abstract(cls) -> bool:
        """Return whether a class is the base itself, or derived at once from it."""
        return len(cls.mro()) <= 2

    def _get_name(self, overwrite_name: str | None = None) -> str:
        """Return the class and the first of its methods that led here, or a given name."""
        found, frame = overwrite_name, currentframe()
        while frame is not None:
            if overwrite_name is None and frame.f_locals.get("self") is self:
                found = frame.f_code.co_name
            frame = frame.f_back
        return f"{type(self).__name__}.{found}"

    def report_benchmark(
        self,
        iters: int | None = None,
        cpu_time: float | None = None,
        wall_time: float | None = None,
        throughput: float | None = None,
        extras: dict[str, Any] | None = None,
        name: str | None = None,
        metrics: Any = None,
    ) -> None:
        """Log what was measured, times in seconds."""
        measured = {
            "iters": iters,
            "cpu_time": cpu_time,
            "wall_time": wall_time,
            "throughput": throughput,
            "extras": extras,
            "metrics": metrics,
        }
        given = {key: value for key, value in measured.items() if value is not None}
        text = json.dumps(given, default=str)
        _logger.info("Benchmark [%s] %s", self._get_name(name), text)

    def run_op_benchmark(
        self,
        sess: Any,
        op_or_tensor: Any,
        feed_dict: Any = None,
        burn_iters: int = 2,
        min_iters: int = 10,
        store_trace: bool = False,
        store_memory_usage: bool = True,
        name: str | None = None,
        extras: dict[str, Any] | None = None,
        mbs: float = 0,
    ) -> dict[str, Any]:
        """Return what is reported: the median of the seconds that runs took."""
        if store_trace:
            raise UnimplementedError(
                "run_op_benchmark: store_trace=True is not there; runs with "
                "RunOptions.FULL_TRACE are traced"
            )
        for _ in range(burn_iters):
            sess.run(op_or_tensor, feed_dict=feed_dict)
        seconds = []
        for _ in range(min_iters):
            start = perf_counter()
            sess.run(op_or_tensor, feed_dict=feed_dict)
            seconds.append(perf_counter() - start)
        typical = median(seconds) if seconds else -1.0
        values: dict[str, Any] = {
            "iters": min_iters,
            "wall_time": typical,
            "extras": {} if extras is None else extras,
            "name": name,
            "throughput": mbs / typical,
        }
        self.report_benchmark(**values)
        return values

    def evaluate(self, tensors: Any) -> Any:
        """Return the values of tensors, computed in the default session."""
        session = get_default_session() or Session()
        return session.run(tensors)


def asked_for(argv: list[str]) -> str | None:
    """Return the pattern of the benchmarks that a command asks for, which is taken out of it."""
    for argument in argv:
        found = _ASKED.fullmatch(argument)
        if found:
            argv.remove(argument)
            return found.group(1)
    return None


def _named(pattern: str) -> Iterator[tuple[type[Benchmark], str]]:
    for kind in Benchmark.known:
        for name in dir(kind):
            whole = f"{kind.__module__}.{kind.__name__}.{name}"
            wanted = pattern == "all" or re.search(pattern, whole)
            if name.startswith("benchmark") and wanted:
                yield kind, name


def run(pattern: str) -> None:
    """Run the methods that a pattern names, each class made once."""
    try:
        chosen = list(_named(pattern))
    except re.error as error:
        raise InvalidArgumentError(f"--benchmarks={pattern}: {error}") from None
    made: dict[type[Benchmark], Benchmark] = {}
    for kind, name in chosen:
        if kind not in made:
            made[kind] = kind()
        getattr(made[kind], name)()
