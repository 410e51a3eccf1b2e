"""A reply of the Responses API that ended as `response.failed` or `error`, by its code."""

import ast
import re

_STRING = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_PRINTED = re.compile(rf"\w+\(code=({_STRING}|None), message=({_STRING}|None)[,)]")
"""How LangChain prints the error of `response.failed`: as the SDK's object, whose strings are Python's."""

_NAMED = re.compile(r"(?P<code>[a-z_]+): (?P<message>.*)", re.DOTALL)
"""How it prints that of `error`."""


class ResponseFailed(ValueError):
    """`code` is OpenAI's (`rate_limit_exceeded`, `server_error`, `invalid_prompt`...), empty where there is none."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


def response_failed(error: Exception) -> Exception:
    """LangChain's plain ValueError as what it was made of; any other error as it is."""
    if type(error) is not ValueError:
        return error
    text = str(error)
    if found := _PRINTED.match(text):
        code, message = (ast.literal_eval(part) or "" for part in found.groups())
        return ResponseFailed(code, message)
    found = _NAMED.fullmatch(text)
    return ResponseFailed(found["code"], found["message"]) if found else ResponseFailed("", text)
