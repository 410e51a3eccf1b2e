-- What a plan allows, decided here so that every process obeys one truth. Only the server may ask (the end of this file).

-- The month-long period that contains a moment, a whole number of months after one that ended at `p_ended`. Counted in UTC,
-- wherever the session is: a month is not as long everywhere.
create function flamechat_private.period_containing(p_ended timestamptz, p_moment timestamptz)
returns table (starts timestamptz, ends timestamptz)
language sql stable
set search_path = '' set timezone = 'UTC'
as $$
    select p_ended + month * interval '1 month', p_ended + (month + 1) * interval '1 month'
    from generate_series(0, (p_moment::date - p_ended::date) / 28 + 1) as month
    where p_ended + month * interval '1 month' <= p_moment
    order by month desc
    limit 1
$$;

-- Rolls expired periods forward to the one that contains now, however long nobody came, and zeroes what is counted by the
-- month; of all users, or of one. Every status alike: a trial renews its month, and someone past due keeps a period in
-- which the free plan can count. Safe twice and at once: whoever comes second finds nothing expired. Returns how many were
-- rolled.
create function public.reset_expired_monthly_limits(p_user_id uuid default null)
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
        updated_at = now(),
        (current_period_start, current_period_end) = (
            select starts, ends from flamechat_private.period_containing(s.current_period_end, now())
        )
    where s.current_period_end <= now() and (p_user_id is null or s.user_id = p_user_id);
    get diagnostics rolled = row_count;
    return rolled;
end
$$;

-- A user's subscription, locked until the transaction ends and its period made the current one. Whoever has none gets the
-- free one: limits are enforced, never skipped. Every function that counts takes this lock before it looks at a counter.
create function flamechat_private.lock_subscription(p_user_id uuid)
returns public.user_subscriptions
language plpgsql
set search_path = ''
as $$
declare
    subscription public.user_subscriptions;
begin
    perform public.reset_expired_monthly_limits(p_user_id);
    select * into subscription from public.user_subscriptions where user_id = p_user_id for update;
    if not found then
        perform flamechat_private.settle_user(p_user_id);
        select * into strict subscription from public.user_subscriptions where user_id = p_user_id for update;
    end if;
    return subscription;
end
$$;

-- The plan whose limits bind a user: his own while he is in good standing, else (past due, canceled, no subscription) the
-- free one. The one place that says so.
create function flamechat_private.effective_plan(p_user_id uuid)
returns public.subscription_plans
language sql stable
set search_path = ''
as $$
    select p
    from public.subscription_plans p
    left join public.user_subscriptions s
        on s.user_id = p_user_id and s.plan_id = p.id and s.status in ('active', 'trialing', 'free')
    where s.id is not null or p.name = 'free'
    order by s.id is not null desc
    limit 1
$$;

-- The messages of a session that count, by what people see: prompts and finished answers, and for a turn that has not
-- ended the answer it is owed. Tool requests, tool results and events never do.
create function flamechat_private.messages_counted(p_session_id uuid)
returns integer
language sql stable
set search_path = ''
as $$
    select coalesce(sum(
        (t.kind <> 'regenerate')::integer + (t.status in ('accepted', 'running', 'completed'))::integer
    ), 0)::integer
    from public.chat_turns t
    where t.session_id = p_session_id
$$;

-- One more session of a lifetime. Returns the new count, or null, and nothing counted, at the ceiling.
create function public.increment_lifetime_chat_analyses(p_user_id uuid)
returns integer
language plpgsql
set search_path = ''
as $$
declare
    plan public.subscription_plans;
    counted integer;
begin
    perform flamechat_private.lock_subscription(p_user_id);
    plan := flamechat_private.effective_plan(p_user_id);
    update public.user_profiles
    set lifetime_chat_analyses_count = lifetime_chat_analyses_count + 1, updated_at = now()
    where id = p_user_id
        and (plan.chat_sessions_period is distinct from 'lifetime'
             or lifetime_chat_analyses_count < plan.chat_sessions_limit)
    returning lifetime_chat_analyses_count into counted;
    return counted;
end
$$;

-- One more session of the month. Returns the new count, or null, and nothing counted, at the ceiling.
create function public.increment_monthly_chat_sessions(p_user_subscription_id uuid)
returns integer
language plpgsql
set search_path = ''
as $$
declare
    subscription public.user_subscriptions;
    plan public.subscription_plans;
    counted integer;
begin
    select * into subscription from public.user_subscriptions where id = p_user_subscription_id;
    if not found then
        raise exception 'There is no subscription %.', p_user_subscription_id using errcode = 'PT404';
    end if;
    subscription := flamechat_private.lock_subscription(subscription.user_id);
    plan := flamechat_private.effective_plan(subscription.user_id);
    update public.user_subscriptions
    set monthly_chat_sessions_count = monthly_chat_sessions_count + 1, updated_at = now()
    where id = p_user_subscription_id
        and (plan.chat_sessions_period is distinct from 'monthly'
             or monthly_chat_sessions_count < plan.chat_sessions_limit)
    returning monthly_chat_sessions_count into counted;
    return counted;
end
$$;

