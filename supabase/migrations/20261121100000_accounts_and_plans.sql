-- Who there is and what he may: accounts, users, plans, subscriptions.
--
-- A Supabase project grants everything that is made in `public` to its API roles, so every table closes itself right where
-- it is made. Writing is the server's alone (`service_role`, which passes over row-level security); signed-in users read
-- what belongs to their accounts.

-- The role the server logs in as. It can do nothing by itself: each transaction says `set local role service_role`.
-- Its password is set by whoever runs the database. (No `nosuperuser` here: on a hosted project only a superuser may say
-- that word, even to deny it.)
do $$
begin
    if not exists (select from pg_catalog.pg_roles where rolname = 'flamechat_server') then
        create role flamechat_server login noinherit;
    end if;
end
$$;
grant service_role to flamechat_server;

-- Ours alone, out of the API's reach: functions that the public ones share, and the tables of libraries.
create schema flamechat_private;
revoke all on schema flamechat_private from public;
grant usage, create on schema flamechat_private to service_role;

create table public.accounts (
    id uuid primary key default gen_random_uuid(),
    name text not null,
    personal_user_id uuid unique references auth.users on delete cascade,
    created_at timestamptz not null default now()
);
comment on column public.accounts.personal_user_id is 'The user whose personal account this is; null for a team''s.';

create table public.account_members (
    account_id uuid not null references public.accounts on delete cascade,
    user_id uuid not null references auth.users on delete cascade,
    role text not null check (role in ('owner', 'member', 'viewer')),
    created_at timestamptz not null default now(),
    primary key (account_id, user_id)
);
create index account_members_by_user on public.account_members (user_id);

create table public.user_profiles (
    id uuid primary key references auth.users on delete cascade,
    display_name text,
    lifetime_chat_analyses_count integer not null default 0 check (lifetime_chat_analyses_count >= 0),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
);

create table public.subscription_plans (
    id uuid primary key default gen_random_uuid(),
    name text not null unique,
    display_name text not null,
    price_monthly numeric(10, 2) not null default 0 check (price_monthly >= 0),
    chat_messages_per_session integer check (chat_messages_per_session >= 0),
    chat_sessions_limit integer check (chat_sessions_limit >= 0),
    chat_sessions_period text check (chat_sessions_period in ('lifetime', 'monthly')),
    monthly_upload_limit integer check (monthly_upload_limit >= 0),
    total_trace_limit integer check (total_trace_limit >= 0),
    retention_days integer check (retention_days > 0),
    allow_public_sharing boolean not null default false,
    retired_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    constraint a_limit_has_a_period check ((chat_sessions_limit is null) = (chat_sessions_period is null))
);
comment on table public.subscription_plans is 'What each plan allows; a null limit is unlimited.';

create table public.user_subscriptions (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null unique references auth.users on delete cascade,
    plan_id uuid not null references public.subscription_plans,
    status text not null check (status in ('active', 'trialing', 'free', 'past_due', 'canceled')),
    current_period_start timestamptz not null,
    current_period_end timestamptz not null,
    monthly_chat_sessions_count integer not null default 0 check (monthly_chat_sessions_count >= 0),
    monthly_uploads_used integer not null default 0 check (monthly_uploads_used >= 0),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    constraint a_period_has_a_length check (current_period_start < current_period_end)
);
create index user_subscriptions_by_plan on public.user_subscriptions (plan_id);
create index user_subscriptions_by_period_end on public.user_subscriptions (current_period_end);

create table public.plan_changes (
    id bigint generated always as identity primary key,
    changed_at timestamptz not null default now(),
    changed_by uuid,
    user_id uuid,
    plan_name text,
    action text not null,
    before jsonb,
    after jsonb,
    reason text
);
comment on table public.plan_changes is
    'Audit: who changed which plan, or whose, from what to what. Holds ids, no keys: it outlives what it tells of.';
create index plan_changes_by_user on public.plan_changes (user_id, changed_at);

