"""Whether runs after a change keep the rules that runs before it set: rules as values, what each run measured, the
tests, and the judgement. docs/ci.md says how it is used.
"""
