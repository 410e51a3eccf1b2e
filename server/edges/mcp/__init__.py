"""The agent's tools for other programs, over the Model Context Protocol: `mounted` is the part of a running server,
`stdio` a process that talks over its own stdin and stdout. `tools` is what both answer.
"""
