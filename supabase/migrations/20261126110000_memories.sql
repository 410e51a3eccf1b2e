-- Queryable memory: findings, answers, turns and facts of an account, found by their words and, where the extension
-- `vector` is there, by their meaning.

create table public.memories (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references public.accounts on delete cascade,
    user_id uuid,
    kind text not null check (kind in ('fact', 'finding', 'answer', 'turn', 'preference')),
    text text not null check (char_length(text) between 1 and 2000),
    source text not null check (source in ('core_memory', 'person', 'finding', 'answer', 'conversation', 'document')),
    source_key text not null check (char_length(source_key) <= 200),
    trace_id uuid references public.traces on delete cascade,
    session_id uuid references public.chat_sessions on delete cascade,
    turn_id uuid references public.chat_turns on delete cascade,
    meaning text not null check (char_length(meaning) <= 4000),
    words text not null default '' check (char_length(words) <= 6000),
    metadata jsonb not null default '{}',
    anchors text[] not null default '{}',
    search tsvector generated always as (to_tsvector('pg_catalog.english', text || ' ' || words)) stored,
    superseded_by uuid references public.memories on delete set null,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    constraint what_is_private_has_its_person
        check (kind not in ('answer', 'turn', 'preference') or user_id is not null),
    unique (account_id, source_key)
);
create index memories_by_words on public.memories using gin (search);
create index memories_by_account on public.memories (account_id, created_at desc);
create index memories_by_trace on public.memories (trace_id) where trace_id is not null;
create index memories_by_session on public.memories (session_id) where session_id is not null;
create index memories_by_turn on public.memories (turn_id) where turn_id is not null;
create index memories_superseded on public.memories (superseded_by) where superseded_by is not null;
comment on column public.memories.user_id is 'Whose own it is; null for what is the account''s.';
comment on column public.memories.source_key is 'What it was made from: taken in twice, it is there once.';
comment on column public.memories.meaning is 'What a vector is made of: the text with its title and the name of its trace.';
comment on column public.memories.words is 'Words that it is also found by: parts of names, pairs of letters of scripts without spaces.';

alter table public.traces add column memory_taken_at timestamptz;
alter table public.chat_turns add column memory_taken_at timestamptz;
alter table public.core_memories add column memory_version integer not null default 0;
create index traces_to_remember on public.traces (created_at) where memory_taken_at is null;
create index turns_to_remember on public.chat_turns (account_id) where memory_taken_at is null and status = 'completed';
comment on column public.traces.memory_taken_at is 'When its findings became memories.';
comment on column public.chat_turns.memory_taken_at is 'When its answer became a memory.';
comment on column public.core_memories.memory_version is 'The version whose facts are memories.';

alter table public.memories enable row level security;
revoke all on public.memories from public, anon, authenticated;
grant select on public.memories to authenticated;
grant all on public.memories to service_role;
create policy "members read their account's memories and their own" on public.memories
    for select to authenticated
    using (
        account_id in (select public.my_account_ids())
        and (
            user_id is null or user_id = (select auth.uid())
            or (session_id is not null and exists (select from public.chat_sessions s where s.id = session_id))
        )
    );

-- Each memory once for every member who may read it: the account's by all, a person's own by them, and what comes of a
-- conversation that is shown to the account by whoever reads that. A view, since a
-- function with a search path of its own is not planned together with what is asked of it.
create view flamechat_private.readable_memories with (security_invoker = true) as
select m.*, a.user_id as reader_id, a.role in ('owner', 'member') as may_write
from public.memories m
join public.account_members a on a.account_id = m.account_id
where (
        m.user_id is null or m.user_id = a.user_id
        or (m.session_id is not null and exists (
            select from flamechat_private.session_readers r
            where r.session_id = m.session_id and r.user_id = a.user_id
        ))
    )
    and (m.expires_at is null or m.expires_at > now());
revoke all on flamechat_private.readable_memories from public, anon, authenticated;
grant select on flamechat_private.readable_memories to service_role;

-- The words of a question, any of which may be met.
create function flamechat_private.any_word_of(p_text text)
returns tsquery
language sql immutable
set search_path = ''
as $$
    select replace(plainto_tsquery('pg_catalog.english', p_text)::text, '&', '|')::tsquery
$$;

revoke all on all functions in schema flamechat_private from public, anon, authenticated;
grant execute on all functions in schema flamechat_private to service_role;
