-- What each call of a language model was, cost and came to: a row for each attempt, also for those that broke, were
-- cancelled, or were answered by another model in their place. Nothing of what was asked or answered.
--
-- A row is written before its request is sent, as broken without an end, and again when its outcome is known: a server that
-- is killed leaves what it had asked. Turns and sessions are named and not referred to: what was spent stays when a
-- conversation is deleted.

create table public.ai_invocation_summaries (
    invocation_id uuid primary key,
    account_id uuid not null references public.accounts on delete cascade,
    user_id uuid not null,
    session_id uuid,
    turn_id uuid,
    attempt integer not null check (attempt >= 0),
    call_number integer not null check (call_number >= 1),
    try_number integer not null check (try_number >= 1),
    purpose text not null check (purpose in ('answer', 'title', 'memory', 'collector', 'planner')),
    executor text not null,
    provider text,
    model_asked text not null,
    model_answered text,
    provider_request_id text,
    request_id text,
    request_trace_id text,
    observation_trace_id text,
    graph_run_id uuid,
    graph_name text,
    graph_version text,
    prompt_version text,
    prompt_hash text,
    prompt_hash_version text,
    input_tokens bigint check (input_tokens >= 0),
    cached_input_tokens bigint check (cached_input_tokens >= 0),
    output_tokens bigint check (output_tokens >= 0),
    reasoning_tokens bigint check (reasoning_tokens >= 0),
    pictures integer not null default 0 check (pictures >= 0),
    tools_offered integer not null default 0 check (tools_offered >= 0),
    tool_calls integer check (tool_calls >= 0),
    cost_usd numeric(20, 12) check (cost_usd >= 0),
    price_version text,
    first_token_ms double precision check (first_token_ms >= 0),
    duration_ms double precision check (duration_ms >= 0),
    outcome text not null
        check (outcome in ('ok', 'retry', 'broken', 'refused', 'cancelled', 'timeout', 'fallback')),
    error_code text,
    started_at timestamptz not null,
    ended_at timestamptz,
    constraint a_run_of_a_graph_names_it
        check (graph_run_id is null or (graph_name is not null and graph_version is not null)),
    constraint only_broken_ones_have_no_end check (ended_at is not null or outcome = 'broken')
);
create index ai_invocations_by_account on public.ai_invocation_summaries (account_id, started_at desc);
create index ai_invocations_by_user on public.ai_invocation_summaries (user_id, started_at desc);
create index ai_invocations_by_turn on public.ai_invocation_summaries (turn_id);
create index ai_invocations_by_time on public.ai_invocation_summaries (started_at desc, invocation_id desc);
comment on column public.ai_invocation_summaries.invocation_id is 'uuid5 of turn, attempt, call and try.';
comment on column public.ai_invocation_summaries.model_asked is 'By its name in the settings, which is what prices are by.';
comment on column public.ai_invocation_summaries.cost_usd is 'Null where the price or the tokens are not known.';
comment on column public.ai_invocation_summaries.ended_at is
    'Null while a call runs; and for ever where its server was killed meanwhile.';

-- Members see their own calls of their accounts, administrators all; nobody but the server writes.
alter table public.ai_invocation_summaries enable row level security;
revoke all on public.ai_invocation_summaries from public, anon, authenticated;
grant select on public.ai_invocation_summaries to authenticated;
grant all on public.ai_invocation_summaries to service_role;
create policy "members read their own model calls" on public.ai_invocation_summaries
    for select to authenticated
    using (account_id in (select public.my_account_ids()) and user_id = (select auth.uid()));
create policy "administrators read all model calls" on public.ai_invocation_summaries
    for select to authenticated
    using ((select auth.jwt()) #> '{app_metadata,flamechat_admin}' = 'true'::jsonb);

-- The request by which a turn was asked for, in W3C's trace context; `request_id` has been there.
alter table public.chat_turns add column request_trace_id text;
comment on column public.chat_turns.prompt_hash is 'Of the turn''s first model call; null where it had none.';

-- The sums of each day (UTC), kept by the database, so that a report over a year reads days and not calls. Made from the
-- rows above and from nothing else; no keys, since rows that go take their share along by themselves.
create table flamechat_private.ai_spend_days (
    day date not null,
    account_id uuid not null,
    user_id uuid not null,
    model text not null,
    purpose text not null,
    calls bigint not null,
    failed_calls bigint not null,
    unpriced_calls bigint not null,
    input_tokens numeric not null,
    cached_input_tokens numeric not null,
    output_tokens numeric not null,
    reasoning_tokens numeric not null,
    cost_usd numeric not null,
    primary key (day, account_id, user_id, model, purpose)
);
comment on column flamechat_private.ai_spend_days.unpriced_calls is 'Those whose cost is not known: cost_usd is without them.';
alter table flamechat_private.ai_spend_days enable row level security;
revoke all on flamechat_private.ai_spend_days from public, anon, authenticated;
grant select, insert, update, delete on flamechat_private.ai_spend_days to service_role;
create policy "the server alone" on flamechat_private.ai_spend_days to service_role using (true) with check (true);

-- Takes a row into its day (p_sign 1) or out of it (-1). As its owner: whoever may write a row may change its sums.
create function flamechat_private.count_invocation(p_row public.ai_invocation_summaries, p_sign integer)
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
            coalesce(p_row.output_tokens, 0), coalesce(p_row.reasoning_tokens, 0), coalesce(p_row.cost_usd, 0)
        )
        on conflict (day, account_id, user_id, model, purpose) do update
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
        and d.model = p_row.model_asked and d.purpose = p_row.purpose;
end
$$;

create function flamechat_private.count_invocations()
returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
    if tg_op <> 'INSERT' then
        perform flamechat_private.count_invocation(old, -1);
    end if;
    if tg_op <> 'DELETE' then
        perform flamechat_private.count_invocation(new, 1);
    end if;
    -- A sum of nothing names its user all the same.
    if tg_op = 'DELETE' or (tg_op = 'UPDATE' and new.user_id <> old.user_id) then
        delete from flamechat_private.ai_spend_days d
        where d.day = (old.started_at at time zone 'UTC')::date and d.account_id = old.account_id
            and d.user_id = old.user_id and d.calls = 0;
    end if;
    return null;
end
$$;
create trigger ai_invocations_counted
    after insert or update or delete on public.ai_invocation_summaries
    for each row execute function flamechat_private.count_invocations();

revoke all on function
    flamechat_private.count_invocation(public.ai_invocation_summaries, integer), flamechat_private.count_invocations()
from public, anon, authenticated;
grant execute on function
    flamechat_private.count_invocation(public.ai_invocation_summaries, integer), flamechat_private.count_invocations()
to service_role;
