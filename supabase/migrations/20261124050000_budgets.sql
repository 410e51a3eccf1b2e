-- What a month of language models may cost, and what of it is spent. A call holds what it may cost before it is sent, and
-- is settled by what it came to; what is reserved counts as spent until then. Expand only: an older server neither holds nor
-- settles.

alter table public.subscription_plans
    add column monthly_cost_limit_usd numeric(12, 2) check (monthly_cost_limit_usd >= 0),
    add column monthly_token_limit bigint check (monthly_token_limit >= 0),
    add column turn_token_limit bigint check (turn_token_limit >= 1);
alter table public.subscription_plans
    add column over_budget text not null default 'refuse' check (over_budget in ('refuse', 'built_in'));
comment on column public.subscription_plans.monthly_cost_limit_usd is
    'Of model calls whose price is known, in the month of the subscription; null: unlimited.';
comment on column public.subscription_plans.turn_token_limit is 'Past it a turn makes one more call, without tools.';
comment on column public.subscription_plans.over_budget is
    'What becomes of prompts once the month is spent: refused, or answered by the built-in analyst.';

-- A row for each call, from its hold to its settlement, and for each turn that has not made its first. Every counter of a
-- budget is made of these rows and of nothing else.
create table public.charge_receipts (
    id uuid primary key default gen_random_uuid(),
    turn_id uuid not null,
    invocation_id uuid unique,
    request_id text,
    account_id uuid not null references public.accounts on delete cascade,
    user_id uuid not null,
    period_start timestamptz not null,
    kind text not null check (kind in ('reserved', 'settled', 'released')),
    cost_usd numeric(20, 12) check (cost_usd >= 0),
    tokens bigint not null check (tokens >= 0),
    is_estimate boolean not null default true,
    at timestamptz not null default clock_timestamp()
);
create unique index charge_receipts_of_turns on public.charge_receipts (turn_id) where invocation_id is null;
create index charge_receipts_open on public.charge_receipts (turn_id) where kind = 'reserved';
create index charge_receipts_by_user on public.charge_receipts (user_id, period_start);
create index charge_receipts_by_account on public.charge_receipts (account_id);
comment on column public.charge_receipts.invocation_id is 'Of the call; null: a turn''s before its first call.';
comment on column public.charge_receipts.cost_usd is 'Null where the price of the model is not known.';
comment on column public.charge_receipts.is_estimate is 'Whether a bound or an estimate counts: the provider has not said.';

alter table public.charge_receipts enable row level security;
revoke all on public.charge_receipts from public, anon, authenticated;
grant select on public.charge_receipts to authenticated;
grant all on public.charge_receipts to service_role;
create policy "people read their own receipts" on public.charge_receipts
    for select to authenticated using (user_id = (select auth.uid()));
