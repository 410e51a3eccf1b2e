"""The world behind the ports: `postgres` (rows, migrations, the embedded server), `folder` (objects), `workers` (CPU
work in processes), `model` (language models and the built-in analyst), `memory` (the in-memory twin of each port).
"""
