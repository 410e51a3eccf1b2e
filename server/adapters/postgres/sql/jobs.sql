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

-- name: lock_sweep
-- One process sweeps at a time; the lock ends with the transaction.
select pg_try_advisory_xact_lock(%(key)s)

-- name: turns_without_job
-- Accepted turns that nobody would run, oldest session first, each in its order.
select t.id, t.session_id from public.chat_turns t
where t.ended_at is null and not exists (
    select from procrastinate_jobs j where j.queueing_lock = t.id::text and j.status in ('todo', 'doing')
)
order by min(t.created_at) over (partition by t.session_id), t.session_id, t.ordinal

-- name: delete_done_jobs
-- What the queue's own clean-up left.
delete from procrastinate_jobs where status not in ('todo', 'doing')

-- name: delete_ended_turns_events
-- Listeners of other processes may still be reading the end.
delete from turn_events e
where e.written_at < now() - interval '10 s'
    and not exists (select from public.chat_turns t where t.id = e.turn_id and t.ended_at is null)

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
-- A row when a later attempt has the turn.
select from public.chat_turns where id = %(turn_id)s::uuid and attempt > %(attempt)s
