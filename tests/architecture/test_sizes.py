"""How large things may be. `python -m tests.architecture.test_sizes` prints the table."""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.architecture.source import functions, parsed, place, python_files

FILE_LINES = 500
FUNCTION_LINES = 50
MEDIAN_FUNCTION_LINES = 10
EXAMPLE_LINES = 80
TOKENS_PER_LINE = 9

EVERYWHERE = ("src", "tests", "examples")
LAYOUT = {
    tokenize.ENCODING,
    tokenize.ENDMARKER,
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
}


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def function_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function, decorators and docstring aside."""
    whole = (node.end_lineno or node.lineno) - node.lineno + 1
    first = node.body[0]
    if ast.get_docstring(node, clean=False) is None:
        return whole
    return whole - ((first.end_lineno or first.lineno) - first.lineno + 1)


def docstring_lines(tree: ast.Module) -> set[int]:
    """Return the numbers of the lines that strings standing alone take."""
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }


def tokens_of(path: Path) -> Iterator[tokenize.TokenInfo]:
    """Yield the tokens of code; a formatted string is one, which newer Pythons take apart."""
    source = io.StringIO(path.read_text(encoding="utf-8"))
    depth = 0
    for token in tokenize.generate_tokens(source.readline):
        name = tokenize.tok_name[token.type]
        depth -= name == "FSTRING_END"
        if token.type not in LAYOUT and depth == 0 and name != "FSTRING_END":
            yield token
        depth += name == "FSTRING_START"


def tokens_and_lines(path: Path) -> tuple[int, int]:
    """Return how many tokens of code a file has, and on how many lines."""
    prose = docstring_lines(parsed(path))
    rows = [
        token.start[0] for token in tokens_of(path) if token.start[0] not in prose
    ]
    return len(rows), len(set(rows))


def density(files: list[Path]) -> float:
    counts = [tokens_and_lines(path) for path in files]
    return sum(tokens for tokens, _ in counts) / max(
        1, sum(lines for _, lines in counts)
    )


def test_files_are_short() -> None:
    sizes = {place(path): lines_of(path) for path in python_files(*EVERYWHERE)}
    long = {path: lines for path, lines in sizes.items() if lines > FILE_LINES}
    assert not long, (
        f"split by what changes together; at most {FILE_LINES} lines: {long}"
    )


def test_examples_are_short() -> None:
    sizes = {place(path): lines_of(path) for path in python_files("examples")}
    long = {path: lines for path, lines in sizes.items() if lines > EXAMPLE_LINES}
    assert not long, f"at most {EXAMPLE_LINES} lines: {long}"


def test_functions_are_short() -> None:
    long = {
        f"{place(path, node.lineno)} {node.name}": lines
        for path in python_files(*EVERYWHERE)
        for node in functions(parsed(path))
        if (lines := function_lines(node)) > FUNCTION_LINES
    }
    assert not long, f"at most {FUNCTION_LINES} lines: {long}"


def test_most_functions_are_very_short() -> None:
    sizes = [
        function_lines(node)
        for path in python_files("src")
        for node in functions(parsed(path))
    ]
    assert median(sizes) < MEDIAN_FUNCTION_LINES


def test_lines_are_not_crammed() -> None:
    """Tables of cases, in tests, may be as dense as tables are."""
    files = python_files("src", "examples")
    dense = {place(path): round(density([path]), 1) for path in files}
    densest = sorted(dense.items(), key=lambda item: -item[1])[:10]
    assert density(files) <= TOKENS_PER_LINE, (
        f"tokens a line; the densest files: {densest}"
    )


def test_every_file_says_what_it_is() -> None:
    silent = [
        place(path)
        for path in python_files(*EVERYWHERE)
        if path.stat().st_size and not ast.get_docstring(parsed(path))
    ]
    assert not silent, f"without a docstring at the top: {silent}"


def main() -> None:
    """Print lines, tokens a line and the longest function of every file, longest file first."""
    print(f"{'lines':>5} {'tokens/line':>11}  {'longest function':<40} file")
    for path in sorted(python_files(*EVERYWHERE), key=lines_of, reverse=True):
        sizes = [
            (function_lines(node), node.name) for node in functions(parsed(path))
        ]
        lines, name = max(sizes, default=(0, ""))
        print(
            f"{lines_of(path):5} {density([path]):11.1f}  {lines:3} {name:<36} {place(path)}"
        )


if __name__ == "__main__":
    main()
