-- name: open_session
-- The session, made when it is new; the function decides whether the caller may.
select * from public.open_chat_session(%(user_id)s, %(trace_id)s, %(session_id)s)

-- name: session
-- One session, if one of the caller's accounts holds it.
select * from public.chat_sessions
where id = %(session_id)s and account_id in (select flamechat_private.accounts_of(%(user_id)s))

-- name: sessions
-- The list beside the chat: what was never spoken in is not shown.
select * from public.chat_sessions s
where s.account_id = %(account_id)s
    and s.account_id in (select flamechat_private.accounts_of(%(user_id)s))
    and (%(trace_id)s::uuid is null or s.trace_id = %(trace_id)s)
    and exists (select from public.chat_messages m where m.session_id = s.id)
order by s.updated_at desc, s.id
limit %(limit)s

-- name: rename_session
-- A new title; not a use of the session, so it keeps its place in the list.
update public.chat_sessions set title = %(title)s
where id = %(session_id)s and account_id in (select flamechat_private.accounts_of(%(user_id)s, p_writing => true))
returning *

-- name: delete_session
-- The paths of the pictures it held.
select * from public.delete_chat_session(%(user_id)s, %(session_id)s) as picture

-- name: reserve_turn
-- Decide, count, insert the turn and the user's message, in one call.
select * from public.reserve_chat_turn(
    %(user_id)s, %(trace_id)s, %(session_id)s, %(turn_id)s, %(kind)s, %(prompt)s, %(context)s,
    p_model => %(model)s, p_queue_behind => %(queue_behind)s, p_supersedes => %(supersedes)s
)

-- name: sessions_answering
-- In how many sessions a turn of the user's runs or waits. Exact after `reserve_turn` in the same transaction, which has
-- locked his subscription: his other prompts stand in line behind this one, in every process.
select count(distinct t.session_id) as answering from public.chat_turns t
where t.user_id = %(user_id)s and t.ended_at is null

-- name: turn
-- One turn, if one of the caller's accounts holds it.
select * from public.chat_turns
where id = %(turn_id)s and account_id in (select flamechat_private.accounts_of(%(user_id)s))

-- name: start_turn
-- The turn as it starts, or no row when there is nothing to run.
select * from public.start_chat_turn(%(turn_id)s, %(owner)s)

-- name: stands_behind
-- Whether an earlier turn of its session has not ended. An earlier one cannot come later: places are given out under the
-- session's lock.
select exists (
    select from public.chat_turns t join public.chat_turns earlier on earlier.session_id = t.session_id
    where t.id = %(turn_id)s and earlier.ordinal < t.ordinal and earlier.ended_at is null
) as waits

-- name: hand_over_turn
-- Its server was told to stop, or lost the database: this attempt is none of those that count against it.
update public.chat_turns set handed_over = handed_over + 1
where id = %(turn_id)s and attempt = %(attempt)s and ended_at is null

-- name: request_cancel
-- An ended turn is left as it is, and returned.
update public.chat_turns set cancel_requested = cancel_requested or ended_at is null
where id = %(turn_id)s and account_id in (select flamechat_private.accounts_of(%(user_id)s, p_writing => true))
returning *

-- name: end_turn
-- False when it has ended already.
select public.end_chat_turn(
    %(turn_id)s, %(status)s, %(messages)s, %(title)s, %(error_code)s, %(model)s, %(prompt_version)s,
    %(input_tokens)s, %(output_tokens)s, %(delivered_anything)s
) as ended

-- name: turn_cost
-- US dollars; beside the ending, in its transaction.
update public.chat_turns set cost_usd = %(cost_usd)s where id = %(turn_id)s

-- name: holds_turn
-- Whether the attempt that asks is still the turn's newest; locks until the transaction ends.
select flamechat_private.holds_chat_turn(%(turn_id)s, %(attempt)s) as holds

-- name: take_broadcasts
-- How many of the wanted broadcasts may be sent now, over all processes.
select flamechat_private.take_broadcasts(%(wanted)s, %(per_second)s) as taken

