"""Profiles whose call tree was made from another's: transforms leave handles as they are, and times too.

Nodes and spans keep the handles they have in the recording, so that `n345` of a transformed tree leads to the same
place as before.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from traces.model import NONE, Int32, Int64, Profile

Index = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class MappedProfile(Profile):
    """`base` is the profile as it was recorded.

    For each node of its tree `leaf` is the node that has what it spent itself (-1: nobody has), `shown` the node that
    stands for it (-1: it is not shown). `refs` is for each node here the first of those it stands for, `span_rows` for
    each span here its row there. An `inverted` tree has callers below callees: `leaf` and `shown` say nothing then.
    """

    base: Profile
    leaf: Int32
    shown: Int32
    refs: Int64
    span_rows: Int64
    inverted: bool


def as_recorded(profile: Profile) -> Profile:
    """The profile that the file has."""
    return profile.base if isinstance(profile, MappedProfile) else profile


def node_refs(profile: Profile, nodes: Index) -> Int64:
    """The numbers behind the handles of nodes of its tree."""
    if isinstance(profile, MappedProfile):
        return profile.base.node_base + profile.refs[nodes]
    return profile.node_base + nodes.astype(np.int64, copy=False)


def span_refs(profile: Profile, rows: Index) -> Int64:
    """The numbers behind the handles of its spans."""
    if isinstance(profile, MappedProfile):
        return profile.base.span_base + profile.span_rows[rows]
    return profile.span_base + rows.astype(np.int64, copy=False)


def nodes_of_refs(profile: Profile, refs: Int64) -> Int64:
    """The nodes of its tree that numbers of the recording's nodes stand for, -1 where that is not shown."""
    local = refs - profile.node_base
    if not isinstance(profile, MappedProfile):
        return local
    if profile.inverted:
        known = dict(zip(profile.refs.tolist()[::-1], range(len(profile.refs) - 1, -1, -1), strict=True))
        return np.array([known.get(number, NONE) for number in local.tolist()], np.int64)
    return profile.shown[local].astype(np.int64)


def rows_of_refs(profile: Profile, refs: Int64) -> Int64:
    """The spans that numbers of the recording's spans stand for, -1 where one is not shown."""
    local = refs - profile.span_base
    if not isinstance(profile, MappedProfile):
        return local
    place = np.searchsorted(profile.span_rows, local)
    return np.where(np.append(profile.span_rows, NONE)[place] == local, place, NONE)
