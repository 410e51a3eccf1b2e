"""A command's words with what looks like a secret masked, before they are kept as a label.

What is masked is the rest of a word rather than a part of it: a password may hold any character that looks like an end.
"""

import re
from collections.abc import Sequence
from pathlib import PurePath

from server.recording.secret_names import is_harmless, is_identity, is_secret
from server.recording.secret_values import keys_masked

MASK = "•••"

_OPTION = re.compile(r"(?:--?|/)([^\W\d][\w.-]*)")
_NAMED = re.compile(r"([^\W\d][\w.$@\[\]-]{0,100})[\"']?\s*(?:=>|:=|=|:(?!:)|%3[ADad]|\((?=\s*[\"']))")
"""`name=value` and `name: value`, also in a URL's query, JSON, a header or code."""
_QUERY_END = re.compile(r"[&#\s\"']")

_IN_URL = re.compile(r"(\b[a-z][a-z0-9+.-]{0,40}://)(?![^/@:\s]+:\d+/)(?:[^/@:\s]*:\S*|[^/@\s]+)@", re.IGNORECASE)
"""Its user and password, which may have a `/` or `@` in it; no `@` of a path behind a host, or its port, is meant."""
_BEFORE_HOST = re.compile(r"(?<![\w.+-])(?!mailto:)([\w.+-]*:)[^\s@/]+(?=@(?!sha\d+:)[\w-])")
"""`user:password@host` without a scheme."""
_OF_URL_PATH = re.compile(r"(?<=/)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}(?=[/?#\s]|$)")
_BEARER = re.compile(r"\b((?:bearer|basic)\s+)\S+", re.IGNORECASE)

_CODE = {
    "-c": re.compile(r"(?:python|pypy)[\d.t]*|(?:ba|da|z|k|a)?sh|fish"),
    "-e": re.compile(r"node(?:js)?|ruby|perl[\d.]*|julia|lua"),
    "-p": re.compile(r"node(?:js)?"),
    "-pe": re.compile(r"node(?:js)?|perl[\d.]*"),
    "-ne": re.compile(r"ruby|perl[\d.]*"),
    "--eval": re.compile(r"node(?:js)?|julia"),
    "--print": re.compile(r"node(?:js)?"),
    "-r": re.compile(r"php[\d.]*"),
    "--run": re.compile(r"php[\d.]*"),
}
"""Options of interpreters whose value is code, which may have a secret anywhere."""
_JOINED_CODE = re.compile(r"(--(?:eval|print|run)=).*", re.DOTALL)
_SHORT = {
    "-p": re.compile(r"sshpass|mysql\w*|mariadb\S*|mongo\w*|7z\w?|cqlsh|docker|podman|az|twine|snowsql|isql|tsql"),
    "-P": re.compile(r"sqlcmd|osql|bcp|zip|unzip|mosquitto_\w+|ipmitool"),
    "-a": re.compile(r"redis-cli|valkey-cli"),
    "-k": re.compile(r"openssl"),
    "-b": re.compile(r"curl"),
    "-w": re.compile(r"ldap\w+|kinit"),
}
"""Options that are passwords after these programs alone, and a port or a path after others."""
_PORT = re.compile(r"\d{1,5}(?::\S*)?")
_PUBLISHED = re.compile(r"[\d.]*:?\d{1,5}(?:-\d+)?:\d{1,5}\S*")
"""`docker run -p 127.0.0.1:8080:80`."""
_PASSWORD_LETTER = frozenset({"-p", "-P", "-w", "/p", "/P"})
_OTHERWISE = re.compile(r"psql|pg_\w+|createdb|dropdb")
"""They have `-w` and `-P` for something else."""
_USER = re.compile(r"-u|-U|--(?:[\w-]*-)?user(?:name)?|-username|/user:\S+")
"""Before a name, and then `-p` is a password."""
_USER_AND_PASSWORD = {"-a": re.compile(r"https?|xhs?"), "-A": re.compile(r"ab|hey"), "-P": re.compile(r"ab")}
_USER_VALUE = re.compile(r"\A((?:-[uU]|--(?:[\w-]*-)?user=)?[^:%/\s]+[:%])\S.*", re.DOTALL)
_ORACLE = re.compile(r"sqlplus|sqlcl|sql|exp(?:dp)?|imp(?:dp)?|sqlldr|rman")
_ORACLE_LOGIN = re.compile(r"\A([\w$#]+/)[^\s@]+(?=@|$)")
_PROPERTY = re.compile(r"(/[pP]:)[^=]+")
"""`/p:Configuration=Release` is a setting of MSBuild, `/p:` alone a password."""


