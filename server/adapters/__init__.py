"""The world behind the ports: `postgres` (rows, migrations, the embedded server), `folder` (objects), `workers` (CPU
work in processes), `model` (language models), `in_process` (what needs no other process).
"""
