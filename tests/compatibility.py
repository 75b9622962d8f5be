"""Which of TensorFlow's names compat has: `python -m tests.compatibility` writes that page.

docs/compatibility.md is made here, from the names in compat/known_names.txt and the code that
stands behind those which are there.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from types import FunctionType
from typing import Any

from tensorlite.compat.missing import known_names
from tests.architecture.source import ROOT

PAGE = ROOT / "docs" / "compatibility.md"
OWN = "tensorlite.compat."
REFUSALS = ("UnimplementedError", "not served", "not there;")
"""What in a `raise` says that something is left out: the class of the error, or its words."""

HEAD = """# Which of TensorFlow's names there are

`import tensorlite.compat.v1 as tf` and `import tensorlite.compat.v2 as tf` serve these names. The
page is made by `make compatibility`: it walks both modules against the lists of names that
TensorFlow 2.21 has (for `tf.contrib`, TensorFlow 1.15), and reads the code behind those that are
there. A test holds that it is not out of date. [How programs of TensorFlow
run](howto/run-tensorflow-programs.md).

- **Served**: the name is there.
- **In part**: of these, some arguments or some values of them are refused where the name is
  called, by an error that says so.
- **Refused**: the name is there only to say at the call why it is not served.
- **Not there**: an `AttributeError`, which names what is near.

That a name is served says that it is there, not that each of its uses was tried; `tests/compat` and
`tests/interop` hold what it returns against TensorFlow's own results. Arguments that are taken and
have no effect here, as how many turns of a loop may run in parallel, are listed.
"""


@dataclass
class Namespace:
    """What there is of one of TensorFlow's namespaces, `v1.nn` as its title has it."""

    title: str
    served: list[str] = field(default_factory=list)
    partly: dict[str, list[str]] = field(default_factory=dict)
    ignoring: dict[str, list[str]] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    absent: list[str] = field(default_factory=list)

    @property
    def known(self) -> int:
        return len(self.served) + len(self.refused) + len(self.absent)

    @property
    def heading(self) -> str:
        return ".".join(["tf", *self.title.split(".")[1:]])


def examined(title: str) -> Namespace:
    """Return what there is of a namespace."""
    found = Namespace(title)
    module = reached(title)
    for name in sorted(known_names()[title]):
        if not hasattr(module, name):
            found.absent.append(name)
            continue
        value = getattr(module, name)
        if only_refuses(value):
            found.refused.append(name)
            continue
        found.served.append(name)
        if left_out := refusals(value):
            found.partly[name] = left_out
        if without := ignored(value):
            found.ignoring[name] = without
    return found


def reached(title: str) -> Any:
    """Return the namespace with a title, None if it is not there."""
    version, *path = title.split(".")
    module: Any = import_module(f"tensorlite.compat.{version}")
    for name in path:
        module = getattr(module, name, None)
    return module


def code_of(value: Any) -> Iterator[FunctionType]:
    """Yield the functions of a name: itself, or the methods of a class and its bases."""
    if isinstance(value, type):
        for base in value.__mro__:
            if str(base.__module__).startswith(OWN):
                yield from (x for x in vars(base).values() if inspect.isfunction(x))
    elif inspect.isfunction(value):
        found = inspect.unwrap(value)
        if inspect.isfunction(found) and found.__module__.startswith(OWN):
            yield found


@cache
def tree_of(function: FunctionType) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    """Return the syntax tree of a function, None for one without source of its own."""
    try:
        source = textwrap.dedent(inspect.getsource(inspect.unwrap(function)))
        parsed = ast.parse(source).body[0]
    except (OSError, SyntaxError):
        return None
    return (
        parsed if isinstance(parsed, ast.FunctionDef | ast.AsyncFunctionDef) else None
    )


def steps_of(tree: ast.FunctionDef | ast.AsyncFunctionDef) -> list[ast.stmt]:
    """Return the statements of a function, its docstring aside where there is more."""
    return tree.body[1:] if ast.get_docstring(tree) and tree.body[1:] else tree.body


def only_refuses(value: Any) -> bool:
    """Return whether a function does nothing but raise."""
    trees = [tree_of(x) for x in code_of(value)] if inspect.isfunction(value) else []
    return any(
        tree is not None and isinstance(steps_of(tree)[0], ast.Raise)
        for tree in trees
    )