-- name: write_turn_events
-- Only of turns that still belong to the attempt in whose block the numbers lie; an end is told by who has stored it.
insert into flamechat_private.turn_events (turn_id, seq, session_id, event, ends_turn)
select e.turn_id, e.seq, e.session_id, e.event, e.ends_turn
from unnest(%(turns)s::uuid[], %(seqs)s::bigint[], %(sessions)s::uuid[], %(events)s::text[], %(ends)s::boolean[])
    as e (turn_id, seq, session_id, event, ends_turn)
join public.chat_turns t on t.id = e.turn_id
where t.attempt <= e.seq / %(per_attempt)s + 1 or e.ends_turn
on conflict do nothing

-- name: untold_ends
-- Turns that ended some time ago, and nobody said so.
select t.id from public.chat_turns t
where t.id = any(%(turns)s::uuid[]) and t.ended_at < now() - interval '3 s'
    and not exists (select from flamechat_private.turn_events e where e.turn_id = t.id and e.ends_turn)

-- name: turn_events_missing
-- Which of these events are not there.
select e.turn_id from unnest(%(turns)s::uuid[], %(seqs)s::bigint[]) as e (turn_id, seq)
where not exists (
    select from flamechat_private.turn_events t where t.turn_id = e.turn_id and t.seq = e.seq
)

-- name: replace_turn_events
-- What the turns' new rows tell again. A newer attempt's numbers are higher.
delete from flamechat_private.turn_events t
using unnest(%(turns)s::uuid[], %(seqs)s::bigint[]) as e (turn_id, seq)
where t.turn_id = e.turn_id and t.seq <= e.seq

-- name: announce_turn_events
-- Ids and numbers, nothing of what was said.
select pg_notify(%(channel)s, news) from unnest(%(news)s::text[]) as news

-- name: read_turn_events
-- What was told of these sessions by others, beyond what is known of each turn. Of one that has ended nothing before its
-- end is there: who comes meanwhile reads the messages.
select e.session_id, e.turn_id, e.seq, e.event, e.ends_turn
from flamechat_private.turn_events e
left join unnest(%(turns)s::uuid[], %(seen)s::bigint[]) as k (turn_id, seq) on k.turn_id = e.turn_id
where e.session_id = any(%(sessions)s::uuid[]) and e.turn_id <> all(%(own)s::uuid[]) and e.seq > coalesce(k.seq, -1)
    and not (
        exists (select from public.chat_turns t where t.id = e.turn_id and t.ended_at is not null)
        and not exists (select from flamechat_private.turn_events x where x.turn_id = e.turn_id and x.ends_turn)
    )
order by e.written_at, e.turn_id, e.seq

-- name: messages_by_id
-- What was just stored, in order.
select * from public.chat_messages where id = any(%(message_ids)s) order by position

-- name: unended_turns
-- What a server that starts has to run or to close, oldest session first, each in its order.
select * from public.chat_turns where ended_at is null
order by min(created_at) over (partition by session_id), session_id, ordinal

-- name: pictures_of_nobody
-- A picture is stored before its message, which comes with the end of its turn: until then it may still be held.
select path from unnest(%(paths)s::text[]) as path
where path ~ '^[^/]+/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/[^/]+$'
    and not exists (
        select from public.chat_turns t where t.id = split_part(path, '/', 2)::uuid and (
            t.ended_at is null
            or exists (select from public.chat_messages m where m.turn_id = t.id and m.content_image_path = path)
        )
    )

-- name: messages
-- The newest messages before a position, of the turns that stand; the caller puts them in order.
select m.*, f.score as feedback
from public.chat_messages m
left join public.message_feedback f on f.message_id = m.id and f.user_id = %(user_id)s
where m.session_id = %(session_id)s and (%(before)s::integer is null or m.position < %(before)s)
    and (m.turn_id is null or m.turn_id not in (select flamechat_private.superseded_turns(%(session_id)s)))
