"""A trace under the name of another file with the same content."""

from dataclasses import replace

from traces.model import Profile, Trace
from traces.roles import role_of
from traces.values import RoleRule


def under_name(trace: Trace, name: str) -> Trace:
    """The trace as if it had been read from a file of that name; profiles that are named after the file follow."""
    if name == trace.name:
        return trace
    return replace(trace, name=name, profiles=tuple(_renamed(p, trace.name, name) for p in trace.profiles))


def _renamed(profile: Profile, before: str, name: str) -> Profile:
    """Formats without names of threads take the file's, some with a thread or an event behind a comma."""
    if profile.name != before and not profile.name.startswith(f"{before}, "):
        return profile
    named = name + profile.name.removeprefix(before)
    is_main = profile.role_rule is RoleRule.METADATA
    role, role_rule = role_of(named, profile.pid, profile.tid, is_main=is_main)
    return replace(profile, name=named, role=role, role_rule=role_rule)
