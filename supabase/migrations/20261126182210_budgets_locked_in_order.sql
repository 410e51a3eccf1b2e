-- Budgets are locked after the subscription and the account, by whoever settles a call too: two calls of one person waited for
-- each other.

-- The budgets that bind a call of this user in this account, in these months: that of the user (the smaller of the plan's and
-- their own) and that of the account, each with what is spent and reserved of it. Their rows are locked, the user's first,
-- after everything else: who holds one waits for no subscription and no account.
create function flamechat_private.budgets_of_call(
    p_user_id uuid, p_account_id uuid, p_period_start timestamptz, p_account_period_start timestamptz
)
returns table (
    of_account boolean, cost_limit numeric, token_limit bigint, spent_usd numeric, reserved_usd numeric,
    spent_tokens numeric, reserved_tokens numeric, plan_name text, over_budget text, period_start timestamptz,
    resets_at timestamptz
)
language plpgsql
set search_path = ''
as $$
declare
    plan public.subscription_plans := flamechat_private.effective_plan(p_user_id);
    own public.spending_limits;
    of_all public.spending_limits;
begin
    select * into own from public.spending_limits l where l.user_id = p_user_id;
    select * into of_all from public.spending_limits l where l.account_id = p_account_id;
    plan_name := plan.name;
    over_budget := plan.over_budget;
    of_account := false;
    cost_limit := least(plan.monthly_cost_limit_usd, own.monthly_cost_limit_usd);
    token_limit := least(plan.monthly_token_limit, own.monthly_token_limit);
    period_start := p_period_start;
    if num_nonnulls(
        cost_limit, token_limit, of_all.monthly_cost_limit_usd, of_all.monthly_token_limit
    ) > 0 then  -- the user's also where the account's alone binds: receipts count into it first
        select s.current_period_end into resets_at from public.user_subscriptions s where s.user_id = p_user_id;
        insert into flamechat_private.budgets (user_id, period_start) values (p_user_id, p_period_start)
        on conflict do nothing;
        select b.spent_usd, b.reserved_usd, b.spent_tokens, b.reserved_tokens
        into strict spent_usd, reserved_usd, spent_tokens, reserved_tokens
        from flamechat_private.budgets b
        where b.user_id = p_user_id and b.period_start = p_period_start
        for update;
        if num_nonnulls(cost_limit, token_limit) > 0 then
            return next;
        end if;
    end if;
    of_account := true;
    cost_limit := of_all.monthly_cost_limit_usd;
    token_limit := of_all.monthly_token_limit;
    period_start := p_account_period_start;
    if num_nonnulls(cost_limit, token_limit) > 0 and p_account_period_start is not null then
        select a.spending_period_end into resets_at from public.accounts a where a.id = p_account_id;
        insert into flamechat_private.account_budgets (account_id, period_start)
        values (p_account_id, p_account_period_start) on conflict do nothing;
        select b.spent_usd, b.reserved_usd, b.spent_tokens, b.reserved_tokens
        into strict spent_usd, reserved_usd, spent_tokens, reserved_tokens
        from flamechat_private.account_budgets b
        where b.account_id = p_account_id and b.period_start = p_account_period_start
        for update;
        return next;
    end if;
end
$$;

-- As before.
create or replace function flamechat_private.budget_reached(p_user_id uuid, p_account_id uuid)
returns table (
    limit_type text, used integer, "limit" integer, plan_name text, resets_at timestamptz, over_budget text,
    of_account boolean
)
language sql
set search_path = ''
as $$
    select reached.limit_type, reached.used, reached."limit", b.plan_name, b.resets_at, b.over_budget, b.of_account
    from flamechat_private.lock_subscription(p_user_id) as s
    cross join lateral flamechat_private.account_month(p_account_id) as m
    cross join lateral flamechat_private.budgets_of_call(
        p_user_id, p_account_id, s.current_period_start, m.period_start
    ) as b
    cross join lateral (
        select 'monthly_cost', ceil(100 * b.spent_usd)::integer, (100 * b.cost_limit)::integer
        where b.spent_usd + b.reserved_usd >= b.cost_limit
        union all
        select 'monthly_tokens', least(b.spent_tokens, 2147483647)::integer, least(b.token_limit, 2147483647)::integer
        where b.spent_tokens + b.reserved_tokens >= b.token_limit
    ) as reached (limit_type, used, "limit")
    order by b.of_account, reached.limit_type
    limit 1