def refusals(value: Any) -> list[str]:
    """Return the words in which a function, or a class's methods, refuse what they do not serve."""
    found: dict[str, None] = {}
    for function in code_of(value):
        for inner in [function, *helpers(function)]:
            tree = tree_of(inner)
            for node in ast.walk(tree) if tree else []:
                if isinstance(node, ast.Raise) and node.exc is not None:
                    said = ast.unparse(node.exc)
                    if any(word in said for word in REFUSALS):
                        found[words_of(node.exc)] = None
    return [text for text in found if text]


def helpers(function: FunctionType) -> list[FunctionType]:
    """Return the private functions of its module that a function calls."""
    names = function.__code__.co_names
    near = {x: function.__globals__.get(x) for x in names if x.startswith("_")}
    return [x for x in near.values() if inspect.isfunction(x)]


def words_of(raised: ast.expr) -> str:
    """Return the text of an error as it stands in the code, values as the names they have there."""
    call = raised if isinstance(raised, ast.Call) else None
    if call is None or not call.args:
        return ""
    first = call.args[0]
    if isinstance(first, ast.Constant):
        return str(first.value)
    if not isinstance(first, ast.JoinedStr):
        return ""
    parts = [
        str(x.value) if isinstance(x, ast.Constant) else shown(x)
        for x in first.values
    ]
    return "".join(parts)


def shown(part: ast.expr) -> str:
    assert isinstance(part, ast.FormattedValue)
    return "..." if isinstance(part.value, ast.Call) else ast.unparse(part.value)


def ignored(value: Any) -> list[str]:
    """Return the arguments of a function, or of making one of a class, that nothing reads."""
    if isinstance(value, type):
        own = vars(value).get("__init__")
        function = own if inspect.isfunction(own) else None
    else:
        function = next(code_of(value), None)
    tree = tree_of(function) if function else None
    if tree is None or any("abstract" in ast.unparse(x) for x in tree.decorator_list):
        return []
    arguments = tree.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    read = {
        x.id for step in tree.body for x in ast.walk(step) if isinstance(x, ast.Name)
    }
    names = [x.arg for x in given]
    return [
        x
        for x in names
        if x not in read and x not in {"self", "cls", "name"} and x[0] != "_"
    ]


def summary(spaces: list[Namespace]) -> list[str]:
    """Return the lines of the table of how many names there are."""
    rows = [
        f"| `{x.heading}` | {x.known} | {len(x.served)} | {len(x.partly) or ''} "
        f"| {len(x.refused) or ''} | {len(x.absent) or ''} |"
        for x in spaces
    ]
    return [
        "| namespace | TensorFlow's | served | in part | refused | not there |",
        "|---|--:|--:|--:|--:|--:|",
        *rows,
        total(spaces),
    ]


def total(spaces: list[Namespace]) -> str:
    """Return the last row of that table."""
    counts = [
        sum(x.known for x in spaces),
        *(
            sum(len(getattr(x, kind)) for x in spaces)
            for kind in ("served", "partly", "refused", "absent")
        ),
    ]
    return f"| **all** | {' | '.join(f'**{count:,}**' for count in counts)} |"


def coded(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def details(space: Namespace) -> list[str]:
    """Return the lines of one namespace, folded up."""
    lines = [
        "<details>",
        f"<summary><code>{space.heading}</code>: {len(space.served)} of {space.known}</summary>",
        "",
    ]
    if space.served:
        lines += [f"**Served**: {coded(space.served)}", ""]
    if space.partly:
        lines += ["**In part**:", ""]
        lines += [
            f"- `{name}`: {'; '.join(f'`{text}`' for text in said)}"
            for name, said in space.partly.items()
        ]
        lines += [""]
    if space.ignoring:
        lines += ["**Arguments without effect**:", ""]
        lines += [
            f"- `{key}`: {coded(names)}" for key, names in space.ignoring.items()
        ]
        lines += [""]
    for kind, names in (("Refused", space.refused), ("Not there", space.absent)):
        if names:
            lines += [f"**{kind}**: {coded(names)}", ""]
    return [*lines, "</details>", ""]


def page() -> str:
    """Return the page."""
    spaces = [examined(title) for title in known_names()]
    lines = HEAD.splitlines()
    for version, heading in (("v1", "TensorFlow 1"), ("v2", "TensorFlow 2")):
        own = sorted(
            (x for x in spaces if x.title.split(".")[0] == version),
            key=lambda x: x.title,
        )
        lines += ["", f"## {heading}: `tensorlite.compat.{version}`", ""]
        lines += [*summary(own), ""]
        for space in own:
            lines += details(space)
    return "\n".join(lines).rstrip() + "\n"


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"{PAGE.relative_to(ROOT)}\n")


if __name__ == "__main__":
    main()
