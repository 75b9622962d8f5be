"""The numbers in tensors: arithmetic, functions of elements, reductions, running sums."""
