"""`tl.function`: signatures, cache, conversion of Python control flow, compilation."""
