-- The sums of a day by each of a report's ways, once the day is over, so that a report over a year reads a row a day and not
-- one for each person, model and purpose of it. Made of the sums of days and of nothing else. Expand only: an older server
-- reads the sums of days.

create table flamechat_private.ai_spend_closed_days (day date primary key);
create table flamechat_private.ai_spend_totals (
    way text not null check (way in ('day', 'user', 'account', 'model', 'purpose', 'prompt')),
    day date not null,
    key text not null,
    calls bigint not null,
    failed_calls bigint not null,
    unpriced_calls bigint not null,
    input_tokens numeric not null,
    cached_input_tokens numeric not null,
    output_tokens numeric not null,
    reasoning_tokens numeric not null,
    cost_usd numeric not null,
    primary key (way, day, key)
);
create index ai_spend_totals_by_day on flamechat_private.ai_spend_totals (day);
alter table flamechat_private.ai_spend_closed_days enable row level security;
alter table flamechat_private.ai_spend_totals enable row level security;
revoke all on flamechat_private.ai_spend_closed_days, flamechat_private.ai_spend_totals from public, anon, authenticated;
grant select, insert, update, delete on flamechat_private.ai_spend_closed_days, flamechat_private.ai_spend_totals
to service_role;
create policy "the server alone" on flamechat_private.ai_spend_closed_days to service_role using (true) with check (true);
create policy "the server alone" on flamechat_private.ai_spend_totals to service_role using (true) with check (true);

-- The sums of the days from one to another, both included, by one way: a row for each day and key.
create function flamechat_private.spend_by(p_way text, p_since date, p_until date)
returns table (
    day date, key text, calls bigint, failed_calls bigint, unpriced_calls bigint, input_tokens numeric,
    cached_input_tokens numeric, output_tokens numeric, reasoning_tokens numeric, cost_usd numeric
)
language sql stable
set search_path = ''
as $$
    select d.day,
        case p_way
            when 'day' then to_char(d.day, 'YYYY-MM-DD') when 'user' then d.user_id::text
            when 'account' then d.account_id::text when 'model' then d.model when 'prompt' then d.prompt_version
            else d.purpose
        end,
        sum(d.calls)::bigint, sum(d.failed_calls)::bigint, sum(d.unpriced_calls)::bigint, sum(d.input_tokens),
        sum(d.cached_input_tokens), sum(d.output_tokens), sum(d.reasoning_tokens), sum(d.cost_usd)
    from flamechat_private.ai_spend_days d
    where d.calls > 0 and d.day >= p_since and d.day <= p_until
    group by 1, 2
$$;

-- Closes the days that are over for a day at least: nothing of them is on its way any more. Returns how many. A day that
-- changes all the same is opened again; who closes waits for whoever changes one.
create function flamechat_private.close_spend_days()
returns integer
language plpgsql
set search_path = ''
as $$
declare
    v_until date := (now() at time zone 'UTC')::date - 2;
    v_day date;
    v_closed integer := 0;
begin
    if not exists (
        select from generate_series((select min(d.day) from flamechat_private.ai_spend_days d), v_until, interval '1 day') as g
        where not exists (select from flamechat_private.ai_spend_closed_days c where c.day = g::date)
    ) then
        return 0;
    end if;
    perform pg_advisory_xact_lock(hashtext('flamechat_private.ai_spend_closed_days'));
    for v_day in
        select g::date
        from generate_series((select min(d.day) from flamechat_private.ai_spend_days d), v_until, interval '1 day') as g
        where not exists (select from flamechat_private.ai_spend_closed_days c where c.day = g::date)
    loop
        delete from flamechat_private.ai_spend_totals t where t.day = v_day;
        insert into flamechat_private.ai_spend_totals
        select way.name, s.day, s.key, s.calls, s.failed_calls, s.unpriced_calls, s.input_tokens, s.cached_input_tokens,
               s.output_tokens, s.reasoning_tokens, s.cost_usd
        from unnest(array['day', 'user', 'account', 'model', 'purpose', 'prompt']) as way (name)
        cross join lateral flamechat_private.spend_by(way.name, v_day, v_day) as s;
        insert into flamechat_private.ai_spend_closed_days values (v_day);
        v_closed := v_closed + 1;
    end loop;
    return v_closed;
