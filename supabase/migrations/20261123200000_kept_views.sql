-- The parts of a view's address that can be too long for one: the transforms and the search. The address has a short id
-- in their place. They belong to the trace and go with it. As elsewhere `user_id` says who made one and holds no key.

create table public.kept_views (
    trace_id uuid not null references public.traces on delete cascade,
    id text not null check (id ~ '^[A-Za-z0-9_-]{12}$'),
    account_id uuid not null references public.accounts on delete cascade,
    user_id uuid not null,
    transforms text not null check (char_length(transforms) <= 4000),
    find text not null check (char_length(find) <= 500),
    used_at timestamptz not null default clock_timestamp(),
    primary key (trace_id, id)
);
create index kept_views_by_account on public.kept_views (account_id);
create index kept_views_by_user on public.kept_views (user_id);
comment on column public.kept_views.id is 'From what it stands for: the same view has the same id.';
comment on column public.kept_views.used_at is 'The longest unused go where a trace has too many.';

alter table public.kept_views enable row level security;
revoke all on public.kept_views from public, anon, authenticated;
grant select on public.kept_views to authenticated;
grant all on public.kept_views to service_role;
create policy "members read their kept views" on public.kept_views
    for select to authenticated using (account_id in (select public.my_account_ids()));
