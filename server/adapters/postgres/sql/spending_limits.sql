-- name: set_user_limits
-- In place of those that were.
insert into public.spending_limits (user_id, monthly_cost_limit_usd, monthly_token_limit, turn_token_limit)
values (%(user_id)s, %(monthly_cost_limit_usd)s, %(monthly_token_limit)s, %(turn_token_limit)s)
on conflict (user_id) do update
set monthly_cost_limit_usd = excluded.monthly_cost_limit_usd, monthly_token_limit = excluded.monthly_token_limit,
    turn_token_limit = excluded.turn_token_limit

-- name: set_account_limits
-- In place of those that were.
insert into public.spending_limits (account_id, monthly_cost_limit_usd, monthly_token_limit, turn_token_limit)
values (%(account_id)s, %(monthly_cost_limit_usd)s, %(monthly_token_limit)s, %(turn_token_limit)s)
on conflict (account_id) do update
set monthly_cost_limit_usd = excluded.monthly_cost_limit_usd, monthly_token_limit = excluded.monthly_token_limit,
    turn_token_limit = excluded.turn_token_limit

-- name: account_spending
-- In the month that contains now.
select a.id as account_id, m.period_start, m.period_end, l.monthly_cost_limit_usd, l.monthly_token_limit,
    l.turn_token_limit, ceil(100 * coalesce(b.spent_usd, 0))::integer as spent_cents,
    coalesce(b.spent_tokens, 0)::bigint as spent_tokens
from public.accounts a
cross join lateral flamechat_private.account_month(a.id) as m
left join public.spending_limits l on l.account_id = a.id
left join flamechat_private.account_budgets b on b.account_id = a.id and b.period_start = m.period_start
where a.id = %(account_id)s

-- name: budget_notices
-- Newest first.
select * from public.budget_notices n order by n.at desc, n.id limit %(limit)s

-- name: recent_budget_notices
-- Whoever asks has seen some of them.
select n.*, coalesce(n.account_id, own.id) as informed_account_id
from public.budget_notices n
left join public.accounts own on own.personal_user_id = n.user_id
where n.at > clock_timestamp() - interval '2 minutes'
order by n.at, n.id

-- name: take_budget_notices
-- Those of which nobody has been informed elsewhere, each for one process.
with taken as (
    update public.budget_notices n set broadcast_at = clock_timestamp()
    where n.id in (
        select one.id from public.budget_notices one
        where one.broadcast_at is null and one.at > clock_timestamp() - interval '1 hour'
        order by one.at, one.id for update skip locked
    )
    returning n.*
)
select t.*, coalesce(t.account_id, own.id) as informed_account_id
from taken t left join public.accounts own on own.personal_user_id = t.user_id
order by t.at, t.id
