-- name: vectors_can_be_kept
-- Whether the migrations found the extension.
select to_regclass('public.memory_embeddings') is not null as kept

-- name: account_may_be_written
-- One row where the user may write in the account.
select true where %(account_id)s in (select flamechat_private.accounts_of(%(user_id)s, p_writing => true))

-- name: add_memory
-- Once for each key.
insert into public.memories (
    account_id, user_id, kind, text, source, source_key, trace_id, session_id, turn_id, meaning, words, metadata, anchors
)
select
    %(account_id)s, %(owner_id)s, %(kind)s, %(text)s, %(source)s, %(key)s, %(trace_id)s, %(session_id)s, %(turn_id)s,
    %(meaning)s, %(words)s, %(metadata)s, %(anchors)s
where not exists (
    select from public.memories m where m.account_id = %(account_id)s and m.source_key = %(key)s
)
on conflict (account_id, source_key) do nothing
returning id

-- name: sought_memories
-- As the function finds them; `among` is how many fit, counted as far as it matters.
select m.id, m.user_id, m.kind, m.text, m.source, m.source_key, m.trace_id, m.session_id, m.turn_id, m.meaning, m.words,
    m.metadata, m.anchors, m.superseded_by, m.created_at, t.name as trace_name, f.cosine, f.among
from flamechat_private.sought_memories(
    %(user_id)s, %(account_id)s, %(query)s, %(model)s, %(vector)s, %(kinds)s::text[], %(session_id)s::uuid,
    %(since)s::timestamptz, %(without_turns)s::uuid[], %(by_words)s, %(by_meaning)s, %(exact)s, %(selective)s
) f
join public.memories m on m.id = f.memory_id
left join public.traces t on t.id = m.trace_id
order by case when %(query)s = '' then m.created_at end desc, m.id

-- name: memories_by_id
-- Those that the user may read.
select m.*, t.name as trace_name
from flamechat_private.readable_memories m
left join public.traces t on t.id = m.trace_id
where m.reader_id = %(user_id)s and m.account_id = %(account_id)s and m.id = any(%(ids)s::uuid[])

-- name: rewrite_memory
-- Their own, or the account's where they may write.
update public.memories m
set text = %(text)s, meaning = %(meaning)s, words = %(words)s, anchors = %(anchors)s
from flamechat_private.readable_memories r
where m.id = %(memory_id)s and r.id = m.id and r.reader_id = %(user_id)s and r.account_id = %(account_id)s
    and (r.user_id = %(user_id)s or (r.user_id is null and r.may_write))
returning m.*, (select t.name from public.traces t where t.id = m.trace_id) as trace_name

-- name: remove_vectors_of_memory
-- They say what it meant before.
delete from public.memory_embeddings where memory_id = %(memory_id)s

-- name: forget_memory
-- Their own, or the account's where they may write.
delete from public.memories m
using flamechat_private.readable_memories r
where m.id = %(memory_id)s and r.id = m.id and r.reader_id = %(user_id)s and r.account_id = %(account_id)s
    and (r.user_id = %(user_id)s or (r.user_id is null and r.may_write))
returning m.*, (select t.name from public.traces t where t.id = m.trace_id) as trace_name

-- name: forget_own_memories
-- The user's own of the account.
delete from public.memories m
where m.account_id = %(account_id)s and m.user_id = %(user_id)s
    and %(account_id)s in (select flamechat_private.accounts_of(%(user_id)s))
returning m.id

-- name: forget_memories_of_account
-- The account's, by its owner; nobody's own.
delete from public.memories m
where m.account_id = %(account_id)s and m.user_id is null
    and exists (
        select from public.account_members a
        where a.account_id = %(account_id)s and a.user_id = %(user_id)s and a.role = 'owner'
    )
returning m.id

-- name: account_is_owned
-- One row for an owner.
select true
from public.account_members a
where a.account_id = %(account_id)s and a.user_id = %(user_id)s and a.role = 'owner'

