"""Sources of an account at GitHub or GitLab, read at a commit by their REST interfaces."""
