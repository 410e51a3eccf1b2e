-- Of traces that were deleted or have expired: of which program and labels they were, so that a series over many can say
-- how many of its points are gone. No name of a file, no figure, nobody's id. For a year.

create table public.removed_runs (
    trace_id uuid primary key,
    account_id uuid not null references public.accounts on delete cascade,
    program text,
    labels jsonb not null,
    created_at timestamptz not null,
    removed_at timestamptz not null default clock_timestamp()
);
create index removed_runs_by_account on public.removed_runs (account_id, created_at);
comment on column public.removed_runs.created_at is 'When the trace was uploaded.';

alter table public.removed_runs enable row level security;
revoke all on public.removed_runs from public, anon, authenticated;
grant select on public.removed_runs to authenticated;
grant all on public.removed_runs to service_role;
create policy "members read their removed runs" on public.removed_runs
    for select to authenticated using (account_id in (select public.my_account_ids()));

-- An account that goes takes its traces along: then there is nothing to keep.
create function flamechat_private.keep_removed_run()
returns trigger
language plpgsql
security definer
set search_path = ''
as $$
begin
    delete from public.removed_runs r
    where r.account_id = old.account_id and r.removed_at < clock_timestamp() - interval '1 year';
    insert into public.removed_runs (trace_id, account_id, program, labels, created_at)
    select old.id, old.account_id, old.program, old.labels, old.created_at
    where exists (select from public.accounts a where a.id = old.account_id)
    on conflict (trace_id) do nothing;
    return null;
end
$$;
revoke all on function flamechat_private.keep_removed_run() from public, anon, authenticated;
create trigger keep_removed_run after delete on public.traces
    for each row execute function flamechat_private.keep_removed_run();
