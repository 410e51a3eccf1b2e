-- Gates that the server keeps: rules for the runs of a program, checked at each upload whose labels match, and what came of
-- each check. A check is a row before it is made, so that one that a killed server left is made by another; so is the
-- webhook that reports it.

create table public.gates (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references public.accounts on delete cascade,
    name text not null check (char_length(name) between 1 and 80),
    program text check (char_length(program) between 1 and 200),
    labels jsonb not null default '{}' check (flamechat_private.are_labels(labels)),
    rules text[] not null check (cardinality(rules) between 1 and 100),
    baseline jsonb not null check (flamechat_private.are_labels(baseline) and baseline <> '{}'),
    last_runs smallint not null default 10 check (last_runs between 1 and 100),
    single_run text check (char_length(single_run) <= 20),
    webhook_url text check (char_length(webhook_url) <= 2000),
    webhook_secret text check (char_length(webhook_secret) between 20 and 100),
    created_by uuid not null,
    created_at timestamptz not null default now(),
    unique (account_id, name),
    constraint a_webhook_is_signed check ((webhook_url is null) = (webhook_secret is null))
);
create index gates_by_maker on public.gates (created_by);
comment on column public.gates.labels is 'Which uploads are judged: those of the program with all of these.';
comment on column public.gates.baseline is 'By which they are judged: the newest runs of the program before with all of these.';
comment on column public.gates.webhook_secret is 'Signs what is sent; shown once to people, read by the server alone.';

create table public.gate_results (
    id uuid primary key default gen_random_uuid(),
    gate_id uuid not null references public.gates on delete cascade,
    account_id uuid not null references public.accounts on delete cascade,
    trace_id uuid not null references public.traces on delete cascade,
    user_id uuid not null,
    outcome text check (outcome in ('held', 'broken', 'not decidable')),
    problem text check (char_length(problem) <= 1000),
    report jsonb,
    created_at timestamptz not null default now(),
    judged_at timestamptz,
    tries smallint not null default 0,
    taken_until timestamptz,
    accepted_at timestamptz,
    accepted_by uuid,
    accepted_reason text check (char_length(accepted_reason) between 1 and 1000),
    webhook text not null default 'none' check (webhook in ('none', 'waiting', 'sent', 'failed')),
    webhook_tries smallint not null default 0,
    webhook_at timestamptz,
    webhook_answer text check (char_length(webhook_answer) <= 200),
    unique (gate_id, trace_id),
    constraint what_was_judged_has_an_end check ((judged_at is null) = (outcome is null and problem is null)),
    constraint who_accepts_says_why check (num_nulls(accepted_at, accepted_by, accepted_reason) in (0, 3))
);
create index gate_results_by_account on public.gate_results (account_id, created_at desc);
create index gate_results_by_trace on public.gate_results (trace_id);
create index gate_results_by_maker on public.gate_results (user_id);
create index gate_results_accepted_by on public.gate_results (accepted_by) where accepted_by is not null;
create index gate_results_to_judge on public.gate_results (created_at) where judged_at is null;
create index gate_results_to_send on public.gate_results (webhook_at) where webhook = 'waiting';
comment on column public.gate_results.problem is 'Why it could not be judged at all.';
comment on column public.gate_results.accepted_at is
    'Growth that is meant: from this run on the baseline begins anew, and later reports say so.';

alter table public.gates enable row level security;
alter table public.gate_results enable row level security;
revoke all on public.gates, public.gate_results from public, anon, authenticated;
grant select (
    id, account_id, name, program, labels, rules, baseline, last_runs, single_run, created_by, created_at
) on public.gates to authenticated;
grant select on public.gate_results to authenticated;
grant all on public.gates, public.gate_results to service_role;
create policy "members read their gates" on public.gates
    for select to authenticated using (account_id in (select public.my_account_ids()));
create policy "members read results of their gates" on public.gate_results
    for select to authenticated using (account_id in (select public.my_account_ids()));

-- Whether a user is an owner of an account: who accepts for all. Where roles are decided, this asks.
create function flamechat_private.is_owner_of(p_user_id uuid, p_account_id uuid)
returns boolean
language sql stable
set search_path = ''
as $$
    select exists (
        select from public.account_members m
        where m.user_id = p_user_id and m.account_id = p_account_id and m.role = 'owner'
    )
$$;
revoke all on function flamechat_private.is_owner_of(uuid, uuid) from public, anon, authenticated;
grant execute on function flamechat_private.is_owner_of(uuid, uuid) to service_role;
