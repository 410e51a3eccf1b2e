"""Where Python source can be changed by one small step: an operator, a comparison, a number, a condition, a statement,
an element of a list. Texts, annotations and imports are left alone: their change is a matter of wording, or of types.
"""

import ast
import copy
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import cast

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
EXTREMES = {"min": "max", "max": "min", "minimum": "maximum", "maximum": "minimum"}


Change = tuple[ast.expr | ast.stmt, int, str, str]
"""A node to replace, the line to name, what is done, and the text that takes the node's place."""


@dataclass(frozen=True, slots=True)
class Point:
    """One change of one file: the bytes from `start` to `end` become `new`. `line` counts from 1, `code` is its text
    without the indentation."""

    path: Path
    line: int
    code: str
    kind: str
    start: int
    end: int
    old: str
    new: str

    def applied(self, source: bytes) -> bytes:
        return source[: self.start] + self.new.encode() + source[self.end :]

    def __str__(self) -> str:
        old, new = (" ".join(text.split())[:100] for text in (self.old, self.new))
        return f"{self.path}:{self.line} {self.kind}: {old} -> {new}"


def points_of(path: Path, source: bytes) -> list[Point]:
    """Every change that this module knows of a file, in the order of its text."""
    tree = ast.parse(source)
    offsets = [0]
    lines = source.splitlines(keepends=True)
    for text in lines:
        offsets.append(offsets[-1] + len(text))
    found = []
    for node, line, kind, new in _changes(tree):
        start, end = _where(node, offsets)
        code = lines[line - 1].decode().strip()
        found.append(Point(path, line, code, kind, start, end, source[start:end].decode(), new))
    return sorted(set(found), key=lambda point: (point.start, point.end, point.kind))


def _where(node: ast.expr | ast.stmt, offsets: list[int]) -> tuple[int, int]:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return offsets[node.lineno - 1] + node.col_offset, offsets[node.end_lineno - 1] + node.end_col_offset


def _changes(tree: ast.Module) -> Iterator[Change]:
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        yield from _changes_of(node)
        waiting.extend(child for child in ast.iter_child_nodes(node) if not _is_left_alone(node, child))


def _is_left_alone(parent: ast.AST, child: ast.AST) -> bool:
    """Annotations, imports, texts with values in them, and what only type checkers see: that a value is frozen, too."""
    if isinstance(child, ast.Import | ast.ImportFrom | ast.JoinedStr):
        return True
    if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
        return True
    if isinstance(child, ast.Call) and isinstance(child.func, ast.Name) and child.func.id == "dataclass":
        return True
    return child is getattr(parent, "annotation", None) or child is getattr(parent, "returns", None)


def _changes_of(node: ast.AST) -> Iterator[Change]:
    for changes in (_operators, _values, _statements, _conditions, _displays):
        yield from changes(node)


def _operators(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Compare(ops=[op]) if type(op) in COMPARISONS:
            yield node, node.lineno, "comparison", _text(node, ops=[COMPARISONS[type(op)]()])
        case ast.BinOp(op=op) if type(op) in OPERATORS and not (_is_text(node.left) or _is_text(node.right)):
            yield node, node.lineno, "operator", _text(node, op=OPERATORS[type(op)]())
        case ast.AugAssign(op=op) if type(op) in OPERATORS:
            yield node, node.lineno, "operator", ast.unparse(_with(node, op=OPERATORS[type(op)]()))
        case ast.BoolOp(op=op):
            yield node, node.lineno, "and, or", _text(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not()):
            yield node, node.lineno, "condition", f"({ast.unparse(node.operand)})"
        case _:
            pass


def _values(node: ast.AST) -> Iterator[Change]:
    match node:
        case ast.Constant(value=bool()):
            yield node, node.lineno, "constant", str(not node.value)
        case ast.Constant(value=int() | float()):
            yield node, node.lineno, "constant", f"({ast.unparse(node)} + 1)"
        case ast.Call(func=ast.Name(id=name)) if name in EXTREMES:
            yield node, node.lineno, "extreme", _text(node, func=ast.Name(EXTREMES[name]))
        case ast.Call(func=ast.Attribute(attr=name) as function) if name in EXTREMES:
            yield node, node.lineno, "extreme", _text(node, func=_with(function, attr=EXTREMES[name]))
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield node, node.lineno, "returned value", "return None"
        case _:
            pass


def _statements(node: ast.AST) -> Iterator[Change]:
    """What is done and gives no name: to remove where a name gets its value is found by any test."""
    match node:
        case (
            ast.Raise()
            | ast.Break()
            | ast.Continue()
            | ast.AugAssign()
            | ast.Delete()
            | ast.Assign(targets=[ast.Attribute() | ast.Subscript()])
            | ast.Expr(value=ast.Call() | ast.Await() | ast.Yield() | ast.YieldFrom())
        ):
            yield node, node.lineno, "removed statement", "pass"
        case _:
            pass


def _conditions(node: ast.AST) -> Iterator[Change]:
    tests: list[ast.expr] = []
    if isinstance(node, ast.If | ast.While | ast.IfExp):
        tests = [node.test]
    elif isinstance(node, ast.comprehension):
        tests = node.ifs
    for test in tests:
        if not isinstance(test, ast.UnaryOp):
            yield test, test.lineno, "condition", f"(not ({ast.unparse(test)}))"


def _displays(node: ast.AST) -> Iterator[Change]:
    """A list, set or long tuple without one of its elements."""
    match node:
        case ast.List(elts=elements, ctx=ast.Load()) | ast.Set(elts=elements) if len(elements) > 1:
            pass
        case ast.Tuple(elts=elements, ctx=ast.Load()) if len(elements) > 2 and node.end_lineno != node.lineno:
            pass
        case _:
            return
    for number, element in enumerate(elements):
        left = [*elements[:number], *elements[number + 1 :]]
        kind = f"removed element {ast.unparse(element)[:60]!r}"
        yield node, element.lineno, kind, _text(node, elts=left)


def _with(node: ast.AST, **fields: object) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _text(node: ast.expr, **fields: object) -> str:
    return f"({ast.unparse(ast.fix_missing_locations(cast('ast.expr', _with(node, **fields))))})"


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str | bytes))