$$;

-- As before.
create or replace function public.hold_call_budget(
    p_invocation_id uuid, p_turn_id uuid, p_account_id uuid, p_user_id uuid, p_request_id text, p_cost_usd numeric,
    p_tokens bigint
)
returns table (
    allowed boolean, limit_type text, used integer, "limit" integer, plan_name text, resets_at timestamptz,
    of_account boolean
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
    perform flamechat_private.account_month(p_account_id);  -- before any budget is locked
    update public.charge_receipts r set kind = 'released', at = clock_timestamp()
    where r.turn_id = p_turn_id and r.invocation_id is null and r.kind = 'reserved'
    returning * into of_turn;
    select * into reached from flamechat_private.budget_reached(p_user_id, p_account_id);
    if found then
        update public.charge_receipts r set kind = 'reserved' where r.id = of_turn.id;
        allowed := false;
        limit_type := reached.limit_type;
        used := reached.used;
        "limit" := reached."limit";
        plan_name := reached.plan_name;
        resets_at := reached.resets_at;
        of_account := reached.of_account;
        return next;
        return;
    end if;
    insert into public.charge_receipts (
        turn_id, invocation_id, request_id, account_id, user_id, period_start, account_period_start, kind, cost_usd,
        tokens
    )
    select p_turn_id, p_invocation_id, p_request_id, p_account_id, p_user_id, subscription.current_period_start,
           m.period_start, 'reserved', p_cost_usd, p_tokens
    from flamechat_private.account_month(p_account_id) as m;
    return next;
end
$$;
-- As before, in the months in which the call was reserved.
create or replace function public.settle_call_budget(
    p_invocation_id uuid, p_kind text, p_cost_usd numeric, p_tokens bigint, p_is_estimate boolean
)
returns integer
language plpgsql
set search_path = ''
as $$
declare
    receipt public.charge_receipts;
    largest integer;
begin
    update public.charge_receipts r
    set kind = p_kind, cost_usd = p_cost_usd, tokens = p_tokens, is_estimate = p_is_estimate, at = clock_timestamp()
    where r.invocation_id = p_invocation_id and (r.kind = 'reserved' or r.is_estimate)
    returning * into receipt;
    if not found or p_kind <> 'settled' then
        return null;
    end if;
    with share as (
        select b.*, kind.limit_type, kind.used, kind."limit",
            case when kind.share >= 1 then 100 when kind.share >= 0.8 then 80 end as percent
        from flamechat_private.budgets_of_call(
            receipt.user_id, receipt.account_id, receipt.period_start, receipt.account_period_start
        ) as b
        cross join lateral (
            values ('monthly_cost', b.spent_usd / nullif(b.cost_limit, 0), ceil(100 * b.spent_usd), 100 * b.cost_limit),
                ('monthly_tokens', b.spent_tokens / nullif(b.token_limit, 0), b.spent_tokens, b.token_limit::numeric)
        ) as kind (limit_type, share, used, "limit")
    ),
    noted as (
        insert into public.budget_notices (
            user_id, account_id, limit_type, percent, used, "limit", plan_name, period_start, resets_at
        )
        select receipt.user_id, case when s.of_account then receipt.account_id end, s.limit_type, s.percent,
            least(s.used, 2147483647), least(s."limit", 2147483647), s.plan_name, s.period_start, s.resets_at
        from share s
        where s.percent is not null and not exists (
            select from public.budget_notices n
            where case when s.of_account then n.account_id = receipt.account_id
                    else n.account_id is null and n.user_id = receipt.user_id end
                and n.period_start = s.period_start and n.limit_type = s.limit_type
                and n."limit" = least(s."limit", 2147483647) and n.percent >= s.percent
        )
        on conflict do nothing
        returning percent
    )
    select max(n.percent) into largest from noted n;
    return largest;
end
$$;
drop function flamechat_private.budgets_of_call(uuid, uuid);

revoke all on function flamechat_private.budgets_of_call(uuid, uuid, timestamptz, timestamptz)
from public, anon, authenticated;
grant execute on function flamechat_private.budgets_of_call(uuid, uuid, timestamptz, timestamptz) to service_role;