-- name: memories_listed
-- Newest first.
select m.*, t.name as trace_name
from flamechat_private.readable_memories m
left join public.traces t on t.id = m.trace_id
where m.reader_id = %(user_id)s and m.account_id = %(account_id)s
    and (%(before)s::timestamptz is null or m.created_at < %(before)s)
order by m.created_at desc, m.id
limit %(most)s

-- name: traces_to_remember
-- Oldest first, of all accounts.
select t.id, t.account_id, t.name, t.summary
from public.traces t
where t.memory_taken_at is null
order by t.created_at
limit %(most)s

-- name: turns_to_remember
-- With what was answered last.
select t.id, t.account_id, t.user_id, t.session_id, s.trace_id, t.prompt, a.content_text, a.metadata
from public.chat_turns t
join public.chat_sessions s on s.id = t.session_id
left join lateral (
    select m.content_text, m.metadata
    from public.chat_messages m
    where m.turn_id = t.id and m.sender = 'model'
    order by m.position desc
    limit 1
) a on true
where t.memory_taken_at is null and t.status = 'completed'
limit %(most)s

-- name: facts_to_remember
-- Accounts whose facts have changed.
select c.account_id, c.version, c.text
from public.core_memories c
where c.version <> c.memory_version
limit %(most)s

-- name: trace_is_remembered
-- Its findings are memories.
update public.traces set memory_taken_at = now() where id = %(id)s and memory_taken_at is null returning id

-- name: turn_is_remembered
-- Its answer is one.
update public.chat_turns set memory_taken_at = now() where id = %(id)s and memory_taken_at is null returning id

-- name: facts_are_remembered
-- Of this version.
update public.core_memories set memory_version = %(version)s
where account_id = %(id)s and memory_version < %(version)s
returning account_id as id

-- name: forget_facts_no_longer_held
-- Of the core memory.
delete from public.memories m
where m.account_id = %(account_id)s and m.source = 'core_memory' and m.source_key <> all(%(keys)s)

-- name: mark_superseded
-- The older of two facts that do not go together.
update public.memories m
set superseded_by = newer.id
from public.memories newer
where m.account_id = %(account_id)s and newer.account_id = %(account_id)s
    and m.source_key = %(older)s and newer.source_key = %(newer)s

-- name: memories_without_vector
-- Of one model.
select m.id, m.meaning
from public.memories m
where not exists (select from public.memory_embeddings e where e.memory_id = m.id and e.model = %(model)s)
order by m.created_at desc
limit %(most)s

-- name: keep_vector
-- Unless the memory has gone.
insert into public.memory_embeddings (memory_id, model, account_id, dimensions, embedding)
select m.id, %(model)s, m.account_id, %(dimensions)s, %(vector)s::extensions.halfvec
from public.memories m
where m.id = %(memory_id)s
for key share of m
on conflict (memory_id, model) do update set embedding = excluded.embedding, dimensions = excluded.dimensions

-- name: memory_without_vector
-- One row where any that the user may read has none.
select true
from flamechat_private.readable_memories m
where m.reader_id = %(user_id)s and m.account_id = %(account_id)s
    and not exists (select from public.memory_embeddings e where e.memory_id = m.id and e.model = %(model)s)
limit 1

-- name: turns_not_remembered
-- Those of a conversation that the user reads, in an account in which they may write, with whose they are.
select k.key, t.user_id
from unnest(%(keys)s::text[], %(turns)s::uuid[]) as k (key, turn_id)
join public.chat_turns t on t.id = k.turn_id and t.account_id = %(account_id)s
join flamechat_private.session_readers r on r.session_id = t.session_id and r.user_id = %(user_id)s
where %(account_id)s in (select flamechat_private.accounts_of(%(user_id)s, p_writing => true))
    and not exists (
        select from public.memories m where m.account_id = %(account_id)s and m.source_key = k.key
    )
