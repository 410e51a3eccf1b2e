-- name: take_broadcasts
-- How many of the requested broadcasts may be sent now, over all processes.
select flamechat_private.take_broadcasts(%(requested)s, %(per_second)s) as taken

-- name: write_turn_events
-- Only of turns that still belong to the attempt in whose block the numbers lie; an end is published by the process
-- that stored it. What is announced are ids and numbers, nothing of what was said.
with written as (
    insert into flamechat_private.turn_events (turn_id, seq, session_id, event, ends_turn)
    select e.turn_id, e.seq, e.session_id, e.event, e.ends_turn
    from unnest(%(turns)s::uuid[], %(seqs)s::bigint[], %(sessions)s::uuid[], %(events)s::text[], %(ends)s::boolean[])
        as e (turn_id, seq, session_id, event, ends_turn)
    join public.chat_turns t on t.id = e.turn_id
    where t.attempt <= e.seq / %(per_attempt)s + 1 or e.ends_turn
    on conflict do nothing
)
select pg_notify(a.channel, a.news) from unnest(%(channels)s::text[], %(news)s::text[]) as a (channel, news)

-- name: unpublished_ends
-- Turns that ended some time ago without an end among their events.
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
-- Rows that the turns' new rows replace. A newer attempt's numbers are higher.
delete from flamechat_private.turn_events t
using unnest(%(turns)s::uuid[], %(seqs)s::bigint[]) as e (turn_id, seq)
where t.turn_id = e.turn_id and t.seq <= e.seq

-- name: read_turn_events
-- What others published of these sessions, beyond what is known of each turn, of turns that run or have ended since
-- somebody looked last.
-- Of one that has ended nothing before its end is there: who comes meanwhile reads the messages. In the order of turns
-- and numbers, which no clock that is set back changes.
select e.session_id, e.turn_id, e.seq, e.event, e.ends_turn
from public.chat_turns t
left join unnest(%(turns)s::uuid[], %(seen)s::bigint[]) as k (turn_id, seq) on k.turn_id = t.id
join flamechat_private.turn_events e on e.turn_id = t.id and e.seq > coalesce(k.seq, -1)
where t.session_id = any(%(sessions)s::uuid[]) and t.id <> all(%(own)s::uuid[])
    and (
        t.ended_at is null
        or t.ended_at > now() - make_interval(secs => %(ended_within_s)s) and exists (
            select from flamechat_private.turn_events x where x.turn_id = t.id and x.ends_turn
        )
    )
order by t.session_id, t.ordinal, e.seq
