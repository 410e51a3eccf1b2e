-- Budgets of a person and of an account below that of the plan, and a row for whoever is to be informed that one is nearly
-- or quite spent. Expand only: an older server calls the same functions, and sets no such budget.

create table public.spending_limits (
    id uuid primary key default gen_random_uuid(),
    user_id uuid unique references auth.users on delete cascade,
    account_id uuid unique references public.accounts on delete cascade,
    monthly_cost_limit_usd numeric(12, 2) check (monthly_cost_limit_usd >= 0),
    monthly_token_limit bigint check (monthly_token_limit >= 0),
    turn_token_limit bigint check (turn_token_limit >= 1),
    constraint of_a_user_or_of_an_account check (num_nonnulls(user_id, account_id) = 1)
);
comment on table public.spending_limits is
    'Budgets of one user, over all accounts, or of one account, over all its members; null: none of its own.';
alter table public.spending_limits enable row level security;
revoke all on public.spending_limits from public, anon, authenticated;
grant select on public.spending_limits to authenticated;
grant all on public.spending_limits to service_role;
create policy "people read their own limits and their accounts'" on public.spending_limits
    for select to authenticated
    using (user_id = (select auth.uid()) or account_id in (select public.my_account_ids()));
create policy "administrators read all limits" on public.spending_limits
    for select to authenticated
    using ((select auth.jwt()) #> '{app_metadata,flamechat_admin}' = 'true'::jsonb);

-- The month of an account is that of its first owner's subscription when something was first spent in it, and rolls from
-- there by itself: whoever becomes owner later begins no new one.
alter table public.accounts
    add column spending_anchor timestamptz,
    add column spending_period_start timestamptz,
    add column spending_period_end timestamptz;
alter table public.charge_receipts add column account_period_start timestamptz;
comment on column public.charge_receipts.account_period_start is 'Of the account; null: from a version that kept none.';
create index charge_receipts_by_account_period on public.charge_receipts (account_id, account_period_start);
drop index public.charge_receipts_by_account;

create table flamechat_private.account_budgets (
    account_id uuid not null,
    period_start timestamptz not null,
    spent_usd numeric not null default 0,
    reserved_usd numeric not null default 0,
    spent_tokens numeric not null default 0,
    reserved_tokens numeric not null default 0,
    primary key (account_id, period_start)
);
alter table flamechat_private.account_budgets enable row level security;
revoke all on flamechat_private.account_budgets from public, anon, authenticated;
grant select, insert, update, delete on flamechat_private.account_budgets to service_role;
create policy "the server alone" on flamechat_private.account_budgets to service_role using (true) with check (true);

-- A row for each share of a budget that was reached, once for each limit and month.
create table public.budget_notices (
    id uuid primary key default gen_random_uuid(),
    user_id uuid not null,
    account_id uuid references public.accounts on delete cascade,
    limit_type text not null check (limit_type in ('monthly_cost', 'monthly_tokens')),
    percent smallint not null check (percent in (80, 100)),
    used integer not null,
    "limit" integer not null,
    plan_name text not null,
    period_start timestamptz not null,
    resets_at timestamptz not null,
    at timestamptz not null default clock_timestamp(),
    broadcast_at timestamptz
);
create unique index budget_notices_of_users
    on public.budget_notices (user_id, period_start, limit_type, "limit", percent) where account_id is null;
create unique index budget_notices_of_accounts
    on public.budget_notices (account_id, period_start, limit_type, "limit", percent) where account_id is not null;
create index budget_notices_by_time on public.budget_notices (at desc);
create index budget_notices_by_user on public.budget_notices (user_id);
comment on column public.budget_notices.account_id is 'Whose budget it is; null: that of `user_id`, who else made the call.';
comment on column public.budget_notices.broadcast_at is 'When a process took it to inform whoever listens elsewhere.';
alter table public.budget_notices enable row level security;
revoke all on public.budget_notices from public, anon, authenticated;
grant select on public.budget_notices to authenticated;
grant all on public.budget_notices to service_role;
create policy "people read what became of their budgets" on public.budget_notices
    for select to authenticated
    using (
        case when account_id is null then user_id = (select auth.uid()) else account_id in (select public.my_account_ids()) end
    );
create policy "administrators read all notices" on public.budget_notices
    for select to authenticated
    using ((select auth.jwt()) #> '{app_metadata,flamechat_admin}' = 'true'::jsonb);

-- The account's month that contains now. Only who finds it over, or never begun, locks the account.
create function flamechat_private.account_month(p_account_id uuid)
returns table (period_start timestamptz, period_end timestamptz)
language plpgsql
set search_path = ''
as $$
begin
    select a.spending_period_start, a.spending_period_end into period_start, period_end
    from public.accounts a where a.id = p_account_id;
    if period_end is null or period_end <= now() then
        update public.accounts a
        set spending_anchor = month.anchor, spending_period_start = month.starts, spending_period_end = month.ends
        from (
            select began.anchor, p.starts, p.ends
            from (
                select coalesce(
                    (select a2.spending_anchor from public.accounts a2 where a2.id = p_account_id),
                    (
                        select case
                            when flamechat_private.anchor_of(s) <= now() then flamechat_private.anchor_of(s)
                            else least(s.current_period_start, now())
                        end
                        from public.account_members m join public.user_subscriptions s on s.user_id = m.user_id
                        where m.account_id = p_account_id and m.role = 'owner'
                        order by m.created_at, m.user_id
                        limit 1
                    ),
                    now()
                ) as anchor
            ) as began
            cross join lateral flamechat_private.period_containing(began.anchor, now()) as p
        ) as month
        where a.id = p_account_id and (a.spending_period_end is null or a.spending_period_end <= now());
        select a.spending_period_start, a.spending_period_end into period_start, period_end
        from public.accounts a where a.id = p_account_id;
    end if;
    return next;
end
$$;

-- As before, and into the account's budget, which is locked after the user's.
create or replace function flamechat_private.count_receipt(p_row public.charge_receipts, p_sign integer)
returns void
language plpgsql security definer
set search_path = ''
as $$
declare
    v_spent_usd numeric := case p_row.kind when 'settled' then p_sign * coalesce(p_row.cost_usd, 0) else 0 end;
    v_reserved_usd numeric := case p_row.kind when 'reserved' then p_sign * coalesce(p_row.cost_usd, 0) else 0 end;
    v_spent numeric := case p_row.kind when 'settled' then p_sign * p_row.tokens else 0 end;
    v_reserved numeric := case p_row.kind when 'reserved' then p_sign * p_row.tokens else 0 end;
begin
    insert into flamechat_private.budgets as b (user_id, period_start, spent_usd, reserved_usd, spent_tokens, reserved_tokens)
    values (p_row.user_id, p_row.period_start, v_spent_usd, v_reserved_usd, v_spent, v_reserved)
    on conflict (user_id, period_start) do update
    set spent_usd = b.spent_usd + excluded.spent_usd, reserved_usd = b.reserved_usd + excluded.reserved_usd,
        spent_tokens = b.spent_tokens + excluded.spent_tokens, reserved_tokens = b.reserved_tokens + excluded.reserved_tokens;
    if p_row.account_period_start is null then
        return;
    end if;
    insert into flamechat_private.account_budgets as b (
        account_id, period_start, spent_usd, reserved_usd, spent_tokens, reserved_tokens
    )
    values (p_row.account_id, p_row.account_period_start, v_spent_usd, v_reserved_usd, v_spent, v_reserved)
    on conflict (account_id, period_start) do update
    set spent_usd = b.spent_usd + excluded.spent_usd, reserved_usd = b.reserved_usd + excluded.reserved_usd,
        spent_tokens = b.spent_tokens + excluded.spent_tokens, reserved_tokens = b.reserved_tokens + excluded.reserved_tokens;
end
$$;

create or replace function flamechat_private.count_receipts()
returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
    if tg_op <> 'INSERT' then
        perform flamechat_private.count_receipt(old, -1);
    end if;
    if tg_op <> 'DELETE' then
        perform flamechat_private.count_receipt(new, 1);
    else
        delete from flamechat_private.budgets b
        where b.user_id = old.user_id and b.period_start = old.period_start and not exists (
            select from public.charge_receipts r where r.user_id = old.user_id and r.period_start = old.period_start
        );
        delete from flamechat_private.account_budgets b
        where b.account_id = old.account_id and b.period_start = old.account_period_start and not exists (
            select from public.charge_receipts r
            where r.account_id = old.account_id and r.account_period_start = old.account_period_start
        );
    end if;
    return null;
end
$$;

revoke all on function flamechat_private.account_month(uuid) from public, anon, authenticated;
grant execute on function flamechat_private.account_month(uuid) to service_role;
