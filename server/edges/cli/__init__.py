"""The terminal: `main` names the modules that declare the commands with their options, and builds the one that is asked
for. What a command does is a module again, imported when it runs.
"""
