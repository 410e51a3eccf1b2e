"""A command's words with what looks like a secret masked, before they are kept as a label.

What is masked is the rest of a word rather than a part of it: a password may hold any character that looks like an end.
"""

import re
from collections.abc import Sequence
from pathlib import PurePath

MASK = "•••"

_ANYWHERE = re.compile(
    r"passw|passphrase|passcode|secret|token(?!i[sz])|apikey|credential|authori[sz]ation|cookie|signature|bearer|connectionstring"
)
"""In a name without its separators: all that has it is a secret's."""
_PARTS = frozenset(
    {"auth", "oauth", "dsn", "jwt", "key", "keys", "otp", "pass", "passin", "passout", "pin", "pw", "pwd", "sid", "sig"}
)
"""Words of a name, where they stand alone: no compass is a password."""
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_OPTION = re.compile(r"(?:--?|/)([A-Za-z][\w.-]*)")
_NAMED = re.compile(r"([A-Za-z_][\w.\[\]-]*)[\"']?\s*(?:=>|:=|=|:(?!:)|%3[ADad]|\((?=\s*[\"']))")
"""`name=value` and `name: value`, also in a URL's query, JSON, a header or code."""
_QUERY_END = re.compile(r"[&#\s\"']")

_IN_URL = re.compile(r"(\b[a-z][a-z0-9+.-]*://)(?![^/@:\s]+:\d+/)(?:[^/@:\s]*:\S*|[^/@\s]+)@", re.IGNORECASE)
"""Its user and password, which may have a `/` or `@` in it; no `@` of a path behind a host, or its port, is meant."""
_BEFORE_HOST = re.compile(r"(?<!\w)([\w.+-]*:)[^\s@/]+(?=@(?!sha\d+:)[\w-])")
"""`user:password@host` without a scheme."""
_OF_URL_PATH = re.compile(r"(?<=/)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}(?=[/?#\s]|$)")
_BEARER = re.compile(r"\b((?:bearer|basic)\s+)\S+", re.IGNORECASE)
_KNOWN = re.compile(
    r"\b(?:sk|pk|rk)[-_][\w-]{16,}|\bgh[opusr]_\w{20,}|\bgithub_pat_\w{20,}|\bglpat-[\w-]{16,}|\bxox[abprs]-[\w-]{10,}"
    r"|\b(?:AKIA|ASIA)[A-Z0-9]{12,}|\bAIza[\w-]{30,}|\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?|\bnpm_\w{20,}"
    r"|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bya29\.[\w-]+|\bhf_\w{20,}|-----BEGIN[^-]*PRIVATE KEY-----.*",
    re.DOTALL,
)
"""Beginnings that providers give to their keys, JSON web tokens, PEM keys."""
_RANDOM = re.compile(r"(?<![\w./-])(?=[\w+=-]*\d)(?=[\w+=-]*[A-Za-z])[A-Za-z0-9_+=-]{32,}(?![\w./-])")
"""Letters and digits without an end: a hash, too, but no path, no number, no name of words."""
_BASE64 = re.compile(r"(?<![\w/+=.-])(?=[\w/+]*\d)(?=[\w/+]*[a-z])(?=[\w/+]*[A-Z])[A-Za-z0-9/+]{40}(?![\w/+=.-])")
"""As long as a secret key of AWS, which has slashes as a path has."""

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
    "-p": re.compile(r"sshpass|mysql\w*|mariadb\S*|mongo\w*|7z\w?|cqlsh"),
    "-P": re.compile(r"sqlcmd|zip|unzip"),
    "-a": re.compile(r"redis-cli|valkey-cli"),
    "-w": re.compile(r"ldap\w+"),
}
"""Options that are passwords after these programs alone, and a port or a path after others."""
_USER = re.compile(r"-u|-U|--(?:[\w-]*-)?user")
_USER_VALUE = re.compile(r"((?:-[uU]|--(?:[\w-]*-)?user=)?[^:%/\s]+[:%])\S.*", re.DOTALL)


def masked(argv: Sequence[str]) -> tuple[str, ...]:
    """The words, each secret in them as `•••`. What follows an option such as `--token` is masked as a word, and so is
    code that an interpreter is given."""
    kept: list[str] = []
    programs: list[str] = []
    option = ""
    for word in argv:
        kept.append(_masked_word(word, option, programs))
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
    return _BASE64.sub(MASK, _RANDOM.sub(MASK, _KNOWN.sub(MASK, text)))


def _masked_word(word: str, option: str, programs: Sequence[str]) -> str:
    named = _OPTION.fullmatch(option)
    if (named is not None and is_secret(named[1])) or _follows(option, _CODE, programs):
        return MASK
    if _follows(option, _SHORT, programs):
        return MASK
    if len(word) > 2 and _follows(word[:2], _SHORT, programs):
        return word[:2] + MASK
    if _USER.fullmatch(option) or re.match(r"-[uU].|--(?:[\w-]*-)?user=", word):
        word = _USER_VALUE.sub(rf"\1{MASK}", word)
    return masked_text(_JOINED_CODE.sub(rf"\1{MASK}", word))


def _follows(option: str, of: dict[str, re.Pattern[str]], programs: Sequence[str]) -> bool:
    """Whether an option stands behind a program that has it with this meaning."""
    return option in of and any(of[option].fullmatch(program) for program in programs)


def is_secret(name: str) -> bool:
    """Whether the name of an option, variable or label is that of a secret."""
    joined = re.sub(r"[^a-z]", "", name.lower())
    return _ANYWHERE.search(joined) is not None or any(part.lower() in _PARTS for part in _PART.findall(name))


def _named_masked(text: str) -> str:
    """To the end of the text from the first name of a secret on; in a query, to its next part."""
    kept, begin = "", 0
    for found in _NAMED.finditer(text):
        if found.start() < begin or not is_secret(found[1]):
            continue
        kept += text[begin : found.end()] + MASK
        end = _QUERY_END.search(text, found.end()) if text[found.start() - 1 : found.start()] in ("?", "&") else None
        if end is None:
            return kept
        begin = end.start()
    return kept + text[begin:]