end
$$;

-- A sum of a day that is over changes: with a person who goes, with their account, with a row that comes late.
create function flamechat_private.open_spend_day()
returns trigger
language plpgsql security definer
set search_path = ''
as $$
declare
    v_day date := coalesce(new.day, old.day);
begin
    if v_day >= (now() at time zone 'UTC')::date - 1 then
        return null;
    end if;
    perform pg_advisory_xact_lock_shared(hashtext('flamechat_private.ai_spend_closed_days'));
    delete from flamechat_private.ai_spend_closed_days c where c.day = v_day;
    delete from flamechat_private.ai_spend_totals t where t.day = v_day;
    return null;
end
$$;
create trigger ai_spend_days_that_change
    after insert or update or delete on flamechat_private.ai_spend_days
    for each row execute function flamechat_private.open_spend_day();

-- What model calls came to by one way, over complete days (UTC), from closed days where they are closed.
create function public.spend_report(p_way text, p_since timestamptz, p_until timestamptz)
returns table (
    key text, calls bigint, failed_calls bigint, unpriced_calls bigint, input_tokens bigint, cached_input_tokens bigint,
    output_tokens bigint, reasoning_tokens bigint, cost_usd numeric
)
language sql stable
set search_path = ''
as $$
    with bounds as (
        select coalesce((p_since at time zone 'UTC')::date, min(d.day)) as since,
            coalesce((p_until at time zone 'UTC')::date, max(d.day)) as until
        from flamechat_private.ai_spend_days d
    ),
    open_day as (
        select g::date as day
        from bounds b
        cross join lateral generate_series(
            greatest(b.since, (select min(d.day) from flamechat_private.ai_spend_days d)),
            least(b.until, (select max(d.day) from flamechat_private.ai_spend_days d)),
            interval '1 day'
        ) as g
        where not exists (select from flamechat_private.ai_spend_closed_days c where c.day = g::date)
    ),
    part as (
        select t.day, t.key, t.calls, t.failed_calls, t.unpriced_calls, t.input_tokens, t.cached_input_tokens,
            t.output_tokens, t.reasoning_tokens, t.cost_usd
        from bounds b
        join flamechat_private.ai_spend_totals t on t.way = p_way and t.day between b.since and b.until
        where exists (select from flamechat_private.ai_spend_closed_days c where c.day = t.day)
        union all
        select s.*
        from open_day o
        cross join lateral flamechat_private.spend_by(p_way, o.day, o.day) as s
    )
    select p.key, sum(p.calls)::bigint, sum(p.failed_calls)::bigint, sum(p.unpriced_calls)::bigint,
        sum(p.input_tokens)::bigint, sum(p.cached_input_tokens)::bigint, sum(p.output_tokens)::bigint,
        sum(p.reasoning_tokens)::bigint, case when sum(p.unpriced_calls) < sum(p.calls) then sum(p.cost_usd) end
    from part p
    group by p.key
    order by case when p_way = 'day' then p.key end, sum(p.cost_usd) desc, sum(p.input_tokens + p.output_tokens) desc, 1
$$;

revoke all on function public.spend_report(text, timestamptz, timestamptz) from public, anon, authenticated;
grant execute on function public.spend_report(text, timestamptz, timestamptz) to service_role;
revoke all on function
    flamechat_private.spend_by(text, date, date), flamechat_private.close_spend_days(), flamechat_private.open_spend_day()
from public, anon, authenticated;
grant execute on function
    flamechat_private.spend_by(text, date, date), flamechat_private.close_spend_days(), flamechat_private.open_spend_day()
to service_role;
