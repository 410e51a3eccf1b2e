"""The tools that question a trace: `all_tools.TOOLS` lists them, a module each, `contract/run_tool` is how one is run.

The same objects serve the chat, other programs and the command line: a tool is a question (a pure function from a trace
and validated arguments to an `Outcome`) with its name, description and bounds.
"""