order by m.position desc
limit %(limit)s

-- name: versions
-- The turns that stand in another's place, each with those it replaced, oldest first.
with recursive chain (turn_id, earlier, step) as (
    select t.id, t.supersedes, 1 from public.chat_turns t
    where t.session_id = %(session_id)s and t.supersedes is not null and t.status <> 'failed'
        and t.id not in (select flamechat_private.superseded_turns(%(session_id)s))
    union all
    select c.turn_id, t.supersedes, c.step + 1 from chain c join public.chat_turns t on t.id = c.earlier
    where t.supersedes is not null
)
select turn_id, array_agg(earlier order by step desc) as earlier from chain group by turn_id

-- name: messages_of_turn
-- Of one turn, whether it stands or not.
select m.*, f.score as feedback
from public.chat_messages m
left join public.message_feedback f on f.message_id = m.id and f.user_id = %(user_id)s
where m.session_id = %(session_id)s and m.turn_id = %(turn_id)s
order by m.position

-- name: rate_message
-- One opinion per user and answer.
select public.rate_chat_message(%(user_id)s, %(message_id)s, %(score)s, %(reason)s)

-- name: turn_of_message
-- After `rate_message`, which has looked whose it is.
select turn_id from public.chat_messages where id = %(message_id)s

-- name: limits
-- Where the caller stands; a session that is not his counts nothing.
select * from public.chat_limits(%(user_id)s, (
    select id from public.chat_sessions
    where id = %(session_id)s and account_id in (select flamechat_private.accounts_of(%(user_id)s))
))

-- name: reserve_upload
-- Count an upload, or say which ceiling is reached.
select * from public.reserve_trace_upload(%(user_id)s)

-- name: release_upload
-- Give back an upload that did not become a trace.
select public.release_trace_upload(%(user_id)s)

-- name: insert_trace
-- The trigger holds it to its maker's plan.
insert into public.traces (
    id, account_id, user_id, name, sha256, size_bytes, format, unit, duration_ns, summary, object_path, created_at,
    expires_at
)
values (
    %(trace_id)s, %(account_id)s, %(user_id)s, %(name)s, %(sha256)s, %(size_bytes)s, %(format)s, %(unit)s,
    %(duration_ns)s, %(summary)s, %(object_path)s, %(created_at)s, %(expires_at)s
)

-- name: trace
-- One trace, if one of the caller's accounts holds it.
select * from public.traces
where id = %(trace_id)s and account_id in (select flamechat_private.accounts_of(%(user_id)s))

-- name: traces
-- The caller's list, newest first.
select * from public.traces
where account_id = %(account_id)s and account_id in (select flamechat_private.accounts_of(%(user_id)s))
order by created_at desc, id
limit %(limit)s

-- name: delete_trace
-- The row, with its sessions by cascade; returned so that its objects can follow.
delete from public.traces
where id = %(trace_id)s and account_id in (select flamechat_private.accounts_of(%(user_id)s, p_writing => true))
returning *

-- name: make_user
-- The local user, whom no identity provider knows; the trigger gives him account, profile and subscription.
insert into auth.users (id) values (%(user_id)s) on conflict do nothing

-- name: put_on_plan
-- The plan of a user who was just made.
update public.user_subscriptions
set plan_id = (select id from public.subscription_plans where name = %(plan)s), status = 'active'
where user_id = %(user_id)s

-- name: settle_user
-- What every user has, made where it is missing; refused for one whom auth.users does not hold.
select flamechat_private.settle_user(%(user_id)s)

-- name: personal_account
-- The account that is the user's own.
select id from public.accounts where personal_user_id = %(user_id)s

-- name: plans
-- What is on offer, and what was.
select * from public.subscription_plans order by name

-- name: plan
-- Locked, so that what is made of it is made of what is there.
select * from public.subscription_plans where name = %(name)s for update

