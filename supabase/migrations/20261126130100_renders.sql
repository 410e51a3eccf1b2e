-- Pictures drawn for programs and people over HTTP, counted by the month and reserved before they are drawn, as uploads are.
-- A count belongs to its month, so that a new month begins at nothing by itself.

alter table public.subscription_plans add column monthly_render_limit integer check (monthly_render_limit >= 0);
update public.subscription_plans set monthly_render_limit = 500 where name = 'free';

create table flamechat_private.monthly_renders (
    user_id uuid not null,
    period_start timestamptz not null,
    used integer not null default 0 check (used >= 0),
    primary key (user_id, period_start)
);
alter table flamechat_private.monthly_renders enable row level security;
revoke all on flamechat_private.monthly_renders from public, anon, authenticated;
grant select, insert, update, delete on flamechat_private.monthly_renders to service_role;
create policy "the server alone" on flamechat_private.monthly_renders to service_role using (true) with check (true);

-- Counts one picture before it is drawn. One row: whether it may be, and if not, at which ceiling. `period_start` is what
-- it is given back to.
create function public.reserve_render(p_user_id uuid)
returns table (
    allowed boolean, limit_type text, used integer, "limit" integer, plan_name text, resets_at timestamptz,
    period_start timestamptz
)
language plpgsql
set search_path = ''
as $$
declare
    subscription public.user_subscriptions := flamechat_private.lock_subscription(p_user_id);
    plan public.subscription_plans := flamechat_private.effective_plan(p_user_id);
begin
    plan_name := plan.name;
    period_start := subscription.current_period_start;
    select coalesce(max(r.used), 0) into used
    from flamechat_private.monthly_renders r
    where r.user_id = p_user_id and r.period_start = subscription.current_period_start;
    allowed := plan.monthly_render_limit is null or used < plan.monthly_render_limit;
    if not allowed then
        limit_type := 'monthly_renders';
        "limit" := plan.monthly_render_limit;
        resets_at := subscription.current_period_end;
        return next;
        return;
    end if;
    delete from flamechat_private.monthly_renders r
    where r.user_id = p_user_id and r.period_start < subscription.current_period_start;
    insert into flamechat_private.monthly_renders as r (user_id, period_start, used)
    values (p_user_id, subscription.current_period_start, 1)
    on conflict on constraint monthly_renders_pkey do update set used = r.used + 1;
    return next;
end
$$;

-- Gives back a picture that was not drawn.
create function public.release_render(p_user_id uuid, p_period_start timestamptz)
returns void
language sql
set search_path = ''
as $$
    update flamechat_private.monthly_renders r set used = greatest(r.used - 1, 0)
    where r.user_id = p_user_id and r.period_start = p_period_start
$$;

revoke all on function public.reserve_render(uuid), public.release_render(uuid, timestamptz)
from public, anon, authenticated;
grant execute on function public.reserve_render(uuid), public.release_render(uuid, timestamptz) to service_role;