-- Where a user stands with sessions, in the terms of his plan: an unlimited one counts by the month, for the record.
create function flamechat_private.sessions_standing(p_user_id uuid)
returns table (counted_as text, used integer, "limit" integer, resets_at timestamptz)
language sql stable
set search_path = ''
as $$
    select
        coalesce(plan.chat_sessions_period, 'monthly'),
        case when plan.chat_sessions_period = 'lifetime'
            then u.lifetime_chat_analyses_count else s.monthly_chat_sessions_count end,
        plan.chat_sessions_limit,
        case when plan.chat_sessions_period = 'monthly' then s.current_period_end end
    from flamechat_private.effective_plan(p_user_id) as plan
    cross join public.user_profiles u
    cross join public.user_subscriptions s
    where u.id = p_user_id and s.user_id = p_user_id
$$;

-- Where a user and one of his sessions (null: none yet) stand. Says, does not count.
create function public.chat_limits(p_user_id uuid, p_session_id uuid default null)
returns table (
    plan_name text, messages_used integer, messages_limit integer,
    sessions_used integer, sessions_limit integer, resets_at timestamptz
)
language plpgsql
set search_path = ''
as $$
begin
    perform flamechat_private.lock_subscription(p_user_id);
    return query
        select plan.name, flamechat_private.messages_counted(p_session_id), plan.chat_messages_per_session,
               standing.used, standing."limit", standing.resets_at
        from flamechat_private.effective_plan(p_user_id) as plan
        cross join flamechat_private.sessions_standing(p_user_id) as standing;
end
$$;

-- Uploads ---------------------------------------------------------------------------------------------------------

-- Whether one more trace fits under the plan's total. Asked under the subscription's lock.
create function flamechat_private.traces_held(p_user_id uuid)
returns integer
language sql stable
set search_path = ''
as $$
    select count(*)::integer from public.traces t where t.user_id = p_user_id
$$;

-- Counts one upload of the month before its bytes are worked on. One row: whether it may, and if not, which ceiling.
create function public.reserve_trace_upload(p_user_id uuid)
returns table (
    allowed boolean, limit_type text, used integer, "limit" integer, plan_name text, resets_at timestamptz
)
language plpgsql
set search_path = ''
as $$
declare
    subscription public.user_subscriptions := flamechat_private.lock_subscription(p_user_id);
    plan public.subscription_plans := flamechat_private.effective_plan(p_user_id);
    held integer := flamechat_private.traces_held(p_user_id);
begin
    plan_name := plan.name;
    if held >= plan.total_trace_limit then
        allowed := false;
        limit_type := 'total_traces';
        used := held;
        "limit" := plan.total_trace_limit;
    elsif subscription.monthly_uploads_used >= plan.monthly_upload_limit then
        allowed := false;
        limit_type := 'monthly_uploads';
        used := subscription.monthly_uploads_used;
        "limit" := plan.monthly_upload_limit;
        resets_at := subscription.current_period_end;
    else
        allowed := true;
        update public.user_subscriptions
        set monthly_uploads_used = monthly_uploads_used + 1, updated_at = now()
        where id = subscription.id;
    end if;
    return next;
end
$$;

-- Gives back an upload that did not become a trace. Never below zero: the month may have turned meanwhile.
create function public.release_trace_upload(p_user_id uuid)
returns void
language sql
set search_path = ''
as $$
    update public.user_subscriptions
    set monthly_uploads_used = greatest(monthly_uploads_used - 1, 0), updated_at = now()
    where user_id = p_user_id
$$;

-- A stored trace expires when its maker's plan says so, and many uploads at once, each with room when it was reserved,
-- cannot pass the total together: here they stand in one line. The refusal's detail is the row reserve_trace_upload gives.
create function flamechat_private.hold_trace_to_plan()
returns trigger
language plpgsql
set search_path = ''
as $$
declare
    plan public.subscription_plans;
    held integer;
begin
    perform flamechat_private.lock_subscription(new.user_id);
    plan := flamechat_private.effective_plan(new.user_id);
    held := flamechat_private.traces_held(new.user_id);
    if held >= plan.total_trace_limit then
        raise exception 'The % plan holds % traces.', plan.name, plan.total_trace_limit
            using errcode = 'PT402', detail = jsonb_build_object(
                'allowed', false, 'limit_type', 'total_traces', 'used', held, 'limit', plan.total_trace_limit,
                'plan_name', plan.name, 'resets_at', null
            );
    end if;
    new.expires_at := coalesce(new.expires_at, now() + plan.retention_days * interval '1 day');
    return new;
end
$$;

create trigger hold_trace_to_plan
    before insert on public.traces
    for each row execute function flamechat_private.hold_trace_to_plan();

-- The server alone --------------------------------------------------------------------------------------------------

revoke all on function
    public.reset_expired_monthly_limits(uuid),
    public.increment_lifetime_chat_analyses(uuid),
    public.increment_monthly_chat_sessions(uuid),
    public.chat_limits(uuid, uuid),
    public.reserve_trace_upload(uuid),
    public.release_trace_upload(uuid)
from public, anon, authenticated;
grant execute on function
    public.reset_expired_monthly_limits(uuid),
    public.increment_lifetime_chat_analyses(uuid),
    public.increment_monthly_chat_sessions(uuid),
    public.chat_limits(uuid, uuid),
    public.reserve_trace_upload(uuid),
    public.release_trace_upload(uuid)
to service_role;

revoke all on all functions in schema flamechat_private from public, anon, authenticated;
grant execute on all functions in schema flamechat_private to service_role;
