-- Answers given again and prompts edited, which take the place of a turn without removing it; and what people think of an
-- answer.

-- The turns of a session that are no longer part of it: each that another took the place of, and what had followed it. One
-- that failed takes nobody's place, so the answer that stood before it stands again.
create function flamechat_private.superseded_turns(p_session_id uuid)
returns setof uuid
language sql stable
set search_path = ''
as $$
    select t.id
    from public.chat_turns t
    where t.session_id = p_session_id
        and exists (
            select from public.chat_turns later join public.chat_turns replaced on replaced.id = later.supersedes
            where later.session_id = p_session_id and later.status <> 'failed'
                and t.ordinal >= replaced.ordinal and t.ordinal < later.ordinal
        )
$$;

-- As before, and: a turn that supersedes another repeats its prompt (`regenerate`, whatever `p_prompt` says) or brings its
-- own (`edit`), and has a message for it, so that the session reads as if it had been asked so from the start. What counts
-- is decided by the kind: an answer given again counts an answer, an edit counts both.
create or replace function public.reserve_chat_turn(
    p_user_id uuid,
    p_trace_id uuid,
    p_session_id uuid,
    p_turn_id uuid,
    p_kind text,
    p_prompt text,
    p_context jsonb,
    p_model text default null,
    p_queue_behind boolean default false,
    p_supersedes uuid default null
)
returns table (
    allowed boolean, limit_type text, used integer, "limit" integer, plan_name text, resets_at timestamptz,
    messages_used integer, messages_limit integer
)
language plpgsql
set search_path = ''
as $$
declare
    session public.chat_sessions;
    subscription public.user_subscriptions;
    plan public.subscription_plans;
    earlier public.chat_turns;
    replaced public.chat_turns;
    standing record;
    counted integer;
begin
    perform public.open_chat_session(p_user_id, p_trace_id, p_session_id);
    session := flamechat_private.lock_session(p_session_id);
    if session.id is null
        or session.account_id not in (select flamechat_private.accounts_of(p_user_id, p_writing => true)) then
        raise exception 'There is no such conversation that you may write in.' using errcode = 'PT404';
    end if;

    select * into earlier from public.chat_turns where id = p_turn_id;
    if found then
        if earlier.session_id <> p_session_id then
            raise exception 'The turn id % is taken.', p_turn_id using errcode = 'PT400';
        end if;
        allowed := true;
        plan_name := earlier.plan_name;
        messages_used := earlier.messages_used;
        messages_limit := earlier.messages_limit;
        return next;
        return;
    end if;
    if not p_queue_behind and flamechat_private.has_unended_turn(p_session_id) then
        raise exception 'This conversation is still answering.' using errcode = 'PT409';
    end if;
    if p_kind = 'prompt' and p_supersedes is not null or p_kind <> 'prompt' and p_supersedes is null then
        raise exception 'An answer given again, or a prompt that is edited, takes the place of a turn; a new prompt does not.'
            using errcode = 'PT400';
    end if;
    if p_supersedes is not null then
        select * into replaced from public.chat_turns where id = p_supersedes and session_id = p_session_id;
        if not found then
            raise exception 'There is no such question in this conversation.' using errcode = 'PT404';
        elsif replaced.id in (select flamechat_private.superseded_turns(p_session_id)) then
            raise exception 'Another version has taken the place of this question.' using errcode = 'PT400';
        end if;
        p_prompt := case p_kind when 'regenerate' then replaced.prompt else p_prompt end;
        -- One that failed replaced nothing: what it was meant to replace goes with it.
        p_supersedes := case when replaced.status = 'failed' then coalesce(replaced.supersedes, replaced.id)
            else replaced.id end;
    end if;

    subscription := flamechat_private.lock_subscription(p_user_id);
    plan := flamechat_private.effective_plan(p_user_id);
    plan_name := plan.name;
    messages_limit := plan.chat_messages_per_session;
    messages_used := flamechat_private.messages_counted(p_session_id);
    if messages_used >= messages_limit then
        allowed := false;
        limit_type := 'session_messages';
        used := messages_used;
        "limit" := messages_limit;
        return next;
        return;
    end if;

    if session.counted_as is null then
        select * into standing from flamechat_private.sessions_standing(p_user_id);
        if standing.counted_as = 'lifetime' then
            counted := public.increment_lifetime_chat_analyses(p_user_id);
        else
            counted := public.increment_monthly_chat_sessions(subscription.id);
        end if;
        if counted is null then
            allowed := false;
            limit_type := case standing.counted_as when 'lifetime' then 'lifetime_analyses' else 'monthly_sessions' end;
            used := standing.used;
            "limit" := standing."limit";
            resets_at := standing.resets_at;
            return next;
            return;
        end if;
        update public.chat_sessions
        set counted_as = standing.counted_as,
            counted_in_period = subscription.current_period_start,
            counted_for_turn = p_turn_id,
            counted_for_user = p_user_id
        where id = p_session_id;
    end if;

    allowed := true;
    messages_used := messages_used + 1;
    insert into public.chat_turns (
        id, session_id, account_id, user_id, trace_id, kind, ordinal, prompt, context, model, supersedes,
        plan_name, messages_used, messages_limit
    )
    select p_turn_id, p_session_id, session.account_id, p_user_id, session.trace_id, p_kind,
           coalesce(max(t.ordinal), 0) + 1, p_prompt, coalesce(p_context, '{}'), p_model, p_supersedes,
           reserve_chat_turn.plan_name, reserve_chat_turn.messages_used, reserve_chat_turn.messages_limit
    from public.chat_turns t where t.session_id = p_session_id;
    insert into public.chat_messages (session_id, turn_id, position, sender, content_text)
    values (p_session_id, p_turn_id, flamechat_private.next_position(p_session_id), 'user', p_prompt);
    update public.chat_sessions set updated_at = clock_timestamp() where id = p_session_id;
    return next;
