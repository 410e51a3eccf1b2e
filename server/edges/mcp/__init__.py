"""The agent's tools for other programs, over the Model Context Protocol: `mounted` is the door of a running server,
`local` a process that talks over its own stdin and stdout. `tools` is what both answer.
"""
