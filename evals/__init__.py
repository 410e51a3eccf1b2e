"""Questions with known answers, asked of the built-in analyst and of any model that is set. docs/evaluation.md"""
