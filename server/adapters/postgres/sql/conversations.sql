-- name: open_session
-- The session, made when it is new; the function decides whether the caller may.
select * from public.open_chat_session(%(user_id)s, %(trace_id)s, %(session_id)s)

-- name: session
-- One session, if the caller may read it.
select * from public.chat_sessions
where id = %(session_id)s
    and id in (select r.session_id from flamechat_private.session_readers r where r.user_id = %(user_id)s)

-- name: sessions
-- The list of conversations: one in which nothing was asked is not shown.
select * from public.chat_sessions s
where s.account_id = %(account_id)s
    and s.id in (select r.session_id from flamechat_private.session_readers r where r.user_id = %(user_id)s)
    and (%(trace_id)s::uuid is null or s.trace_id = %(trace_id)s)
    and exists (select from public.chat_messages m where m.session_id = s.id and m.turn_id is not null)
order by s.updated_at desc, s.id
limit %(limit)s

-- name: rename_session
-- A new title; not a use of the session, so it keeps its place in the list.
update public.chat_sessions set title = %(title)s
where id = flamechat_private.session_to_change(%(user_id)s, %(session_id)s)
returning *

-- name: archive_session
-- Put away, or back; a session in which something is asked afterwards comes back by itself.
update public.chat_sessions set archived_at = case when %(archived)s then clock_timestamp() end
where id = flamechat_private.session_to_change(%(user_id)s, %(session_id)s)
returning *

-- name: show_session
-- The function decides whether the caller may.
select * from flamechat_private.show_chat_session(%(user_id)s, %(session_id)s, %(visibility)s)

-- name: found_sessions
-- Conversations over all traces, newest first, of those whose title, trace or text has the words, or whose trace has them
-- as its program or a label (`main` or `branch:main`); `passage` is the newest message that has them, of the turns that stand.
select s.*, t.name as trace_name, found.passage
from public.chat_sessions s
join public.traces t on t.id = s.trace_id
left join lateral (
    select m.content_text as passage from public.chat_messages m
    where %(text)s <> '' and m.session_id = s.id and m.turn_id is not null and m.sender in ('user', 'model')
        and position(lower(%(text)s) in lower(m.content_text)) > 0
        and m.turn_id not in (select flamechat_private.superseded_turns(s.id))
    order by m.position desc
    limit 1
) as found on true
where s.account_id = %(account_id)s
    and s.id in (select r.session_id from flamechat_private.session_readers r where r.user_id = %(user_id)s)
    and (%(trace_id)s::uuid is null or s.trace_id = %(trace_id)s)
    and (%(archived)s::boolean is null or coalesce(s.archived_at >= s.updated_at, false) = %(archived)s)
    and exists (select from public.chat_messages m where m.session_id = s.id and m.turn_id is not null)
    and (
        %(text)s = '' or found.passage is not null
        or position(lower(%(text)s) in lower(coalesce(s.title, ''))) > 0
        or position(lower(%(text)s) in lower(t.name)) > 0
        or lower(%(text)s) in (lower(t.program), lower('program:' || t.program))
        or exists (
            select from jsonb_each_text(t.labels) l
            where lower(%(text)s) in (lower(l.value), lower(l.key || ':' || l.value))
        )
    )
order by s.updated_at desc, s.id
limit %(limit)s offset %(offset)s

-- name: delete_session
-- The paths of the pictures in it.
select * from public.delete_chat_session(%(user_id)s, %(session_id)s) as picture

-- name: reserve_turn
-- Decide, count, insert the turn and the user's message, in one call.
select * from public.reserve_chat_turn(
    %(user_id)s, %(trace_id)s, %(session_id)s, %(turn_id)s, %(kind)s, %(prompt)s, %(context)s,
    p_model => %(model)s, p_queue_behind => %(queue_behind)s, p_supersedes => %(supersedes)s
)

-- name: session_to_write
-- Refused for who may not read it, and for who may only do that.
select flamechat_private.session_to_write(%(user_id)s, %(session_id)s)

-- name: hold_turn_budget
-- What its first call may cost, in the transaction that accepts it.
select * from public.hold_turn_budget(%(turn_id)s, %(bound_usd)s, %(bound_tokens)s)

