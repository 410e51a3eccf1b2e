-- name: read_core_memory
-- Refused for another's account.
select * from public.read_core_memory(%(user_id)s, %(account_id)s)

-- name: write_core_memory
-- Changes nothing unless the version stands.
select * from public.write_core_memory(%(user_id)s, %(account_id)s, %(text)s, %(version)s)

-- name: propose_core_memory
-- No row for what was declined lately.
select * from public.propose_core_memory(
    %(user_id)s, %(account_id)s, %(session_id)s, %(turn_id)s, %(action)s, %(old)s, %(text)s,
    int4range(%(starts)s, %(ends)s)
)

-- name: decide_core_memory
-- Once.
select * from public.decide_core_memory(%(user_id)s, %(proposal_id)s, %(decision)s, %(text)s)

-- name: core_memory_proposals
-- What the caller can still decide on.
select p.* from public.core_memory_proposals p
where p.session_id = %(session_id)s and p.user_id = %(user_id)s
    and p.account_id in (select flamechat_private.accounts_of(%(user_id)s))
    and (p.decision is null or p.decision = 'auto')
order by p.created_at, p.id

-- name: core_memory_changes
-- Newest first.
select c.* from public.core_memory_changes c
where c.account_id = %(account_id)s and c.account_id in (select flamechat_private.accounts_of(%(user_id)s))
order by c.version desc
limit %(limit)s

-- name: typed_prompts
-- The caller's own of a conversation, without what a program asked.
select t.prompt from public.chat_turns t
where t.session_id = %(session_id)s and t.user_id = %(user_id)s
    and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
    and not coalesce((t.context ->> %(by_program)s)::boolean, false)
order by t.ordinal

-- name: read_onboarding
-- The caller's own.
select o.*,
    coalesce((select m.initial_text from public.core_memories m where m.account_id = %(account_id)s), '') as initial_text
from public.read_onboarding(%(user_id)s, %(account_id)s) o

-- name: keep_onboarding
-- What was answered so far.
select public.keep_onboarding(%(user_id)s, %(account_id)s, %(state)s)

-- name: decline_onboarding
-- It is not offered again.
select public.decline_onboarding(%(user_id)s, %(account_id)s)

-- name: confirm_onboarding
-- The account's memory from now on, if the version stands.
select * from public.confirm_onboarding(%(user_id)s, %(account_id)s, %(text)s, %(answers)s, %(version)s)

-- name: core_memory_versions
-- Which version of these accounts stands.
select m.account_id, m.version from public.core_memories m where m.account_id = any(%(accounts)s::uuid[])

-- name: core_memory_proposed
-- How many proposals these conversations have had.
select p.session_id, count(*) as proposed from public.core_memory_proposals p
where p.session_id = any(%(sessions)s::uuid[])
group by p.session_id

-- name: is_asked_by
-- One row for a turn of the caller's own.
select true from public.chat_turns t
where t.id = %(turn_id)s and t.user_id = %(user_id)s and t.account_id = %(account_id)s

-- name: begin_collecting
-- No row where it has ended, another is at it, or it was started too often.
insert into public.collector_steps as s (turn_id, account_id)
select t.id, t.account_id from public.chat_turns t where t.id = %(turn_id)s for key share
on conflict (turn_id) do update set attempts = s.attempts + 1, started_at = now()
    where s.ended_at is null and s.attempts < %(most)s and s.started_at <= now() - make_interval(secs => %(after_s)s)
returning s.attempts, s.noticed

-- name: keep_noticed
-- Unless it has ended.
update public.collector_steps set noticed = %(noticed)s where turn_id = %(turn_id)s and ended_at is null

-- name: end_collecting
-- What was found is proposed.
update public.collector_steps set ended_at = now(), noticed = null where turn_id = %(turn_id)s and ended_at is null

-- name: left_collecting
-- Oldest first, of all accounts.
select s.turn_id, t.account_id, t.user_id
from public.collector_steps s
join public.chat_turns t on t.id = s.turn_id
where s.ended_at is null and s.attempts < %(most)s and s.started_at <= now() - make_interval(secs => %(after_s)s)
order by s.started_at
limit %(limit)s
