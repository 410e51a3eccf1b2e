-- How far the collector has come with what a person typed: whoever takes up what a killed server left goes on from there, asks
-- no model twice, and what has ended is not started again when its turn is.

create table public.collector_steps (
    turn_id uuid primary key references public.chat_turns on delete cascade,
    account_id uuid not null references public.accounts on delete cascade,
    attempts integer not null default 1,
    started_at timestamptz not null default now(),
    noticed jsonb,
    ended_at timestamptz,
    constraint what_was_noticed_is_a_list check (noticed is null or jsonb_typeof(noticed) = 'array')
);
create index collector_steps_by_account on public.collector_steps (account_id);
create index collector_steps_unended on public.collector_steps (started_at) where ended_at is null;
comment on column public.collector_steps.noticed is 'The facts that were found, until all are proposed.';

alter table public.collector_steps enable row level security;
revoke all on public.collector_steps from public, anon, authenticated;
grant all on public.collector_steps to service_role;
