-- Which budgets bind a call, what is reached of them, and who is to be informed of it.

-- The budgets that bind a call of this user in this account: that of the user (the smaller of the plan's and their own) and
-- that of the account, each with what is spent and reserved of it. Their rows are locked, the user's first.
create function flamechat_private.budgets_of_call(p_user_id uuid, p_account_id uuid)
returns table (
    of_account boolean, cost_limit numeric, token_limit bigint, spent_usd numeric, reserved_usd numeric,
    spent_tokens numeric, reserved_tokens numeric, plan_name text, over_budget text, period_start timestamptz,
    resets_at timestamptz
)
language plpgsql
set search_path = ''
as $$
declare
    subscription public.user_subscriptions := flamechat_private.lock_subscription(p_user_id);
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
    period_start := subscription.current_period_start;
    resets_at := subscription.current_period_end;
    if num_nonnulls(cost_limit, token_limit) > 0 then
        insert into flamechat_private.budgets (user_id, period_start)
        values (p_user_id, subscription.current_period_start) on conflict do nothing;
        select b.spent_usd, b.reserved_usd, b.spent_tokens, b.reserved_tokens
        into strict spent_usd, reserved_usd, spent_tokens, reserved_tokens
        from flamechat_private.budgets b
        where b.user_id = p_user_id and b.period_start = subscription.current_period_start
        for update;
        return next;
    end if;
    of_account := true;
    cost_limit := of_all.monthly_cost_limit_usd;
    token_limit := of_all.monthly_token_limit;
    if num_nonnulls(cost_limit, token_limit) > 0 then
        select m.period_start, m.period_end into period_start, resets_at
        from flamechat_private.account_month(p_account_id) as m;
        insert into flamechat_private.account_budgets (account_id, period_start)
        values (p_account_id, budgets_of_call.period_start) on conflict do nothing;
        select b.spent_usd, b.reserved_usd, b.spent_tokens, b.reserved_tokens
        into strict spent_usd, reserved_usd, spent_tokens, reserved_tokens
        from flamechat_private.account_budgets b
        where b.account_id = p_account_id and b.period_start = budgets_of_call.period_start
        for update;
        return next;
    end if;
end
$$;

-- Which ceiling of the month is reached with what is spent and reserved; no row below all. Costs are in cents, what is
-- begun of one counts. The budgets are locked until the transaction ends, after everything else that is.
create function flamechat_private.budget_reached(p_user_id uuid, p_account_id uuid)
returns table (
    limit_type text, used integer, "limit" integer, plan_name text, resets_at timestamptz, over_budget text,
    of_account boolean
)
language sql
set search_path = ''
as $$
    select reached.limit_type, reached.used, reached."limit", b.plan_name, b.resets_at, b.over_budget, b.of_account
    from flamechat_private.budgets_of_call(p_user_id, p_account_id) as b
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

-- As before, for the account too, and the refusal says whose budget it is.
drop function public.hold_turn_budget(uuid, numeric, bigint);
create function public.hold_turn_budget(p_turn_id uuid, p_cost_usd numeric, p_tokens bigint)
returns table (
    allowed boolean, limit_type text, used integer, "limit" integer, plan_name text, resets_at timestamptz,
    of_account boolean
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
    select * into reached from flamechat_private.budget_reached(turn.user_id, turn.account_id);
    if found then
        allowed := reached.over_budget = 'built_in';
        limit_type := reached.limit_type;
        used := reached.used;
        "limit" := reached."limit";
        resets_at := reached.resets_at;
        of_account := reached.of_account;
        return next;
        return;
    end if;
    insert into public.charge_receipts (
        turn_id, request_id, account_id, user_id, period_start, account_period_start, kind, cost_usd, tokens
    )
    select p_turn_id, turn.request_id, turn.account_id, turn.user_id, s.current_period_start, m.period_start, 'reserved',
           p_cost_usd, p_tokens
    from public.user_subscriptions s cross join flamechat_private.account_month(turn.account_id) as m
    where s.user_id = turn.user_id;
    return next;
end
$$;

drop function public.hold_call_budget(uuid, uuid, uuid, uuid, text, numeric, bigint);
create function public.hold_call_budget(
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
drop function flamechat_private.budget_reached(uuid);

-- As before; what is reached of each budget becomes a notice, once for each limit, and the largest share is returned.
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
        from flamechat_private.budgets_of_call(receipt.user_id, receipt.account_id) as b
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
alter table flamechat_private.budgets drop column noted_percent;

-- As before. Accounts in the order of their ids, since each one's budget is locked.
create or replace function public.reset_user_usage(p_user_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
declare
    v_account_id uuid;
begin
    perform from public.chat_sessions s where s.counted_for_user = p_user_id order by s.id for update;
    perform flamechat_private.lock_subscription(p_user_id);
    update public.chat_sessions set counted_in_period = null where counted_for_user = p_user_id;
    update public.user_subscriptions
    set monthly_chat_sessions_count = 0, monthly_uploads_used = 0, granted_sessions = 0, updated_at = now()
    where user_id = p_user_id;
    update public.user_profiles set lifetime_chat_analyses_count = 0, updated_at = now() where id = p_user_id;
    for v_account_id in
        select distinct r.account_id from public.charge_receipts r where r.user_id = p_user_id order by r.account_id
    loop
        update public.charge_receipts r set kind = 'released', is_estimate = false
        from public.user_subscriptions s
        where r.user_id = p_user_id and r.account_id = v_account_id and r.kind = 'settled' and s.user_id = p_user_id
            and r.period_start = s.current_period_start;
    end loop;
    delete from public.budget_notices n where n.user_id = p_user_id and n.account_id is null;
end
$$;

revoke all on function
    public.hold_turn_budget(uuid, numeric, bigint),
    public.hold_call_budget(uuid, uuid, uuid, uuid, text, numeric, bigint)
from public, anon, authenticated;
grant execute on function
    public.hold_turn_budget(uuid, numeric, bigint),
    public.hold_call_budget(uuid, uuid, uuid, uuid, text, numeric, bigint)
to service_role;
revoke all on function
    flamechat_private.budgets_of_call(uuid, uuid), flamechat_private.budget_reached(uuid, uuid)
from public, anon, authenticated;
grant execute on function
    flamechat_private.budgets_of_call(uuid, uuid), flamechat_private.budget_reached(uuid, uuid)
to service_role;
