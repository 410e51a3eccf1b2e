-- What an administrator may give and take, and where everybody stands. Changing plans is plain writing of their rows, which
-- every function reads anew: a change binds the next prompt.

alter table public.user_subscriptions
    add column granted_sessions integer not null default 0 check (granted_sessions >= 0);
comment on column public.user_subscriptions.granted_sessions is
    'Sessions that an administrator gave on top of the plan: for good where sessions count for a lifetime, else for the month.';
comment on column public.chat_sessions.counted_in_period is
    'Start of the period it was counted in; null once that counter was reset. Nothing is given back to another period''s counter.';

-- As before, and with what the user was granted.
create or replace function flamechat_private.effective_plan(p_user_id uuid)
returns public.subscription_plans
language plpgsql stable
set search_path = ''
as $$
declare
    plan public.subscription_plans;
begin
    select p.* into plan
    from public.subscription_plans p
    left join public.user_subscriptions s
        on s.user_id = p_user_id and s.plan_id = p.id and s.status in ('active', 'trialing', 'free')
    where s.id is not null or p.name = 'free'
    order by s.id is not null desc
    limit 1;
    plan.chat_sessions_limit := plan.chat_sessions_limit + coalesce(
        (select s.granted_sessions from public.user_subscriptions s where s.user_id = p_user_id), 0
    );
    return plan;
end
$$;

-- As before, and what was granted for a month goes with it.
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
        (current_period_start, current_period_end) = (
            select starts, ends from flamechat_private.period_containing(s.current_period_end, now())
        )
    where s.current_period_end <= now() and (p_user_id is null or s.user_id = p_user_id);
    get diagnostics rolled = row_count;
    return rolled;
end
$$;

-- As before, but for a session whose counter was reset since it was counted.
create or replace function public.release_chat_session(p_turn_id uuid)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
    turn public.chat_turns;
    session public.chat_sessions;
    heir uuid;
begin
    select * into turn from public.chat_turns where id = p_turn_id;
    session := flamechat_private.lock_session(turn.session_id);
    select * into turn from public.chat_turns where id = p_turn_id;
    if session.counted_for_turn is distinct from p_turn_id or turn.status not in ('failed', 'cancelled') then
        return false;
    end if;
    select t.id into heir
    from public.chat_turns t
    where t.session_id = session.id and t.id <> p_turn_id and t.status in ('accepted', 'running', 'completed')
    order by t.ordinal
    limit 1;
    if found then
        update public.chat_sessions set counted_for_turn = heir where id = session.id;
        return false;
    end if;
    perform flamechat_private.lock_subscription(session.counted_for_user);
    if session.counted_as = 'lifetime' then
        update public.user_profiles
        set lifetime_chat_analyses_count = greatest(lifetime_chat_analyses_count - 1, 0), updated_at = now()
        where id = session.counted_for_user and session.counted_in_period is not null;
    else
        update public.user_subscriptions
        set monthly_chat_sessions_count = greatest(monthly_chat_sessions_count - 1, 0), updated_at = now()
        where user_id = session.counted_for_user and current_period_start = session.counted_in_period;
    end if;
    update public.chat_sessions
    set counted_as = null, counted_in_period = null, counted_for_turn = null, counted_for_user = null
    where id = session.id;
    return true;
end
$$;

-- Where users stand: one, or all, oldest first. `plan` is the one that binds, without what was granted.
create function public.user_usage(p_user_id uuid default null, p_limit integer default null, p_offset integer default 0)
returns table (
    user_id uuid, display_name text, subscribed_plan text, status text, plan jsonb, lifetime_sessions integer,
    monthly_sessions integer, granted_sessions integer, uploads integer, traces integer,
    period_start timestamptz, period_end timestamptz
)
language plpgsql
set search_path = ''
as $$
begin
    perform public.reset_expired_monthly_limits(p_user_id);
    return query
        select u.id, u.display_name, own.name, s.status, to_jsonb(binding), u.lifetime_chat_analyses_count,
               s.monthly_chat_sessions_count, s.granted_sessions, s.monthly_uploads_used,
               flamechat_private.traces_held(u.id), s.current_period_start, s.current_period_end
        from public.user_profiles u
        join public.user_subscriptions s on s.user_id = u.id
        join public.subscription_plans own on own.id = s.plan_id
        cross join lateral flamechat_private.effective_plan(u.id) as effective
        join public.subscription_plans binding on binding.id = effective.id
        where p_user_id is null or u.id = p_user_id
        order by u.created_at, u.id
        limit p_limit offset p_offset;
end
$$;

-- All counters of a user at zero, and nothing granted. Sessions counted so far give nothing back afterwards.
create function public.reset_user_usage(p_user_id uuid)
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
end
$$;
create index chat_sessions_counted_for on public.chat_sessions (counted_for_user) where counted_for_user is not null;

revoke all on function public.user_usage(uuid, integer, integer), public.reset_user_usage(uuid)
    from public, anon, authenticated;
grant execute on function public.user_usage(uuid, integer, integer), public.reset_user_usage(uuid) to service_role;
revoke all on all functions in schema flamechat_private from public, anon, authenticated;
grant execute on all functions in schema flamechat_private to service_role;