insert into public.subscription_plans (
    name, display_name, price_monthly, chat_messages_per_session, chat_sessions_limit, chat_sessions_period,
    monthly_upload_limit, total_trace_limit, retention_days, allow_public_sharing
)
values
    ('free', 'Free', 0, 25, 5, 'lifetime', 10, null, 30, false),
    ('pro', 'Pro', 15, 50, 30, 'monthly', null, 1000, null, true),
    ('local', 'Local', 0, null, null, null, null, null, null, false)
on conflict (name) do nothing;

-- Membership: the one rule behind every policy and every question of the server ------------------------------------

-- The accounts a user belongs to; with `p_writing`, those he may also add to and change (a viewer only reads).
create function flamechat_private.accounts_of(p_user_id uuid, p_writing boolean default false)
returns setof uuid
language sql stable
set search_path = ''
as $$
    select m.account_id
    from public.account_members m
    where m.user_id = p_user_id and (not p_writing or m.role in ('owner', 'member'))
$$;

-- The accounts of whoever is signed in. As its owner, so that the policy of account_members may ask it too.
create function public.my_account_ids()
returns setof uuid
language sql stable security definer
set search_path = ''
as $$
    select flamechat_private.accounts_of(auth.uid())
$$;
revoke all on function public.my_account_ids() from public, anon;
grant execute on function public.my_account_ids() to authenticated, service_role;

-- Row-level security ----------------------------------------------------------------------------------------------

alter table public.accounts enable row level security;
alter table public.account_members enable row level security;
alter table public.user_profiles enable row level security;
alter table public.subscription_plans enable row level security;
alter table public.user_subscriptions enable row level security;
alter table public.plan_changes enable row level security;

revoke all on public.accounts, public.account_members, public.user_profiles, public.subscription_plans,
    public.user_subscriptions, public.plan_changes from public, anon, authenticated;
revoke all on sequence public.plan_changes_id_seq from public, anon, authenticated;
grant select on public.subscription_plans to anon, authenticated;
grant select on public.accounts, public.account_members, public.user_profiles, public.user_subscriptions to authenticated;
grant all on public.accounts, public.account_members, public.user_profiles, public.subscription_plans,
    public.user_subscriptions, public.plan_changes to service_role;

create policy "everybody reads what is on offer" on public.subscription_plans
    for select to anon, authenticated using (true);
create policy "members read their accounts" on public.accounts
    for select to authenticated using (id in (select public.my_account_ids()));
create policy "members read who else is a member" on public.account_members
    for select to authenticated using (account_id in (select public.my_account_ids()));
create policy "users read their own profile" on public.user_profiles
    for select to authenticated using (id = (select auth.uid()));
create policy "users read their own subscription" on public.user_subscriptions
    for select to authenticated using (user_id = (select auth.uid()));

-- A new user ------------------------------------------------------------------------------------------------------

-- Gives a user what every user has: a profile, a personal account that he owns, a subscription to the free plan. Adds what
-- is missing and leaves what is there, so it is also the remedy for a user who lost his subscription.
create function flamechat_private.settle_user(p_user_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
    insert into public.user_profiles (id) values (p_user_id) on conflict do nothing;
    insert into public.accounts (name, personal_user_id) values ('Personal', p_user_id) on conflict do nothing;
    insert into public.account_members (account_id, user_id, role)
        select a.id, p_user_id, 'owner' from public.accounts a where a.personal_user_id = p_user_id
        on conflict do nothing;
    insert into public.user_subscriptions (user_id, plan_id, status, current_period_start, current_period_end)
        select p_user_id, p.id, 'free', now(), now() + interval '1 month'
        from public.subscription_plans p where p.name = 'free'
        on conflict do nothing;
end
$$;

-- Runs as its owner: the role that inserts into auth.users (Supabase Auth's own) has no rights here.
create function flamechat_private.settle_new_user()
returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
    perform flamechat_private.settle_user(new.id);
    return new;
end
$$;

create trigger flamechat_settle_new_user
    after insert on auth.users
    for each row execute function flamechat_private.settle_new_user();

-- A project that already has users gets this too.
select flamechat_private.settle_user(u.id) from auth.users u;

revoke all on all functions in schema flamechat_private from public, anon, authenticated;
grant execute on all functions in schema flamechat_private to service_role;
