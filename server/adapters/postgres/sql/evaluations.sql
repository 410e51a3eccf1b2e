-- name: evaluations
-- Turns with what their calls came to, their tools, checks and thumbs: the newest one by one, and sums by day and model.
with turn as materialized (
    select t.id as turn_id, t.session_id, t.trace_id, t.created_at as asked_at, t.prompt as question,
        t.status = 'completed' as completed, extract(epoch from t.ended_at - t.created_at) * 1000 as latency_ms,
        extract(epoch from call.first_token_at - t.created_at) * 1000 as first_token_ms, t.model, t.prompt_version,
        coalesce(tool.tools, '[]'::jsonb) as tools, coalesce(tool.calls, 0) as tool_calls,
        coalesce(tool.searches, 0) as searches, coalesce(tool.hits, 0) as rag_hits, call.calls as model_calls,
        case when call.calls > 0 then call.input_tokens else t.input_tokens end as input_tokens,
        case when call.calls > 0 then call.output_tokens else t.output_tokens end as output_tokens,
        case when call.calls > 0 then call.cost_usd
            when jsonb_typeof(answer.usage -> 'cost') = 'number' then (answer.usage ->> 'cost')::numeric end as cost,
        coalesce(checked.checks, '{}'::jsonb) as checks, coalesce(checked.claims, 0) as claims,
        coalesce(checked.verified, 0) as verified_claims, thumb.own as feedback, coalesce(thumb.up, 0) as thumbs_up,
        coalesce(thumb.down, 0) as thumbs_down
    from public.chat_turns t
    cross join lateral (
        select count(*) as calls, sum(i.input_tokens) as input_tokens, sum(i.output_tokens) as output_tokens,
            sum(i.cost_usd) as cost_usd, min(i.started_at + i.first_token_ms * interval '1 millisecond') as first_token_at
        from public.ai_invocation_summaries i where i.turn_id = t.id
    ) as call
    left join lateral (
        select count(*) as calls, count(*) filter (where m.tool_name = any(%(searches)s)) as searches,
            count(*) filter (where m.tool_name = any(%(searches)s) and m.tool_status = 'success') as hits,
            jsonb_agg(jsonb_build_object('name', m.tool_name, 'status', m.tool_status) order by m.position) as tools
        from public.chat_messages m where m.turn_id = t.id and m.sender in ('tool_result', 'tool_error')
    ) as tool on true
    left join lateral (
        select m.id, m.metadata -> 'usage' as usage, m.metadata -> 'checks' as checks
        from public.chat_messages m where m.turn_id = t.id and m.sender = 'model' and m.metadata ? 'usage'
        order by m.position desc limit 1
    ) as answer on true
    left join lateral (
        select jsonb_object_agg(one.status, one.number) as checks, sum(one.number) as claims,
            sum(one.number) filter (where one.status in ('verified', 'derived')) as verified
        from (
            select coalesce(c.value ->> 'status', 'unchecked') as status, count(*) as number
            from jsonb_array_elements(
                case jsonb_typeof(answer.checks) when 'array' then answer.checks else '[]'::jsonb end
            ) as c
            group by 1
        ) as one
    ) as checked on true
    left join lateral (
        select max(f.score) filter (where f.user_id = t.user_id) as own, count(*) filter (where f.score > 0) as up,
            count(*) filter (where f.score < 0) as down
        from public.message_feedback f where f.message_id = answer.id
    ) as thumb on true
    where t.ended_at is not null and t.created_at >= %(since)s
        and (%(everybody)s or (t.user_id = %(user_id)s and t.account_id = %(account_id)s))
),
total as (
    select (r.asked_at at time zone 'UTC')::date as day, r.model, count(*) as turns,
        count(*) filter (where r.completed) as completed,
        percentile_cont(0.5) within group (order by r.latency_ms) filter (where r.completed) as p50_latency_ms,
        percentile_cont(0.95) within group (order by r.latency_ms) filter (where r.completed) as p95_latency_ms,
        percentile_cont(0.5) within group (order by r.first_token_ms) filter (where r.completed) as p50_first_token_ms,
        percentile_cont(0.95) within group (order by r.first_token_ms) filter (where r.completed) as p95_first_token_ms,
        sum(r.tool_calls) as tool_calls, sum(r.searches) as searches, sum(r.model_calls) as model_calls,
        coalesce(sum(r.input_tokens), 0) as input_tokens, coalesce(sum(r.output_tokens), 0) as output_tokens,
        sum(r.cost) as cost, sum(r.claims) as claims, sum(r.verified_claims) as verified_claims,
        sum(r.thumbs_up) as thumbs_up, sum(r.thumbs_down) as thumbs_down
    from turn r
    group by 1, 2
)
select
    coalesce((
        select jsonb_agg(to_jsonb(one) order by one.asked_at desc, one.turn_id)
        from (select * from turn order by turn.asked_at desc, turn.turn_id limit %(limit)s) as one
    ), '[]'::jsonb) as recent,
    coalesce((select jsonb_agg(to_jsonb(t) order by t.day desc, t.model) from total t), '[]'::jsonb) as totals
