"""`make bench-cluster`: clusters beside TensorFlow's servers and MPI, in one run, by ratios.

Those are measured where TENSORLITE_BENCH_TF and TENSORLITE_BENCH_MPI name Pythons that have
TensorFlow and mpi4py. `--workers 1 2 4` chooses how far the curves go, 0 leaves them out;
`--figure curves.svg` draws them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tests.benchmarks import cluster_figure, cluster_model, collectives, straggler
from tests.benchmarks.cluster_steps import MEGABYTES_5, SCALAR, Case, Found

ROOT = Path(__file__).parents[2]
OURS, THEIRS = "tests.benchmarks.cluster_ours", "tests.benchmarks.cluster_tensorflow"
SECONDS, ROUNDS = 2.0, 5
"""Both sides are measured in turns, for so long and so often; the best of each counts."""
CURVES = (1, 2, 4, 8)
TF, MPI = "TENSORLITE_BENCH_TF", "TENSORLITE_BENCH_MPI"


class Target(NamedTuple):
    """How many times as many steps a second as TensorFlow's servers there are to be."""

    name: str
    case: Case
    least: float | None


TARGETS = (
    Target("null step, 2 x scalar, one host", Case(SCALAR), 6.0),
    Target("null step, 2 x 5 MB, one host", Case(MEGABYTES_5), 5.0),
    Target("null step, 2 x scalar, tcp", Case(SCALAR, way="tcp"), None),
    Target("null step, 2 x 5 MB, tcp", Case(MEGABYTES_5, way="tcp"), 1.5),
    Target("null step, 2 x scalar, tls", Case(SCALAR, way="tls"), None),
    Target("null step, 2 x 5 MB, tls", Case(MEGABYTES_5, way="tls"), None),
)


class Side:
    """A process that measures cases on a cluster of its own."""

    def __init__(
        self, process: subprocess.Popen[str], about: dict[str, object]
    ) -> None:
        self._process = process
        self._ask(about)

    def _ask(self, line: dict[str, object]) -> dict[str, float]:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(line) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise RuntimeError(f"{process.args!r} ended with {process.wait()}")
        found: dict[str, float] = json.loads(answer)
        return found

    def measure(self, case: Case, seconds: float) -> float:
        """Return the steps a second of a case; no update may have been lost."""
        found = Found(**self._ask({**asdict(case), "seconds": seconds}))  # type: ignore[arg-type]
        if found.updates != found.steps:
            raise RuntimeError(
                f"{self._process.args!r}: {case.name}: {found.steps} steps were made, and the "
                f"parameters say {found.updates}"
            )
        return found.rate


@contextmanager
def side(python: str, module: str, workers: int, way: str) -> Iterator[Side]:
    """Give a side, whose process ends with it."""
    with subprocess.Popen(
        [python, "-m", module],
        cwd=ROOT,
        env={
            **os.environ,
            "RAY_USAGE_STATS_ENABLED": "0",
            "TF_CPP_MIN_LOG_LEVEL": "3",
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        try:
            yield Side(process, {"workers": workers, "way": way})
        finally:
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()


def both(
    cases: Sequence[Case], seconds: float, rounds: int = ROUNDS
) -> list[tuple[float, float]]:
    """Return the steps a second of ours and of TensorFlow's, for cases of one cluster each.

    TensorFlow's are 0 where it is not installed.
    """
    workers, way = cases[0].workers, cases[0].way
    best = [[0.0, 0.0] for _ in cases]
    python = os.environ.get(TF)
    with ExitStack() as stack:
        sides = [stack.enter_context(side(sys.executable, OURS, workers, way))]
        if python:
            sides.append(stack.enter_context(side(python, THEIRS, workers, "")))
        for _ in range(rounds):
            for at, case in enumerate(cases):
                for which, one in enumerate(sides):
                    asked = replace(case, way="") if which else case
                    rate = one.measure(asked, seconds)
                    best[at][which] = max(best[at][which], rate)
    return [(ours, theirs) for ours, theirs in best]


def targets(seconds: float) -> Iterator[str]:
    """Yield the lines of the steps that have a target, and of those beside them."""
    yield f"{'steps a second':<34} {'ours':>9} {'TensorFlow':>11} {'ratio':>7} {'target':>7}"
    for way in ("", "tcp", "tls"):
        chosen = [target for target in TARGETS if target.case.way == way]
        found = both([target.case for target in chosen], seconds)
        for target, (ours, theirs) in zip(chosen, found, strict=True):
            yield row(target.name, ours, theirs, target.least)


def row(name: str, ours: float, theirs: float, least: float | None) -> str:
    """Return a line of the table."""
    ratio = ours / theirs if theirs else 0.0
    cells = f"{ratio:>6.1f}x" if theirs else f"{'':>7}"
    wanted = "" if least is None else f"{least:>6g}x"
    met = (
        ""
        if least is None or not theirs
        else "  met"
        if ratio >= least
        else "  NOT MET"
    )
    return f"{name:<34} {ours:>9,.0f} {theirs:>11,.0f} {cells} {wanted:>7}{met}"


def reductions() -> Iterator[str]:
    """Yield the lines of all-reduce between two tasks."""
    python = os.environ.get(MPI, "")
    asked = [(size, collectives.trials(size)) for size in collectives.BYTES]
    own, theirs = [], []
    for _ in range(collectives.ROUNDS):
        own.append(collectives.ours(2, asked, "auto"))
        theirs.append(
            collectives.mpi(python, 2, asked) if python else [0.0] * len(asked)
        )
    for at, (size, _) in enumerate(asked):
        mine, other = (median(each[at] for each in rows) for rows in (own, theirs))
        text = collectives.line(2, size, mine, other)
        if other:
            met = mine / other <= collectives.TARGETS[size]
            text += "  met" if met else "  NOT MET"
        yield text


def curves(workers: Sequence[int], seconds: float) -> cluster_model.Curves:
    """Return the steps a second of each curve, by the number of workers."""
    found: cluster_model.Curves = {}
    for count in workers:
        cases = [
            Case(floats, count, mode)
            for floats in (SCALAR, MEGABYTES_5)
            for mode in ("sync", "async")
        ]
        for case, rates in zip(cases, both(cases, seconds, 3), strict=True):
            for who, rate in zip(("ours", "TensorFlow"), rates, strict=True):
                found.setdefault((who, case.floats, case.mode), {})[count] = rate
    return found


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, nargs="*", default=CURVES)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    parser.add_argument("--figure", type=Path)
    chosen = parser.parse_args()
    for variable, what in ((TF, "TensorFlow"), (MPI, "mpi4py")):
        if not os.environ.get(variable):
            print(f"{what}: not measured; {variable} may name a Python that has it")
    for line in targets(chosen.seconds):
        print(line, flush=True)
    for line in reductions():
        print(line, flush=True)
    for line in straggler.report():
        print(line, flush=True)
    workers = [count for count in chosen.workers if count > 0]
    if not workers:
        return
    measured = curves(workers, chosen.seconds)
    costs = cluster_model.calibrated(measured)
    for line in cluster_model.report(measured, costs):
        print(line, flush=True)
    if chosen.figure:
        chosen.figure.write_text(cluster_figure.svg(measured, costs), "utf-8")


if __name__ == "__main__":
    main()