end
$$;

-- What people think of answers -----------------------------------------------------------------------------------------

create table public.message_feedback (
    message_id uuid not null references public.chat_messages on delete cascade,
    user_id uuid not null,
    score smallint not null check (score between -1 and 1),
    reason text,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    primary key (message_id, user_id)
);
create index message_feedback_by_user on public.message_feedback (user_id);
comment on column public.message_feedback.score is '1 helped, -1 did not, 0 taken back.';

alter table public.message_feedback enable row level security;
revoke all on public.message_feedback from public, anon, authenticated;
grant select on public.message_feedback to authenticated;
grant all on public.message_feedback to service_role;
create policy "users read their own feedback" on public.message_feedback
    for select to authenticated using (user_id = (select auth.uid()));

-- One opinion per user and answer: the latest.
create function public.rate_chat_message(p_user_id uuid, p_message_id uuid, p_score integer, p_reason text default null)
returns void
language plpgsql
set search_path = ''
as $$
declare
    found_sender text;
begin
    select m.sender into found_sender
    from public.chat_messages m join public.chat_sessions s on s.id = m.session_id
    where m.id = p_message_id and s.account_id in (select flamechat_private.accounts_of(p_user_id));
    if not found then
        raise exception 'There is no such message.' using errcode = 'PT404';
    elsif found_sender <> 'model' then
        raise exception 'Only answers can be rated.' using errcode = 'PT400';
    end if;
    insert into public.message_feedback (message_id, user_id, score, reason)
    values (p_message_id, p_user_id, p_score, p_reason)
    on conflict (message_id, user_id) do update
    set score = excluded.score, reason = excluded.reason, updated_at = now();
end
$$;

revoke all on function public.rate_chat_message(uuid, uuid, integer, text) from public, anon, authenticated;
grant execute on function public.rate_chat_message(uuid, uuid, integer, text) to service_role;
revoke all on all functions in schema flamechat_private from public, anon, authenticated;
grant execute on all functions in schema flamechat_private to service_role;
