"""Which recorder fits a command, what it is started with and what it leaves: values and pure functions. What runs a
child stands in `server/adapters/recording`.
"""
