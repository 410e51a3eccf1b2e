-- name: record_invocation
-- Written before its request is sent, and again with what came of it: nothing is counted twice.
insert into public.ai_invocation_summaries (
    invocation_id, account_id, user_id, session_id, turn_id, attempt, call_number, try_number, purpose, executor,
    provider, model_asked, model_answered, provider_request_id, request_id, request_trace_id, observation_trace_id,
    graph_run_id, graph_name, graph_version, prompt_version, prompt_hash, prompt_hash_version, input_tokens,
    cached_input_tokens, output_tokens, reasoning_tokens, pictures, tools_offered, tool_calls, cost_usd, price_version,
    first_token_ms, duration_ms, outcome, error_code, started_at, ended_at, api_key_id, flags
)
values (
    %(invocation_id)s, %(account_id)s, %(user_id)s, %(session_id)s, %(turn_id)s, %(attempt)s, %(call_number)s,
    %(try_number)s, %(purpose)s, %(executor)s, %(provider)s, %(model_asked)s, %(model_answered)s,
    %(provider_request_id)s, %(request_id)s, %(request_trace_id)s, %(observation_trace_id)s, %(graph_run_id)s,
    %(graph_name)s, %(graph_version)s, %(prompt_version)s, %(prompt_hash)s, %(prompt_hash_version)s, %(input_tokens)s,
    %(cached_input_tokens)s, %(output_tokens)s, %(reasoning_tokens)s, %(pictures)s, %(tools_offered)s, %(tool_calls)s,
    %(cost_usd)s, %(price_version)s, %(first_token_ms)s, %(duration_ms)s, %(outcome)s, %(error_code)s, %(started_at)s,
    %(ended_at)s, (select k.id from public.api_keys k where k.id = %(api_key_id)s), %(flags)s
)
on conflict (invocation_id) do update
set model_answered = excluded.model_answered, provider_request_id = excluded.provider_request_id,
    input_tokens = excluded.input_tokens, cached_input_tokens = excluded.cached_input_tokens,
    output_tokens = excluded.output_tokens, reasoning_tokens = excluded.reasoning_tokens,
    tool_calls = excluded.tool_calls, cost_usd = excluded.cost_usd, price_version = excluded.price_version,
    first_token_ms = excluded.first_token_ms, duration_ms = excluded.duration_ms, outcome = excluded.outcome,
    error_code = excluded.error_code, ended_at = excluded.ended_at

-- name: first_prompt_hash
-- Of the turn's first model call; before its row, in the order in which a person's rows are removed.
update public.chat_turns set prompt_hash = %(prompt_hash)s
where id = %(turn_id)s and prompt_hash is null and %(prompt_hash)s::text is not null

-- name: turn_of_call
-- Whether it has ended. Locked until the transaction ends, so that the turn's ending counts the call, or the call itself
-- does; before the call's row, in the order in which a person's rows are removed.
select t.ended_at is not null as has_ended from public.chat_turns t where t.id = %(turn_id)s for no key update

-- name: hold_call_budget
-- After its row: budgets are locked last.
select * from public.hold_call_budget(
    %(invocation_id)s, %(turn_id)s, %(account_id)s, %(user_id)s, %(request_id)s, %(bound_usd)s, %(bound_tokens)s
)

-- name: settle_call_budget
-- By what it came to.
select public.settle_call_budget(
    %(invocation_id)s, %(kind)s, %(counted_usd)s, %(counted_tokens)s, %(is_estimate)s
) as percent

-- name: invocations_of_turn
-- In the order in which they were made.
select i.* from public.ai_invocation_summaries i
where i.turn_id = %(turn_id)s and i.user_id = %(user_id)s
    and i.account_id in (select flamechat_private.accounts_of(%(user_id)s))
order by i.attempt, i.call_number, i.try_number

-- name: invocations
-- A page of everybody's, newest first.
select i.* from public.ai_invocation_summaries i
where (%(since)s::timestamptz is null or i.started_at >= %(since)s)
    and (%(until)s::timestamptz is null or i.started_at < %(until)s)
    and (%(account_id)s::uuid is null or i.account_id = %(account_id)s)
    and (%(user_id)s::uuid is null or i.user_id = %(user_id)s)
    and (%(session_id)s::uuid is null or i.session_id = %(session_id)s)
    and (%(turn_id)s::uuid is null or i.turn_id = %(turn_id)s)
    and (%(model)s::text is null or i.model_asked = %(model)s)
    and (%(purpose)s::text is null or i.purpose = %(purpose)s)
    and (%(outcome)s::text is null or i.outcome = %(outcome)s)
    and (
        %(after_time)s::timestamptz is null
        or (i.started_at, i.invocation_id) < (%(after_time)s::timestamptz, %(after_id)s::uuid)
    )
order by i.started_at desc, i.invocation_id desc
limit %(limit)s

-- name: spend
-- From the sums of days.
select * from public.spend_report(%(by)s, %(since)s, %(until)s)

-- name: close_spend_days
-- Those that are over.
select flamechat_private.close_spend_days()

-- name: prompt_outcomes
-- Most turns first.
select * from public.prompt_outcomes(%(since)s::timestamptz, %(until)s::timestamptz) o order by o.turns desc, 1
