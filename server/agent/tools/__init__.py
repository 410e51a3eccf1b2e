"""The tools that question a trace: `table.TOOLS` is all of them, `running.run_tool` how one is run.

The same objects serve the chat, other programs and the command line: a tool is a question (a pure function from a trace
and validated arguments to an `Outcome`) with its name, description and bounds.
"""