def masked(argv: Sequence[str]) -> tuple[str, ...]:
    """The words, each secret in them as `•••`. What follows an option such as `--token` is masked as a word, and so is
    code that an interpreter is given."""
    kept: list[str] = []
    programs: list[str] = []
    option, has_user = "", False
    for word in argv:
        if has_user and _is_password_letter(word, option, programs[0]):
            kept.append(MASK)
        else:
            kept.append(_masked_word(word, option, programs))
        has_user = has_user or _names_user(option, word, programs)
        option = word
        programs.append(PurePath(word).name.lower())
    return tuple(kept)


def masked_text(text: str) -> str:
    """One text with the secrets in it masked."""
    text = _IN_URL.sub(rf"\1{MASK}@", text)
    text = _BEFORE_HOST.sub(rf"\1{MASK}", text)
    text = _BEARER.sub(rf"\1{MASK}", _named_masked(text))
    if "://" in text:
        text = _OF_URL_PATH.sub(MASK, text)
    named = _NAMED.match(text, len(text) - len(text.lstrip("-")))
    if named is not None and is_identity(named[1], text[named.end() :]):
        return text
    return keys_masked(text, MASK)


def _masked_word(word: str, option: str, programs: Sequence[str]) -> str:
    named = _OPTION.fullmatch(option)
    if named is not None and is_identity(named[1], word):
        return word
    is_named = named is not None and is_secret(named[1]) and not is_harmless(named[1], word)
    if is_named or _follows(option, _CODE, programs):
        return MASK
    if _is_password(word, option, programs):
        return MASK
    if len(word) > 2 and _follows(word[:2], _SHORT, programs) and not _PUBLISHED.fullmatch(word[2:].lstrip("=")):
        return word[:2] + MASK
    if any(_ORACLE.fullmatch(program) for program in programs[:1]):
        word = _ORACLE_LOGIN.sub(rf"\1{MASK}", word)
    is_login = _USER.fullmatch(option) or _follows(option, _USER_AND_PASSWORD, programs)
    if is_login or re.match(r"-[uU].|--(?:[\w-]*-)?user=", word):
        word = _USER_VALUE.sub(rf"\1{MASK}", word)
    if _PROPERTY.fullmatch(word):
        return word[:3] + MASK
    return masked_text(_JOINED_CODE.sub(rf"\1{MASK}", word))


def _is_password(word: str, option: str, programs: Sequence[str]) -> bool:
    """Whether an option that is short for it in a client comes before."""
    if option.startswith("/user:"):
        return not word.startswith("/")
    return _follows(option, _SHORT, programs) and not _PUBLISHED.fullmatch(word)


def _is_password_letter(word: str, option: str, program: str) -> bool:
    """Whether it is a password, as a user was named before it."""
    is_letter = option in _PASSWORD_LETTER and _OTHERWISE.fullmatch(program) is None
    return is_letter and not (_PORT.fullmatch(word) or _PUBLISHED.fullmatch(word) or word.startswith("-"))


def _names_user(option: str, value: str, programs: Sequence[str]) -> bool:
    """Whether an option is followed by a user's name: Python's own `-u` is not."""
    is_user = _USER.fullmatch(option) is not None and not value.startswith("-")
    return is_user and not (len(programs) == 2 and value.endswith(".py"))


def _follows(option: str, of: dict[str, re.Pattern[str]], programs: Sequence[str]) -> bool:
    """Whether an option stands behind a program that has it with this meaning."""
    return option in of and any(of[option].fullmatch(program) for program in programs)


def _named_masked(text: str) -> str:
    """To the end of the text from the first name of a secret on; in a query, to its next part."""
    kept, begin = "", 0
    for found in _NAMED.finditer(text):
        if found.start() < begin or not is_secret(found[1]) or is_harmless(found[1], text[found.end() :]):
            continue
        kept += text[begin : found.end()] + MASK
        end = _QUERY_END.search(text, found.end()) if text[found.start() - 1 : found.start()] in ("?", "&") else None
        if end is None:
            return kept
        begin = end.start()
    return kept + text[begin:]
