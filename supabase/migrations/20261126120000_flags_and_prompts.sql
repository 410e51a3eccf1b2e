-- What was decided for a turn, with each of its calls; and sums by the version of the prompt, so that two that run side by
-- side can be compared. Expand only: an older server writes no flags, and its calls count with their prompt's version.

alter table public.ai_invocation_summaries add column flags text;
comment on column public.ai_invocation_summaries.flags is 'As decided for its turn; null: as for everybody.';

alter table flamechat_private.ai_spend_days add column prompt_version text not null default '';
alter table flamechat_private.ai_spend_days drop constraint ai_spend_days_pkey;
delete from flamechat_private.ai_spend_days;
insert into flamechat_private.ai_spend_days
select (i.started_at at time zone 'UTC')::date, i.account_id, i.user_id, i.model_asked, i.purpose, count(*),
    count(*) filter (where i.outcome <> 'ok'), count(*) filter (where i.cost_usd is null), coalesce(sum(i.input_tokens), 0),
    coalesce(sum(i.cached_input_tokens), 0), coalesce(sum(i.output_tokens), 0), coalesce(sum(i.reasoning_tokens), 0),
    coalesce(sum(i.cost_usd), 0), coalesce(i.prompt_version, '')
from public.ai_invocation_summaries i
group by 1, i.account_id, i.user_id, i.model_asked, i.purpose, coalesce(i.prompt_version, '');
alter table flamechat_private.ai_spend_days
    add primary key (day, account_id, user_id, model, purpose, prompt_version);

create or replace function flamechat_private.count_invocation(p_row public.ai_invocation_summaries, p_sign integer)
returns void
language plpgsql security definer
set search_path = ''
as $$
declare
    v_day date := (p_row.started_at at time zone 'UTC')::date;
begin
    if p_sign > 0 then
        insert into flamechat_private.ai_spend_days as d
        values (
            v_day, p_row.account_id, p_row.user_id, p_row.model_asked, p_row.purpose,
            1, (p_row.outcome <> 'ok')::integer, (p_row.cost_usd is null)::integer,
            coalesce(p_row.input_tokens, 0), coalesce(p_row.cached_input_tokens, 0),
            coalesce(p_row.output_tokens, 0), coalesce(p_row.reasoning_tokens, 0), coalesce(p_row.cost_usd, 0),
            coalesce(p_row.prompt_version, '')
        )
        on conflict (day, account_id, user_id, model, purpose, prompt_version) do update
        set calls = d.calls + 1,
            failed_calls = d.failed_calls + excluded.failed_calls,
            unpriced_calls = d.unpriced_calls + excluded.unpriced_calls,
            input_tokens = d.input_tokens + excluded.input_tokens,
            cached_input_tokens = d.cached_input_tokens + excluded.cached_input_tokens,
            output_tokens = d.output_tokens + excluded.output_tokens,
            reasoning_tokens = d.reasoning_tokens + excluded.reasoning_tokens,
            cost_usd = d.cost_usd + excluded.cost_usd;
        return;
    end if;
    update flamechat_private.ai_spend_days d
    set calls = d.calls - 1,
        failed_calls = d.failed_calls - (p_row.outcome <> 'ok')::integer,
        unpriced_calls = d.unpriced_calls - (p_row.cost_usd is null)::integer,
        input_tokens = d.input_tokens - coalesce(p_row.input_tokens, 0),
        cached_input_tokens = d.cached_input_tokens - coalesce(p_row.cached_input_tokens, 0),
        output_tokens = d.output_tokens - coalesce(p_row.output_tokens, 0),
        reasoning_tokens = d.reasoning_tokens - coalesce(p_row.reasoning_tokens, 0),
        cost_usd = d.cost_usd - coalesce(p_row.cost_usd, 0)
    where d.day = v_day and d.account_id = p_row.account_id and d.user_id = p_row.user_id
        and d.model = p_row.model_asked and d.purpose = p_row.purpose
        and d.prompt_version = coalesce(p_row.prompt_version, '');
end
$$;

-- How the answers of each version of the prompt came out, over complete days (UTC): seconds from the prompt to the stored
-- end, claims of the answers and those of them that are verified or derived, and what people thought of them.
create function public.prompt_outcomes(p_since timestamptz, p_until timestamptz)
returns table (
    prompt_version text, turns bigint, completed bigint, median_seconds double precision, p95_seconds double precision,
    claims bigint, verified_claims bigint, thumbs_up bigint, thumbs_down bigint
)
language sql stable
set search_path = ''
as $$
    with turn as (
        select t.id, coalesce(t.prompt_version, '') as version, t.status,
            extract(epoch from t.ended_at - t.created_at)::double precision as seconds
        from public.chat_turns t
        where t.ended_at is not null
            and (p_since is null or t.created_at >= date_trunc('day', p_since at time zone 'UTC') at time zone 'UTC')
            and (
                p_until is null
                or t.created_at < (date_trunc('day', p_until at time zone 'UTC') + interval '1 day') at time zone 'UTC'
            )
    ),
    answer as (
        select m.turn_id, count(c.value) as claims,
            count(c.value) filter (where c.value ->> 'status' in ('verified', 'derived')) as verified
        from public.chat_messages m
        cross join lateral jsonb_array_elements(
            case jsonb_typeof(m.metadata -> 'checks') when 'array' then m.metadata -> 'checks' else '[]'::jsonb end
        ) as c
        where m.turn_id in (select turn.id from turn)
        group by m.turn_id
    ),
    thumb as (
        select m.turn_id, count(*) filter (where f.score > 0) as up, count(*) filter (where f.score < 0) as down
        from public.message_feedback f join public.chat_messages m on m.id = f.message_id
        where m.turn_id in (select turn.id from turn)
        group by m.turn_id
    )
    select turn.version, count(*), count(*) filter (where turn.status = 'completed'),
        percentile_cont(0.5) within group (order by turn.seconds),
        percentile_cont(0.95) within group (order by turn.seconds),
        coalesce(sum(answer.claims), 0)::bigint, coalesce(sum(answer.verified), 0)::bigint,
        coalesce(sum(thumb.up), 0)::bigint, coalesce(sum(thumb.down), 0)::bigint
    from turn left join answer on answer.turn_id = turn.id left join thumb on thumb.turn_id = turn.id
    group by turn.version
$$;
revoke all on function public.prompt_outcomes(timestamptz, timestamptz) from public, anon, authenticated;
grant execute on function public.prompt_outcomes(timestamptz, timestamptz) to service_role;
