-- Lists of users name them: by what they call themselves, else by the name or address that Auth knows.

-- As its owner: the server's role may not read auth.users.
create function flamechat_private.name_of_user(p_user_id uuid)
returns text
language sql stable security definer
set search_path = ''
as $$
    select coalesce(
        (select u.display_name from public.user_profiles u where u.id = p_user_id),
        (
            select coalesce(
                nullif(a.raw_user_meta_data ->> 'full_name', ''), nullif(a.raw_user_meta_data ->> 'name', ''), a.email
            )
            from auth.users a where a.id = p_user_id
        )
    )
$$;
revoke all on function flamechat_private.name_of_user(uuid) from public, anon, authenticated;
grant execute on function flamechat_private.name_of_user(uuid) to service_role;

-- As before, with that name.
create or replace function public.user_usage(
    p_user_id uuid default null, p_limit integer default null, p_offset integer default 0
)
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
        select u.id, flamechat_private.name_of_user(u.id), own.name, s.status, to_jsonb(binding),
               u.lifetime_chat_analyses_count, s.monthly_chat_sessions_count, s.granted_sessions,
               s.monthly_uploads_used, flamechat_private.traces_held(u.id), s.current_period_start,
               s.current_period_end
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
