-- name: may_upload
-- Before anything is counted.
select flamechat_private.require_role(%(user_id)s, %(account_id)s, 'member')

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
    expires_at, labels, program
)
select
    %(trace_id)s, %(account_id)s, %(user_id)s, %(name)s, %(sha256)s, %(size_bytes)s, %(format)s, %(unit)s,
    %(duration_ns)s, %(summary)s, %(object_path)s, %(created_at)s, %(expires_at)s, %(labels)s, %(program)s
from flamechat_private.require_role(%(user_id)s, %(account_id)s, 'member')

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

-- name: search_traces
-- A page of the caller's, newest first; what is null does not matter.
select t.* from public.traces t
where t.account_id = %(account_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
    and (%(program)s::text is null or t.program = %(program)s)
    and t.labels @> %(labels)s
    and (%(since)s::timestamptz is null or t.created_at >= %(since)s)
    and (
        %(text)s::text is null or strpos(lower(t.name), %(text)s) > 0 or strpos(lower(t.program), %(text)s) > 0
        or exists (select from jsonb_each_text(t.labels) l where strpos(lower(l.value), %(text)s) > 0)
    )
    and (%(after_at)s::timestamptz is null or (t.created_at, t.id) < (%(after_at)s, %(after_id)s::uuid))
order by t.created_at desc, t.id desc
limit %(limit)s

-- name: trace_to_label
-- If the caller may; who changes its labels at the same time waits.
select labels, program from public.traces where id = flamechat_private.trace_to_change(%(user_id)s, %(trace_id)s)
for update

-- name: label_trace
-- All of its labels anew; the statement before has looked at who may.
update public.traces set labels = %(labels)s, program = %(program)s where id = %(trace_id)s
returning *

-- name: delete_trace
-- With all conversations about it; the paths of the pictures in them.
select * from flamechat_private.delete_trace(%(user_id)s, %(trace_id)s) as picture

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

-- name: is_content_used
-- Whether the cache of these bytes still serves somebody.
select exists (select from public.traces where sha256 = %(sha256)s) as is_used

-- name: share_trace
-- The function decides whether the caller and their plan may.
select public.share_trace(%(user_id)s, %(trace_id)s, %(token_hash)s)

-- name: shared_trace
-- By the hash of a link's token; nobody need be signed in.
select * from public.shared_trace(%(token_hash)s)

-- name: share_session
-- The function decides whether the caller and their plan may.
select public.share_chat_session(%(user_id)s, %(session_id)s, %(token_hash)s)

-- name: shared_session
-- By the hash of a link's token; nobody need be signed in.
select * from public.shared_chat_session(%(token_hash)s)
