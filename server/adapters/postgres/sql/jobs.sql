-- name: turn_has_ended
-- An ended turn gets no job.
select ended_at is not null as ended from public.chat_turns where id = %(turn_id)s

-- name: job_of_turn
-- The job that a turn has, waiting or taken, with how many of its session stand before it.
select id, status, (
    select count(*) from procrastinate_jobs b where b.lock = j.lock and b.id < j.id and b.status in ('todo', 'doing')
) as ahead
from procrastinate_jobs j
where queueing_lock = %(turn_id)s and status in ('todo', 'doing') order by id limit 1

-- name: notice_lost_machine
-- The server's side of this connection asks the other machine for a sign of life, and ends the session, with its lock,
-- after some 10 s without one. No effect on a local socket.
select set_config('tcp_keepalives_idle', '5', false), set_config('tcp_keepalives_interval', '1', false),
    set_config('tcp_keepalives_count', '5', false)

-- name: renew_lease
-- A sign of life of the worker.
update procrastinate_workers set last_heartbeat = now() where id = %(worker)s

-- name: unlock_leases
-- Of the worker that this process had before: it starts another one when the database was away.
select pg_advisory_unlock_all()

-- name: lock_lease
-- Ends with the connection, so with the process.
select pg_advisory_lock(%(class)s::integer, %(worker)s::integer)

-- name: stalled_jobs
-- Jobs of workers without a sign of life: whose process is gone, or which live (they hold their lock) and have been silent
-- for longer. A worker that left by itself is no longer there. `waiting`: the turn's next job, where it went on after a
-- person's answer. It waits behind this one, and no two of a turn can wait.
select j.id, j.queueing_lock as turn_id, lives.lives, (
    select n.id from procrastinate_jobs n where n.queueing_lock = j.queueing_lock and n.status = 'todo'
) as waiting
from procrastinate_jobs j
left join procrastinate_workers w on w.id = j.worker_id
cross join lateral (
    select exists (
        select from pg_locks l
        where l.locktype = 'advisory' and l.objsubid = 2 and l.granted
            and l.classid = %(class)s::integer::oid and l.objid = j.worker_id::integer::oid
            and l.database = (select oid from pg_database where datname = current_database())
    ) as lives
) as lives
where j.status = 'doing' and j.queue_name = %(queue)s and j.worker_id is distinct from %(own)s::bigint
    and (w.id is null or w.last_heartbeat < now() - make_interval(
        secs => case when lives.lives then %(silent_s)s::float8 else %(stalled_s)s::float8 end
    ))

-- name: note_overtaken
-- The attempt that runs lives, and another is about to take its place: that is not its death. Noted once: what was noted
-- has no owner. Times of the last 10 minutes are kept.
update public.chat_turns t
set overtaken = t.overtaken + 1, owner = null,
    overtaken_at = array(select a from unnest(t.overtaken_at) a where a > now() - interval '10 min') || now()
where t.id = %(turn_id)s::uuid and t.ended_at is null and t.owner is not null and t.attempt > 0

-- name: lock_sweep
-- One process sweeps at a time; the lock ends with the transaction.
select pg_try_advisory_xact_lock(%(key)s)

-- name: turns_without_job
-- Accepted turns that nobody would run, oldest session first, each in its order. One that waits for the page needs nobody,
-- unless it shall stop.
select t.id, t.session_id from public.chat_turns t
where t.ended_at is null and (t.interrupt_id is null or t.interrupt_result is not null or t.cancel_requested) and not exists (
    select from procrastinate_jobs j where j.queueing_lock = t.id::text and j.status in ('todo', 'doing')
)
order by min(t.created_at) over (partition by t.session_id), t.session_id, t.ordinal

-- name: delete_done_jobs
-- What the queue's own clean-up left.
delete from procrastinate_jobs where status not in ('todo', 'doing')

-- name: empty_old_turn_events
-- Listeners of other processes have long read them.
select empty_old_turn_events()

-- name: delete_checkpoints_of_newly_ended
-- Found by when their turns ended; a thread is named `<user>/<turn>/<version of the state>`.
with ended as materialized (
    select t.user_id || '/' || t.id || '/' || v.version as thread_id
    from public.chat_turns t, generate_series(1, %(versions)s) as v (version)
    where t.ended_at > now() - make_interval(secs => %(newly_s)s)
), writes as (
    delete from checkpoint_writes c using ended e where c.thread_id = e.thread_id
), blobs as (
    delete from checkpoint_blobs c using ended e where c.thread_id = e.thread_id
)
delete from checkpoints c using ended e where c.thread_id = e.thread_id

-- name: delete_ended_turns_checkpoint_writes
-- A thread is named `<user>/<turn>`: a turn that has ended, or is gone, resumes no more.
delete from checkpoint_writes c where not exists (
    select from public.chat_turns t
    where t.ended_at is null and t.user_id = split_part(c.thread_id, '/', 1)::uuid
        and t.id = split_part(c.thread_id, '/', 2)::uuid
)

-- name: delete_ended_turns_checkpoint_blobs
-- A thread is named `<user>/<turn>`: a turn that has ended, or is gone, resumes no more.
delete from checkpoint_blobs c where not exists (
    select from public.chat_turns t
    where t.ended_at is null and t.user_id = split_part(c.thread_id, '/', 1)::uuid
        and t.id = split_part(c.thread_id, '/', 2)::uuid
)

-- name: delete_ended_turns_checkpoints
-- A thread is named `<user>/<turn>`: a turn that has ended, or is gone, resumes no more.
delete from checkpoints c where not exists (
    select from public.chat_turns t
    where t.ended_at is null and t.user_id = split_part(c.thread_id, '/', 1)::uuid
        and t.id = split_part(c.thread_id, '/', 2)::uuid
)

-- name: newer_attempt
-- Whether a later attempt has the turn.
select exists (
    select from public.chat_turns where id = %(turn_id)s::uuid and attempt > %(attempt)s::integer
) as overtaken

-- name: keep_checkpoint
-- A step of a turn's graph and what changed in it, unless a later attempt has the turn.
with overtaken as materialized (
    select from public.chat_turns where id = %(turn_id)s::uuid and attempt > %(attempt)s::integer
), changed as (
    insert into checkpoint_blobs (thread_id, checkpoint_ns, channel, version, type, blob)
    select %(thread_id)s, %(namespace)s, b.channel, b.version, b.type, b.blob
    from unnest(%(channels)s::text[], %(versions)s::text[], %(types)s::text[], %(blobs)s::bytea[])
        as b (channel, version, type, blob)
    where not exists (select from overtaken)
    on conflict (thread_id, checkpoint_ns, channel, version) do nothing
), kept as (
    insert into checkpoints (thread_id, checkpoint_ns, checkpoint_id, parent_checkpoint_id, checkpoint, metadata)
    select
        %(thread_id)s, %(namespace)s, %(checkpoint_id)s, %(parent_id)s::text, %(checkpoint)s::jsonb, %(metadata)s::jsonb
    where not exists (select from overtaken)
    on conflict (thread_id, checkpoint_ns, checkpoint_id) do update
    set checkpoint = excluded.checkpoint, metadata = excluded.metadata
)
select exists (select from overtaken) as overtaken
