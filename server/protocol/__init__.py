"""The wire, sans-IO: every message that crosses a socket, as closed unions. `docs/protocol.md` describes each.

`client` what a browser sends, `server` what it gets, `events` what a turn emits (the same objects on every transport),
`values` what they carry, `typescript` the client's types made from them.
"""
