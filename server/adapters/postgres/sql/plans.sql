-- name: make_user
-- The local user, whom no identity provider knows; the trigger gives them an account, profile and subscription.
insert into auth.users (id) values (%(user_id)s) on conflict do nothing

-- name: put_on_plan
-- The plan of a user who was just made.
update public.user_subscriptions
set plan_id = (select id from public.subscription_plans where name = %(plan)s), status = 'active'
where user_id = %(user_id)s

-- name: settle_user
-- What every user has, made where it is missing; refused for one whom auth.users does not hold.
select flamechat_private.settle_user(%(user_id)s)

-- name: personal_account
-- The account that is the user's own.
select id from public.accounts where personal_user_id = %(user_id)s

-- name: plans
-- What is on offer, and what was.
select * from public.subscription_plans order by name

-- name: plan
-- Locked, so that what is made of it is made of what is there.
select * from public.subscription_plans where name = %(name)s for update

-- name: create_plan
-- No row when the name is taken.
insert into public.subscription_plans (
    name, display_name, price_monthly, chat_messages_per_session, chat_sessions_limit, chat_sessions_period,
    monthly_upload_limit, total_trace_limit, retention_days, allow_public_sharing, hidden_tools, chat_models,
    monthly_cost_limit_usd, monthly_token_limit, turn_token_limit, over_budget, api_keys_limit,
    api_requests_per_minute, monthly_render_limit
)
values (
    %(name)s, %(display_name)s, %(price_monthly)s, %(chat_messages_per_session)s, %(chat_sessions_limit)s,
    %(chat_sessions_period)s, %(monthly_upload_limit)s, %(total_trace_limit)s, %(retention_days)s,
    %(allow_public_sharing)s, %(hidden_tools)s, %(chat_models)s, %(monthly_cost_limit_usd)s, %(monthly_token_limit)s,
    %(turn_token_limit)s, %(over_budget)s, %(api_keys_limit)s, %(api_requests_per_minute)s, %(monthly_render_limit)s
)
on conflict (name) do nothing

-- name: change_plan
-- Everything of it; the functions read it anew with every prompt.
update public.subscription_plans
set display_name = %(display_name)s, price_monthly = %(price_monthly)s,
    chat_messages_per_session = %(chat_messages_per_session)s, chat_sessions_limit = %(chat_sessions_limit)s,
    chat_sessions_period = %(chat_sessions_period)s, monthly_upload_limit = %(monthly_upload_limit)s,
    total_trace_limit = %(total_trace_limit)s, retention_days = %(retention_days)s,
    allow_public_sharing = %(allow_public_sharing)s, hidden_tools = %(hidden_tools)s,
    chat_models = %(chat_models)s, monthly_cost_limit_usd = %(monthly_cost_limit_usd)s,
    monthly_token_limit = %(monthly_token_limit)s, turn_token_limit = %(turn_token_limit)s,
    over_budget = %(over_budget)s, api_keys_limit = %(api_keys_limit)s,
    api_requests_per_minute = %(api_requests_per_minute)s, monthly_render_limit = %(monthly_render_limit)s,
    retired_at = case when %(is_retired)s then coalesce(retired_at, now()) end, updated_at = now()
where name = %(name)s

-- name: user_usage
-- Where one user stands, or all.
select u.*, ceil(100 * coalesce(b.spent_usd, 0))::integer as spent_cents,
    coalesce(b.spent_tokens, 0)::bigint as spent_tokens, coalesce(r.used, 0) as renders,
    flamechat_private.working_api_keys(u.user_id) as api_keys, l.monthly_cost_limit_usd as own_monthly_cost_limit_usd,
    l.monthly_token_limit as own_monthly_token_limit, l.turn_token_limit as own_turn_token_limit
from public.user_usage(%(user_id)s, %(limit)s, %(offset)s) with ordinality as u
left join flamechat_private.budgets b on b.user_id = u.user_id and b.period_start = u.period_start
left join flamechat_private.monthly_renders r on r.user_id = u.user_id and r.period_start = u.period_start
left join public.spending_limits l on l.user_id = u.user_id
order by u.ordinality

-- name: conversations_of
-- Those of these users that have so many messages, as a prompt's reservation counts them.
select count(*) as conversations from public.chat_sessions s
where s.user_id = any(%(users)s::uuid[]) and flamechat_private.messages_counted(s.id) >= %(messages)s

-- name: subscribe
-- A plan, in good standing; the counters stay.
update public.user_subscriptions
set plan_id = (select id from public.subscription_plans where name = %(plan)s),
    status = case %(plan)s when 'free' then 'free' else 'active' end, updated_at = now()
where user_id = %(user_id)s

-- name: grant_sessions
-- On top of the plan.
update public.user_subscriptions set granted_sessions = granted_sessions + %(sessions)s, updated_at = now()
where user_id = %(user_id)s

-- name: reset_usage
-- All counters, in one statement.
with renders as (delete from flamechat_private.monthly_renders where user_id = %(user_id)s)
select public.reset_user_usage(%(user_id)s)

-- name: note_plan_change
-- The audit.
insert into public.plan_changes (changed_by, user_id, plan_name, action, before, after, reason)
values (
    %(changed_by)s, %(user_id)s, %(plan_name)s, %(action)s, %(before)s, %(after)s, %(reason)s
)

-- name: plan_changes
-- The audit, newest first.
select * from public.plan_changes order by id desc limit %(limit)s

-- name: roll_periods
-- Monthly counters of everybody whose month is over.
select public.reset_expired_monthly_limits()