create policy "administrators read all receipts" on public.charge_receipts
    for select to authenticated
    using ((select auth.jwt()) #> '{app_metadata,flamechat_admin}' = 'true'::jsonb);

create table flamechat_private.budgets (
    user_id uuid not null,
    period_start timestamptz not null,
    spent_usd numeric not null default 0,
    reserved_usd numeric not null default 0,
    spent_tokens numeric not null default 0,
    reserved_tokens numeric not null default 0,
    noted_percent smallint not null default 0,
    primary key (user_id, period_start)
);
comment on column flamechat_private.budgets.noted_percent is 'Of which share of the budget (80, 100) its user was informed.';
alter table flamechat_private.budgets enable row level security;
revoke all on flamechat_private.budgets from public, anon, authenticated;
grant select, insert, update, delete on flamechat_private.budgets to service_role;
create policy "the server alone" on flamechat_private.budgets to service_role using (true) with check (true);

-- Takes a receipt into its budget (p_sign 1) or out of it (-1).
create function flamechat_private.count_receipt(p_row public.charge_receipts, p_sign integer)
returns void
language plpgsql security definer
set search_path = ''
as $$
begin
    insert into flamechat_private.budgets as b (user_id, period_start, spent_usd, reserved_usd, spent_tokens, reserved_tokens)
    values (
        p_row.user_id, p_row.period_start,
        case p_row.kind when 'settled' then p_sign * coalesce(p_row.cost_usd, 0) else 0 end,
        case p_row.kind when 'reserved' then p_sign * coalesce(p_row.cost_usd, 0) else 0 end,
        case p_row.kind when 'settled' then p_sign * p_row.tokens else 0 end,
        case p_row.kind when 'reserved' then p_sign * p_row.tokens else 0 end
    )
    on conflict (user_id, period_start) do update
    set spent_usd = b.spent_usd + excluded.spent_usd, reserved_usd = b.reserved_usd + excluded.reserved_usd,
        spent_tokens = b.spent_tokens + excluded.spent_tokens, reserved_tokens = b.reserved_tokens + excluded.reserved_tokens;
end
$$;

create function flamechat_private.count_receipts()
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
    end if;
    return null;
end
$$;
create trigger charge_receipts_counted
    after insert or update or delete on public.charge_receipts
    for each row execute function flamechat_private.count_receipts();

-- Which ceiling of the month a user has reached with what is spent and reserved; no row below both. Costs are in cents, what
-- is begun of one counts. The budget is locked until the transaction ends, after everything else that is.
create function flamechat_private.budget_reached(p_user_id uuid)
returns table (limit_type text, used integer, "limit" integer, plan_name text, resets_at timestamptz, over_budget text)
language plpgsql
set search_path = ''
as $$
declare
    subscription public.user_subscriptions := flamechat_private.lock_subscription(p_user_id);
    plan public.subscription_plans := flamechat_private.effective_plan(p_user_id);
    budget flamechat_private.budgets;
begin
    if plan.monthly_cost_limit_usd is null and plan.monthly_token_limit is null then
        return;
    end if;
    insert into flamechat_private.budgets (user_id, period_start)
    values (p_user_id, subscription.current_period_start)
    on conflict do nothing;
    select * into strict budget from flamechat_private.budgets b
    where b.user_id = p_user_id and b.period_start = subscription.current_period_start
    for update;
    plan_name := plan.name;
    resets_at := subscription.current_period_end;
    over_budget := plan.over_budget;
    if budget.spent_usd + budget.reserved_usd >= plan.monthly_cost_limit_usd then
        limit_type := 'monthly_cost';
        used := ceil(100 * budget.spent_usd);
        "limit" := 100 * plan.monthly_cost_limit_usd;
        return next;
    elsif budget.spent_tokens + budget.reserved_tokens >= plan.monthly_token_limit then
        limit_type := 'monthly_tokens';
        used := least(budget.spent_tokens, 2147483647);
        "limit" := least(plan.monthly_token_limit, 2147483647);
        return next;
    end if;
end
$$;

-- Holds what the first call of a turn may cost, in the transaction that accepts it. One row: whether it may, and if not,
-- which ceiling. A turn that the built-in analyst may answer is let through with nothing reserved.
create function public.hold_turn_budget(p_turn_id uuid, p_cost_usd numeric, p_tokens bigint)
returns table (
    allowed boolean, limit_type text, used integer, "limit" integer, plan_name text, resets_at timestamptz
)
language plpgsql
set search_path = ''
as $$
declare
    turn public.chat_turns;
    reached record;
begin
    select * into turn from public.chat_turns t where t.id = p_turn_id;
    if turn.id is null then
        raise exception 'There is no turn %.', p_turn_id using errcode = 'PT404';
    end if;
    allowed := true;
    plan_name := turn.plan_name;
    if turn.ended_at is not null or exists (select from public.charge_receipts r where r.turn_id = p_turn_id) then
        return next;
        return;
    end if;
    select * into reached from flamechat_private.budget_reached(turn.user_id);
    if found then
        allowed := reached.over_budget = 'built_in';
        limit_type := reached.limit_type;
        used := reached.used;
        "limit" := reached."limit";
        resets_at := reached.resets_at;
        return next;
        return;
    end if;
    insert into public.charge_receipts (turn_id, request_id, account_id, user_id, period_start, kind, cost_usd, tokens)
    select p_turn_id, turn.request_id, turn.account_id, turn.user_id, s.current_period_start, 'reserved', p_cost_usd,
           p_tokens
    from public.user_subscriptions s where s.user_id = turn.user_id;
    return next;
end
$$;

-- Holds what a call may cost, before it is sent; what its turn reserved for its first call is given back for it. One row:
-- whether it may, and if not, which ceiling; then nothing was changed. A call that is reserved stays so.
create function public.hold_call_budget(
    p_invocation_id uuid, p_turn_id uuid, p_account_id uuid, p_user_id uuid, p_request_id text, p_cost_usd numeric,
    p_tokens bigint
)
returns table (
    allowed boolean, limit_type text, used integer, "limit" integer, plan_name text, resets_at timestamptz
)
language plpgsql
set search_path = ''
as $$
declare
    subscription public.user_subscriptions := flamechat_private.lock_subscription(p_user_id);
    of_turn public.charge_receipts;
    reached record;
begin
    allowed := true;
    plan_name := (flamechat_private.effective_plan(p_user_id)).name;
    if exists (select from public.charge_receipts r where r.invocation_id = p_invocation_id) then
        return next;
        return;
    end if;
    update public.charge_receipts r set kind = 'released', at = clock_timestamp()
    where r.turn_id = p_turn_id and r.invocation_id is null and r.kind = 'reserved'
    returning * into of_turn;
    select * into reached from flamechat_private.budget_reached(p_user_id);
    if found then
        update public.charge_receipts r set kind = 'reserved' where r.id = of_turn.id;
        allowed := false;
        limit_type := reached.limit_type;
        used := reached.used;
        "limit" := reached."limit";
        plan_name := reached.plan_name;
        resets_at := reached.resets_at;
        return next;
        return;
    end if;
    insert into public.charge_receipts (
        turn_id, invocation_id, request_id, account_id, user_id, period_start, kind, cost_usd, tokens
    )
    values (
        p_turn_id, p_invocation_id, p_request_id, p_account_id, p_user_id, subscription.current_period_start,
        'reserved', p_cost_usd, p_tokens
    );
    return next;
end
$$;

-- Settles what a call reserved: by what it came to, by an estimate, or (`released`) for nothing. What its turn's end had
-- settled by the estimate is corrected. Returns the share of the month's budget, 80 or 100 percent, that is reached by it
-- and of which its user is to be informed, once for each; else null.
create function public.settle_call_budget(
    p_invocation_id uuid, p_kind text, p_cost_usd numeric, p_tokens bigint, p_is_estimate boolean
)
returns integer
language plpgsql
set search_path = ''
as $$
declare
    receipt public.charge_receipts;
    plan public.subscription_plans;
    percent integer;
begin
    update public.charge_receipts r
    set kind = p_kind, cost_usd = p_cost_usd, tokens = p_tokens, is_estimate = p_is_estimate, at = clock_timestamp()
    where r.invocation_id = p_invocation_id and (r.kind = 'reserved' or r.is_estimate)
    returning * into receipt;
    if not found or p_kind <> 'settled' then
        return null;
    end if;
    plan := flamechat_private.effective_plan(receipt.user_id);
    select case when share >= 1 then 100 when share >= 0.8 then 80 end into percent
    from flamechat_private.budgets b
    cross join lateral (
        select greatest(
            b.spent_usd / nullif(plan.monthly_cost_limit_usd, 0), b.spent_tokens / nullif(plan.monthly_token_limit, 0)
        ) as share
    ) as of_limits
    where b.user_id = receipt.user_id and b.period_start = receipt.period_start;
    update flamechat_private.budgets b set noted_percent = percent
    where b.user_id = receipt.user_id and b.period_start = receipt.period_start and b.noted_percent < percent;
    return case when found then percent end;
end
$$;

-- At the end of the transaction, since budgets are locked after everything else. Of a turn that ends nothing stays reserved: its own hold is given back, and a call of which nobody learned what it came to
-- counts as what it might have cost.
create function flamechat_private.close_holds()
returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
    update public.charge_receipts r
    set kind = case when r.invocation_id is null then 'released' else 'settled' end, at = clock_timestamp()
    where r.turn_id = new.id and r.kind = 'reserved';
    return null;
end
$$;
create constraint trigger ended_turns_hold_nothing
    after update of ended_at on public.chat_turns
    deferrable initially deferred
    for each row when (old.ended_at is null and new.ended_at is not null)
    execute function flamechat_private.close_holds();

-- As before, and what the month has cost so far counts no more.
create or replace function public.reset_user_usage(p_user_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
    perform from public.chat_sessions s where s.counted_for_user = p_user_id order by s.id for update;
    perform flamechat_private.lock_subscription(p_user_id);
    update public.chat_sessions set counted_in_period = null where counted_for_user = p_user_id;
    update public.user_subscriptions
    set monthly_chat_sessions_count = 0, monthly_uploads_used = 0, granted_sessions = 0, updated_at = now()
    where user_id = p_user_id;
    update public.user_profiles set lifetime_chat_analyses_count = 0, updated_at = now() where id = p_user_id;
    update public.charge_receipts r set kind = 'released', is_estimate = false
    from public.user_subscriptions s
    where r.user_id = p_user_id and r.kind = 'settled' and s.user_id = p_user_id
        and r.period_start = s.current_period_start;
    update flamechat_private.budgets b set noted_percent = 0 where b.user_id = p_user_id;
end
$$;

revoke all on function
    public.hold_turn_budget(uuid, numeric, bigint),
    public.hold_call_budget(uuid, uuid, uuid, uuid, text, numeric, bigint),
    public.settle_call_budget(uuid, text, numeric, bigint, boolean)
from public, anon, authenticated;
grant execute on function
    public.hold_turn_budget(uuid, numeric, bigint),
    public.hold_call_budget(uuid, uuid, uuid, uuid, text, numeric, bigint),
    public.settle_call_budget(uuid, text, numeric, bigint, boolean)
to service_role;
revoke all on function
    flamechat_private.count_receipt(public.charge_receipts, integer), flamechat_private.count_receipts(),
    flamechat_private.budget_reached(uuid), flamechat_private.close_holds()
from public, anon, authenticated;
grant execute on function
    flamechat_private.count_receipt(public.charge_receipts, integer), flamechat_private.count_receipts(),
    flamechat_private.budget_reached(uuid), flamechat_private.close_holds()
to service_role;