-- name: may_note_refusal
-- A session in which the user may write, and no such note in it: all that a prompt costs that is refused again.
select exists (
    select from flamechat_private.session_readers r
    where r.session_id = %(session_id)s and r.user_id = %(user_id)s and r.may_write
) and not exists (select from public.chat_messages m where m.id = %(message_id)s) as may

-- name: lock_session
-- Until the transaction ends: places of messages are given out under it.
select from public.chat_sessions where id = %(session_id)s for update

-- name: note_refusal
-- Once, whoever was refused at the same moment.
insert into public.chat_messages (id, session_id, position, sender, content_text, metadata)
select %(message_id)s, s.id, flamechat_private.next_position(s.id), %(sender)s, %(text)s, %(metadata)s
from public.chat_sessions s where s.id = %(session_id)s
on conflict (id) do nothing

-- name: sessions_answering
-- In how many sessions a turn of the user's runs or waits. Exact after `reserve_turn` in the same transaction, which has
-- locked the subscription: the other prompts of the user stand in line behind this one, in every process.
select count(distinct t.session_id) as answering from public.chat_turns t
where t.user_id = %(user_id)s and t.ended_at is null

-- name: turn
-- One turn, if the caller may read its session.
select * from public.chat_turns
where id = %(turn_id)s
    and session_id in (select r.session_id from flamechat_private.session_readers r where r.user_id = %(user_id)s)

-- name: start_turn
-- The turn as it starts, or no row when there is nothing to run.
select * from public.start_chat_turn(%(turn_id)s, %(owner)s)

-- name: note_request
-- By which a turn was asked for; the same turn asked for again keeps the first.
update public.chat_turns
set request_id = %(request_id)s, request_trace_id = %(request_trace_id)s, api_key_id = %(api_key_id)s
where id = %(turn_id)s and request_id is null

-- name: note_run
-- What runs it, in the transaction of its start.
update public.chat_turns
set graph_name = %(graph_name)s, graph_version = %(graph_version)s, observation_trace_id = %(observation_trace_id)s
where id = %(turn_id)s

-- name: stands_behind
-- Whether an earlier turn of its session has not ended. An earlier one cannot come later: places are given out under the
-- session's lock. Who asked to stop it, or it has ended: it waits for nothing.
select exists (
    select from public.chat_turns t join public.chat_turns earlier on earlier.session_id = t.session_id
    where t.id = %(turn_id)s and t.ended_at is null and not t.cancel_requested
        and earlier.ordinal < t.ordinal and earlier.ended_at is null
) as waits

-- name: hand_over_turn
-- Its server was stopped, or lost the database: this attempt does not count against the turn. Noted once, also where the
-- answer to this statement was lost and it is sent again: what was handed over has no owner.
update public.chat_turns set handed_over = handed_over + 1, owner = null
where id = %(turn_id)s and attempt = %(attempt)s and ended_at is null and owner is not null

-- name: interrupt_turn
-- The attempt ends and the turn waits for the page; nothing of a turn that shall stop, or that another attempt has. It
-- waits by the database's clock, which may not be the server's.
update public.chat_turns
set interrupt_id = %(interrupt_id)s, interrupt = %(interrupt)s,
    interrupt_expires_at = clock_timestamp() + (%(expires_at)s::timestamptz - %(now)s::timestamptz),
    interrupt_result = null, handed_over = handed_over + 1, owner = null
where id = %(turn_id)s and attempt = %(attempt)s and ended_at is null and owner is not null and not cancel_requested
returning id

-- name: turn_of_interrupt
-- The turn that asked the page this last, if the caller asked it and still may: it is about what their page shows.
select * from public.chat_turns
where interrupt_id = %(interrupt_id)s and user_id = %(user_id)s and session_id in (
    select r.session_id from flamechat_private.session_readers r where r.user_id = %(user_id)s and r.may_write
)

-- name: waiting_turn
-- The turn of a session that waits for the page, if the caller may read the session.
select * from public.chat_turns
where session_id = %(session_id)s and interrupt_id is not null and interrupt_result is null and ended_at is null
    and not cancel_requested
    and session_id in (select r.session_id from flamechat_private.session_readers r where r.user_id = %(user_id)s)