-- name: create_plan
-- No row when the name is taken.
insert into public.subscription_plans (
    name, display_name, price_monthly, chat_messages_per_session, chat_sessions_limit, chat_sessions_period,
    monthly_upload_limit, total_trace_limit, retention_days, allow_public_sharing, hidden_tools, chat_models
)
values (
    %(name)s, %(display_name)s, %(price_monthly)s, %(chat_messages_per_session)s, %(chat_sessions_limit)s,
    %(chat_sessions_period)s, %(monthly_upload_limit)s, %(total_trace_limit)s, %(retention_days)s,
    %(allow_public_sharing)s, %(hidden_tools)s, %(chat_models)s
)
on conflict (name) do nothing

-- name: change_plan
-- Everything of it; the functions read it anew with every prompt.
update public.subscription_plans
set display_name = %(display_name)s, price_monthly = %(price_monthly)s,
    chat_messages_per_session = %(chat_messages_per_session)s, chat_sessions_limit = %(chat_sessions_limit)s,
    chat_sessions_period = %(chat_sessions_period)s, monthly_upload_limit = %(monthly_upload_limit)s,
    total_trace_limit = %(total_trace_limit)s, retention_days = %(retention_days)s,
    allow_public_sharing = %(allow_public_sharing)s, hidden_tools = %(hidden_tools)s,
    chat_models = %(chat_models)s,
    retired_at = case when %(is_retired)s then coalesce(retired_at, now()) end, updated_at = now()
where name = %(name)s

-- name: user_usage
-- Where one user stands, or all.
select * from public.user_usage(%(user_id)s, %(limit)s, %(offset)s)

-- name: conversations_of
-- Those of these users that have so many messages, as a prompt's reservation counts them.
select count(*) as conversations from public.chat_sessions s
where s.user_id = any(%(users)s::uuid[]) and flamechat_private.messages_counted(s.id) >= %(messages)s

-- name: subscribe
-- A plan, in good standing; the counters stay.
update public.user_subscriptions
set plan_id = (select id from public.subscription_plans where name = %(plan)s),
    status = case %(plan)s when 'free' then 'free' else 'active' end, updated_at = now()
where user_id = %(user_id)s

-- name: grant_sessions
-- On top of the plan.
update public.user_subscriptions set granted_sessions = granted_sessions + %(sessions)s, updated_at = now()
where user_id = %(user_id)s

-- name: reset_usage
-- All counters, in one call.
select public.reset_user_usage(%(user_id)s)

-- name: note_plan_change
-- The audit.
insert into public.plan_changes (changed_by, user_id, plan_name, action, before, after, reason)
values (
    %(changed_by)s, %(user_id)s, %(plan_name)s, %(action)s, %(before)s, %(after)s, %(reason)s
)

-- name: plan_changes
-- The audit, newest first.
select * from public.plan_changes order by id desc limit %(limit)s

-- name: roll_periods
-- Monthly counters of everybody whose month is over.
select public.reset_expired_monthly_limits()

-- name: expired_traces
-- With the pictures of all their conversations; a turn that runs is waited for.
select t.id, t.sha256, t.object_path, array(
    select m.content_image_path
    from public.chat_messages m join public.chat_sessions s on s.id = m.session_id
    where s.trace_id = t.id and m.content_image_path is not null
) as pictures
from public.traces t
where t.expires_at <= %(now)s
    and not exists (select from public.chat_turns c where c.trace_id = t.id and c.ended_at is null)
order by t.expires_at
limit %(limit)s

-- name: delete_expired_trace
-- Sessions, turns and messages go with it.
delete from public.traces where id = %(trace_id)s and expires_at <= %(now)s

-- name: bytes_are_held
-- Whether the cache of these bytes still serves somebody.
select exists (select from public.traces where sha256 = %(sha256)s) as held

-- name: share_trace
-- The function decides whether the caller and his plan may.
select public.share_trace(%(user_id)s, %(trace_id)s, %(token_hash)s)

-- name: shared_trace
-- By the hash of a link's token; nobody need be signed in.
select * from public.shared_trace(%(token_hash)s)
