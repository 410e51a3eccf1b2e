"""The limits room: plans, usage, what a refusal means, and the use cases of their administration.

Atomicity lives in SQL (`supabase/migrations`): the database decides whether a prompt or an upload is accepted. This
room owns the types of those answers, what they mean to a person, and the check that a running turn makes from its own
state. Knows no other room. Start at `decisions`.
"""
