-- What people upload and say: traces, sessions about them, turns, messages.
--
-- `user_id` says who made a row and holds no key: in a team's account the row outlives its maker. What a row belongs to is
-- its account.

create table public.traces (
    id uuid primary key,
    account_id uuid not null references public.accounts on delete cascade,
    user_id uuid not null,
    name text not null,
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    size_bytes bigint not null check (size_bytes >= 0),
    format text not null,
    unit text not null,
    duration_ns bigint,
    summary jsonb not null default '{}',
    object_path text not null,
    expires_at timestamptz,
    share_token_hash text unique,
    created_at timestamptz not null default now()
);
create index traces_by_account on public.traces (account_id, created_at desc);
create index traces_by_user on public.traces (user_id);
create index traces_by_expiry on public.traces (expires_at) where expires_at is not null;
comment on column public.traces.size_bytes is 'Of the upload as it came, before any unpacking.';
comment on column public.traces.object_path is 'In the bucket `traces`: <account id>/...';

create table public.chat_sessions (
    id uuid primary key,
    account_id uuid not null references public.accounts on delete cascade,
    user_id uuid not null,
    trace_id uuid not null references public.traces on delete cascade,
    title text,
    counted_as text check (counted_as in ('lifetime', 'monthly')),
    counted_in_period timestamptz,
    counted_for_turn uuid,
    counted_for_user uuid,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    constraint counted_for_someone check (num_nulls(counted_as, counted_for_turn, counted_for_user) in (0, 3))
);
create index chat_sessions_by_account on public.chat_sessions (account_id, updated_at desc);
create index chat_sessions_by_trace on public.chat_sessions (trace_id);
comment on column public.chat_sessions.counted_as is
    'Which counter of counted_for_user this session has taken one from; null while it holds none.';
comment on column public.chat_sessions.counted_in_period is
    'Start of the period it was counted in: a later period has forgotten it, so there is nothing to give back.';
comment on column public.chat_sessions.counted_for_turn is
    'The turn that justifies it: if that one fails, and no other takes its place, the session is given back.';

create table public.chat_turns (
    id uuid primary key,
    session_id uuid not null references public.chat_sessions on delete cascade,
    account_id uuid not null references public.accounts on delete cascade,
    user_id uuid not null,
    trace_id uuid not null references public.traces on delete cascade,
    kind text not null check (kind in ('prompt', 'regenerate', 'edit')),
    status text not null default 'accepted'
        check (status in ('accepted', 'running', 'completed', 'cancelled', 'failed')),
    ordinal integer not null,
    prompt text not null,
    context jsonb not null default '{}',
    supersedes uuid references public.chat_turns on delete set null,
    owner text,
    attempt integer not null default 0,
    fence bigint not null default 0,
    cancel_requested boolean not null default false,
    error_code text,
    plan_name text not null,
    messages_used integer not null,
    messages_limit integer,
    model text,
    prompt_version text,
    prompt_hash text,
    graph_name text,
    graph_version text,
    request_id text,
    observation_trace_id text,
    input_tokens bigint,
    output_tokens bigint,
    cost_usd numeric(14, 8),
    created_at timestamptz not null default now(),
    started_at timestamptz,
    ended_at timestamptz,
    unique (session_id, ordinal),
    constraint an_ended_turn_says_when
        check ((status in ('completed', 'cancelled', 'failed')) = (ended_at is not null))
);
create index chat_turns_by_account on public.chat_turns (account_id);
create index chat_turns_by_trace on public.chat_turns (trace_id);
create index chat_turns_superseded on public.chat_turns (supersedes) where supersedes is not null;
create index chat_turns_unended on public.chat_turns (created_at) where ended_at is null;
comment on column public.chat_turns.ordinal is 'Place among the turns of its session, from 1.';
comment on column public.chat_turns.model is 'The one asked for; once the turn has ended, the one that answered.';
comment on column public.chat_turns.messages_used is
    'Where the session stood when this turn was accepted, this turn''s first counted message included.';
comment on column public.chat_turns.fence is
    'Goes up with every start: what an earlier owner still tries to write bears an older number.';

create table public.chat_messages (
    id uuid primary key default gen_random_uuid(),
    session_id uuid not null references public.chat_sessions on delete cascade,
    turn_id uuid references public.chat_turns on delete cascade,
    position integer not null,
    sender text not null
        check (sender in ('user', 'model', 'tool_request', 'tool_result', 'tool_error', 'system_event')),
    content_text text not null default '',
    content_image_path text,
    tool_name text,
    tool_call_id text,
    tool_args_json jsonb,
    tool_status text check (tool_status in ('success', 'success_with_warning', 'error')),
    metadata jsonb not null default '{}',
    created_at timestamptz not null default now(),
    unique (session_id, position)
);
create index chat_messages_by_turn on public.chat_messages (turn_id);
comment on column public.chat_messages.content_image_path is
    'In the bucket `ai-snapshots`: <account id>/... A signed address is never stored: it would go stale.';

-- Row-level security: members read what their accounts hold; nobody but the server writes ---------------------------

alter table public.traces enable row level security;
alter table public.chat_sessions enable row level security;
alter table public.chat_turns enable row level security;
alter table public.chat_messages enable row level security;

revoke all on public.traces, public.chat_sessions, public.chat_turns, public.chat_messages
    from public, anon, authenticated;
grant select on public.traces, public.chat_sessions, public.chat_turns, public.chat_messages to authenticated;
grant all on public.traces, public.chat_sessions, public.chat_turns, public.chat_messages to service_role;

create policy "members read their traces" on public.traces
    for select to authenticated using (account_id in (select public.my_account_ids()));
create policy "members read their sessions" on public.chat_sessions
    for select to authenticated using (account_id in (select public.my_account_ids()));
create policy "members read their turns" on public.chat_turns
    for select to authenticated using (account_id in (select public.my_account_ids()));
-- A message is readable where its session is: the policy above answers for the inner query.
create policy "members read their messages" on public.chat_messages
    for select to authenticated
    using (exists (select from public.chat_sessions s where s.id = session_id));

-- Buckets and who may read in them: the first folder of a path is the account ---------------------------------------

insert into storage.buckets (id, name, public, allowed_mime_types)
values ('traces', 'traces', false, null), ('ai-snapshots', 'ai-snapshots', false, array['image/png'])
on conflict (id) do nothing;

create policy "flamechat members read their objects" on storage.objects
    for select to authenticated
    using (
        bucket_id in ('traces', 'ai-snapshots')
        and (storage.foldername(name))[1] in (select account_id::text from public.my_account_ids() as account_id)
    );

-- Who may listen to `chat:<session id>`: whoever may read the session. Nobody may send: only the server does. ---------

create policy "flamechat members listen to their sessions" on realtime.messages
    for select to authenticated
    using (
        extension = 'broadcast'
        and exists (
            select from public.chat_sessions s
            where s.id = case
                when (select realtime.topic()) ~ '^chat:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                then substr((select realtime.topic()), 6)::uuid
            end
        )
    );