-- name: resume_turn
-- The first answer counts; what is on screen now takes the place of what the prompt came with, where it is given.
update public.chat_turns
set interrupt_result = %(result)s, context = case
    when %(context)s::jsonb is null then context
    else %(context)s::jsonb || jsonb_strip_nulls(jsonb_build_object(%(kept)s::text, context -> %(kept)s::text))
end
where interrupt_id = %(interrupt_id)s and interrupt_result is null and ended_at is null and not cancel_requested
    and interrupt_expires_at > clock_timestamp() and user_id = %(user_id)s and session_id in (
        select r.session_id from flamechat_private.session_readers r where r.user_id = %(user_id)s and r.may_write
    )
returning *

-- name: expire_interrupts
-- Turns that have waited long enough go on without an answer.
update public.chat_turns set interrupt_result = %(result)s
where interrupt_id is not null and interrupt_result is null and ended_at is null and not cancel_requested
    and interrupt_expires_at <= clock_timestamp()
returning *

-- name: request_cancel
-- An ended turn is left as it is, and returned.
update public.chat_turns set cancel_requested = cancel_requested or ended_at is null
where id = %(turn_id)s and session_id = flamechat_private.session_to_write(
    %(user_id)s, (select t.session_id from public.chat_turns t where t.id = %(turn_id)s)
)
returning *

-- name: end_turn
-- False when it has ended already.
select public.end_chat_turn(
    %(turn_id)s, %(status)s, %(messages)s, %(title)s, %(error_code)s, %(model)s, %(prompt_version)s,
    %(input_tokens)s, %(output_tokens)s, %(delivered_anything)s
) as ended

-- name: turn_sums
-- In the transaction of the ending, and in that of a call which comes after it: a turn has used what its model calls
-- have, those too of an attempt that died before it kept their step, or that was overtaken. What is not known of a reply
-- that was taken is not known of the turn.
update public.chat_turns t
set input_tokens = case when call.calls > 0 then call.input_tokens else t.input_tokens end,
    output_tokens = case when call.calls > 0 then call.output_tokens else t.output_tokens end,
    cost_usd = case when call.calls > 0 then call.cost_usd else %(cost_usd)s::numeric end
from (
    select count(*) as calls,
        case when bool_and(i.outcome <> 'ok' or i.input_tokens is not null) then sum(i.input_tokens) end as input_tokens,
        case when bool_and(i.outcome <> 'ok' or i.output_tokens is not null) then sum(i.output_tokens) end as output_tokens,
        case when bool_and(i.outcome <> 'ok' or i.cost_usd is not null) then sum(i.cost_usd) end as cost_usd
    from public.ai_invocation_summaries i where i.turn_id = %(turn_id)s
) as call
where t.id = %(turn_id)s and (call.calls > 0 or %(cost_usd)s::numeric is not null)

-- name: holds_turn
-- Whether the attempt that asks is still the turn's newest; locks until the transaction ends.
select flamechat_private.holds_chat_turn(%(turn_id)s, %(attempt)s) as holds

-- name: messages_by_id
-- What was just stored, in order.
select * from public.chat_messages where id = any(%(message_ids)s) order by position

-- name: unended_turn
-- One that was not started: is there anything to close?
select * from public.chat_turns where id = %(turn_id)s and ended_at is null

-- name: unended_turns
-- What a server that starts has to run or to close, oldest session first, each in its order.
select * from public.chat_turns where ended_at is null
order by min(created_at) over (partition by session_id), session_id, ordinal

-- name: sweep_sessions
-- Sessions that were opened a day ago and in which nothing was asked, or only refused. Whoever comes back opens it
-- again, by its id.
delete from public.chat_sessions s
where s.id in (
    select e.id from public.chat_sessions e
    where e.created_at < now() - interval '1 day' and e.counted_as is null
        and not exists (select from public.chat_turns t where t.session_id = e.id)
        and not exists (select from public.chat_messages m where m.session_id = e.id and m.turn_id is not null)
    limit 1000
    for update skip locked
)
returning s.id

-- name: pictures_of_nobody
-- A picture is stored before its message, which comes with the end of its turn: until then it may still be needed.
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
-- Where the caller stands; a session that is not theirs counts nothing.
select * from public.chat_limits(%(user_id)s, (
    select r.session_id from flamechat_private.session_readers r
    where r.session_id = %(session_id)s and r.user_id = %(user_id)s
))
