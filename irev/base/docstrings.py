"""Docstrings, of which help and the documentation of measures are made, wherever Python keeps them."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any


def docstring(of: Callable[..., Any] | ModuleType) -> str:
    """The docstring of a function or a module; "" where it has none.

    ``python -OO`` drops docstrings, which are then read from the source, where that is at hand.
    """
    if of.__doc__ or __doc__:  # Python keeps this module's, so it keeps all
        return of.__doc__ or ""
    import ast
    import inspect

    try:
        # Not `ast.parse`: since Python 3.14 it drops docstrings as well, and in 3.11 it cannot be told to keep them.
        node = compile(inspect.getsource(of), of.__name__, "exec", ast.PyCF_ONLY_AST, optimize=0)
    except (OSError, SyntaxError):
        return ""
    if isinstance(node, ast.Module) and not isinstance(of, ModuleType):
        node = node.body[0]
    return (isinstance(node, ast.Module | ast.FunctionDef) and ast.get_docstring(node, clean=False)) or ""
