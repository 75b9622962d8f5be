"""Two devices: a deep LSTM whose layers lie on two CPU devices, several turns under way at once.

While the upper layers are at step t, the lower ones are ahead, by `parallel_iterations` at most.
With OPENBLAS_NUM_THREADS=1 in the environment each device has a core to itself.
"""

from __future__ import annotations

from pathlib import Path
from timeit import repeat

import tensorlite as tl


def lstm(
    x: tl.Tensor, h: tl.Tensor, c: tl.Tensor, weights: tl.Variable
) -> list[tl.Tensor]:
    """Return the state of a layer after it has read `x`: the output, and the cell."""
    gates = tl.concat([x, h], axis=1) @ weights
    enter, forget, candidate, leave = tl.split(gates, 4, axis=1)
    c = tl.nn.sigmoid(forget + 1.0) * c + tl.nn.sigmoid(enter) * tl.tanh(candidate)
    return [tl.nn.sigmoid(leave) * tl.tanh(c), c]


class DeepLSTM(tl.Module):
    """Layers, the lower half on the first device and the upper half on the second."""

    def __init__(self, layers: int, units: int) -> None:
        self.units = units
        self.devices = [f"/device:CPU:{2 * i // layers}" for i in range(layers)]
        self.weights = [
            tl.Variable(tl.random.normal((2 * units, 4 * units)) / units**0.5)
            for _ in range(layers)
        ]

    def __call__(self, inputs: tl.Tensor, parallel: int) -> tl.Tensor:
        """Return the last output for inputs of shape [time, batch, units]."""
        steps, batch, _ = inputs.shape
        blank = tl.zeros((batch, self.units))

        def step(t: tl.Tensor, *state: tl.Tensor) -> tuple[tl.Tensor, ...]:
            after = [inputs[t], inputs[t]]
            for i, device in enumerate(self.devices):
                with tl.device(device):
                    h, c = state[2 * i : 2 * i + 2]
                    after += lstm(after[-2], h, c, self.weights[i])
            return t + 1, *after[2:]

        start = (tl.asarray(0), *[blank] * 2 * len(self.weights))
        return tl.while_loop(
            lambda t, *_: t < steps, step, start, parallel_iterations=parallel
        )[-2]


def timed(run: tl.Function[[tl.Tensor], tl.Tensor], x: tl.Tensor) -> float:
    """Return the seconds that a call takes, the best of three."""
    return min(repeat(lambda: run(x), number=1, repeat=3))


def main(units: int = 256, steps: int = 40, folder: str = ".") -> dict[int, float]:
    """Return the seconds by how many turns may be under way, and draw the timeline of eight."""
    tl.config.set_logical_devices("CPU", 2)
    tl.random.set_seed(0)
    model, x = DeepLSTM(8, units), tl.random.normal((steps, 64, units))
    one, eight = (tl.function(lambda x, n=n: model(x, n)) for n in (1, 8))
    assert tl.all(one(x) == eight(x))
    seconds = {1: timed(one, x), 8: timed(eight, x)}
    with tl.profiler.trace() as profile:
        eight(x)
    target = Path(folder) / "timeline.svg"
    target.write_text(profile.svg(), encoding="utf-8")
    for count, taken in seconds.items():
        print(f"parallel_iterations={count}: {taken * 1e3:.0f} ms")
    print(f"one row for each device, an arrow for each transfer: {target}")
    return seconds


if __name__ == "__main__":
    main()
