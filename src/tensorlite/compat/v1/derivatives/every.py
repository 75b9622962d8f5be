"""All modules that write gradients: importing this one makes them known."""

from tensorlite.compat.v1.derivatives import (
    arrays as arrays,
    broadcasting as broadcasting,
    diagonals as diagonals,
    elements as elements,
    networks as networks,
    places as places,
    reductions as reductions,
    special as special,
)
