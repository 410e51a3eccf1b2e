-- Reading where one stands locks nothing, and a month keeps the day on which it began.

-- The day that a user's months are counted from: the 31st stays the 31st after a February. Null: from the period that
-- stands. Expand only: older servers neither read nor write it.
alter table public.user_subscriptions add column period_anchor timestamptz;
comment on column public.user_subscriptions.period_anchor is
    'Periods begin whole months after this moment; null: after current_period_start.';

-- The moment from which a subscription's months are counted: its anchor, unless its period was set by hand since; else
-- the period's start, of which the end is one month later; else that end.
create function flamechat_private.anchor_of(p_subscription public.user_subscriptions)
returns timestamptz
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
    select case
        when exists (
            select from generate_series(1, 1200) as month
            where p_subscription.period_anchor + month * interval '1 month' = p_subscription.current_period_end
        ) then p_subscription.period_anchor
        when p_subscription.current_period_start + interval '1 month' = p_subscription.current_period_end
            then p_subscription.current_period_start
        else p_subscription.current_period_end
    end
$$;

-- As before, counted from the anchor.
create or replace function public.reset_expired_monthly_limits(p_user_id uuid default null)
returns integer
language plpgsql
set search_path = ''
as $$
declare
    rolled integer;
begin
    update public.user_subscriptions s
    set monthly_chat_sessions_count = 0,
        monthly_uploads_used = 0,
        granted_sessions = case
            when (flamechat_private.effective_plan(s.user_id)).chat_sessions_period = 'lifetime' then s.granted_sessions
            else 0
        end,
        updated_at = now(),
        period_anchor = flamechat_private.anchor_of(s),
        (current_period_start, current_period_end) = (
            select starts, ends from flamechat_private.period_containing(flamechat_private.anchor_of(s), now())
        )
    where s.current_period_end <= now() and (p_user_id is null or s.user_id = p_user_id);
    get diagnostics rolled = row_count;
    return rolled;
end
$$;

-- As before, and it waits for nobody: the lock is taken only by whom it has to settle or whose month is over.
create or replace function public.chat_limits(p_user_id uuid, p_session_id uuid default null)
returns table (
    plan_name text, messages_used integer, messages_limit integer,
    sessions_used integer, sessions_limit integer, resets_at timestamptz
)
language plpgsql
set search_path = ''
as $$
begin
    if not exists (
        select from public.user_subscriptions s where s.user_id = p_user_id and s.current_period_end > now()
    ) then
        perform flamechat_private.lock_subscription(p_user_id);
    end if;
    return query
        select plan.name, flamechat_private.messages_counted(p_session_id), plan.chat_messages_per_session,
               standing.used, standing."limit", standing.resets_at
        from flamechat_private.effective_plan(p_user_id) as plan
        cross join flamechat_private.sessions_standing(p_user_id) as standing;
end
$$;

revoke all on function flamechat_private.anchor_of(public.user_subscriptions) from public, anon, authenticated;
grant execute on function flamechat_private.anchor_of(public.user_subscriptions) to service_role;
