-- The life of a turn: reserved, started, ended, each in one call, under the lock of its session. Lock order everywhere:
-- session, turn, subscription, profile.
--
-- Errors travel as SQLSTATEs that PostgREST turns into HTTP statuses: PT400 (contradicts itself), PT404 (not there, or not
-- yours: the two look alike), PT409 (the session has a turn that has not ended). A limit is no error: it is a row.

-- The session, made when it is new. Costs nothing.
create function public.open_chat_session(p_user_id uuid, p_trace_id uuid, p_session_id uuid)
returns public.chat_sessions
language plpgsql
set search_path = ''
as $$
declare
    session public.chat_sessions;
begin
    insert into public.chat_sessions (id, account_id, user_id, trace_id)
        select p_session_id, t.account_id, p_user_id, t.id
        from public.traces t
        where t.id = p_trace_id
            and t.account_id in (select flamechat_private.accounts_of(p_user_id, p_writing => true))
        on conflict (id) do nothing;
    select s.* into session
    from public.chat_sessions s
    where s.id = p_session_id and s.account_id in (select flamechat_private.accounts_of(p_user_id));
    if not found then
        raise exception 'There is no such conversation, or no such trace.' using errcode = 'PT404';
    elsif session.trace_id <> p_trace_id then
        raise exception 'This conversation is about another trace.' using errcode = 'PT400';
    end if;
    return session;
end
$$;

-- Locks a session until the transaction ends: whoever adds turns or messages holds it, so that places in a session are
-- given out one by one.
create function flamechat_private.lock_session(p_session_id uuid)
returns public.chat_sessions
language plpgsql
set search_path = ''
as $$
declare
    session public.chat_sessions;
begin
    select * into session from public.chat_sessions where id = p_session_id for update;
    return session;
end
$$;

create function flamechat_private.next_position(p_session_id uuid)
returns integer
language sql stable
set search_path = ''
as $$
    select coalesce(max(m.position), 0) + 1 from public.chat_messages m where m.session_id = p_session_id
$$;

create function flamechat_private.has_unended_turn(p_session_id uuid)
returns boolean
language sql stable
set search_path = ''
as $$
    select exists (select from public.chat_turns t where t.session_id = p_session_id and t.ended_at is null)
$$;

-- Accepts a prompt or refuses it: decides, counts, inserts the turn and the user's message. A prompt is accepted while the
-- session's counted messages are below the plan's limit, and then always gets its answer. The first accepted prompt of a
-- session takes a session. The same turn id again changes nothing and answers the same.
-- One row: when refused, `limit_type`, `used`, `limit` and `resets_at` say which ceiling; when accepted, `messages_used` is
-- where the session stands with this turn's first counted message.
create function public.reserve_chat_turn(
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
    if p_kind <> 'regenerate' then
        insert into public.chat_messages (session_id, turn_id, position, sender, content_text)
        values (p_session_id, p_turn_id, flamechat_private.next_position(p_session_id), 'user', p_prompt);
    end if;
    update public.chat_sessions set updated_at = clock_timestamp() where id = p_session_id;
    return next;
end
$$;

-- Marks a turn running under its owner, one attempt further. No row when it has ended or shall be cancelled: there is
-- nothing to run. The row's plan and limit are those of now, so that a turn that waited or is resumed can see that it has
-- come to stand over a smaller plan. A prompt that waited while an earlier turn answered takes its place after that answer.
create function public.start_chat_turn(p_turn_id uuid, p_owner text)
returns setof public.chat_turns
language plpgsql
set search_path = ''
as $$
declare
    turn public.chat_turns;
    plan public.subscription_plans;
begin
    perform flamechat_private.lock_session(t.session_id) from public.chat_turns t where t.id = p_turn_id;
    update public.chat_turns
    set status = 'running', owner = p_owner, attempt = attempt + 1, fence = fence + 1,
        started_at = coalesce(started_at, clock_timestamp())
    where id = p_turn_id and ended_at is null and not cancel_requested
    returning * into turn;
    if not found then
        return;
    end if;
    update public.chat_messages prompt
    set position = flamechat_private.next_position(turn.session_id)
    where prompt.turn_id = p_turn_id and prompt.sender = 'user'
        and exists (
            select from public.chat_messages m join public.chat_turns t on t.id = m.turn_id
            where m.session_id = turn.session_id and m.position > prompt.position and t.ordinal < turn.ordinal
        );
    plan := flamechat_private.effective_plan(turn.user_id);
    turn.plan_name := plan.name;
    turn.messages_limit := plan.chat_messages_per_session;
    return next turn;
end
$$;

-- Gives back the session that a turn took, when that turn failed or was cancelled; once. While another turn of the session
-- has been answered or may yet be, that one takes the failed one's place. Returns whether something was given back.
create function public.release_chat_session(p_turn_id uuid)
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
        where id = session.counted_for_user;
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

-- Stores how a turn ended, with its messages in their order, once. False, and nothing written, when it has ended already or
-- is gone. A first turn that failed, or was cancelled before anything reached the person, gives its session back.
-- `p_messages`: [{id, sender, content_text, content_image_path, tool_name, tool_call_id, tool_args_json, tool_status,
-- metadata}, ...]. A title that the session has, perhaps given by a person, stays.
create function public.end_chat_turn(
    p_turn_id uuid,
    p_status text,
    p_messages jsonb default '[]',
    p_title text default null,
    p_error_code text default null,
    p_model text default null,
    p_prompt_version text default null,
    p_input_tokens bigint default null,
    p_output_tokens bigint default null,
    p_delivered_anything boolean default true
)
returns boolean
language plpgsql
set search_path = ''
as $$
declare
    turn public.chat_turns;
begin
    if p_status not in ('completed', 'cancelled', 'failed') then
        raise exception 'A turn cannot end as %.', p_status using errcode = 'PT400';
    end if;
    perform flamechat_private.lock_session(t.session_id) from public.chat_turns t where t.id = p_turn_id;
    update public.chat_turns
    set status = p_status, ended_at = clock_timestamp(), error_code = p_error_code, model = coalesce(p_model, model),
        prompt_version = p_prompt_version, input_tokens = p_input_tokens, output_tokens = p_output_tokens
    where id = p_turn_id and ended_at is null
    returning * into turn;
    if not found then
        return false;
    end if;
    insert into public.chat_messages (
        session_id, turn_id, position, id, sender, content_text, content_image_path, tool_name, tool_call_id,
        tool_args_json, tool_status, metadata
    )
    select turn.session_id, p_turn_id, flamechat_private.next_position(turn.session_id) + m.place::integer - 1,
           m.id, m.sender, coalesce(m.content_text, ''), m.content_image_path, m.tool_name, m.tool_call_id,
           m.tool_args_json, m.tool_status, coalesce(m.metadata, '{}')
    from rows from (
        jsonb_to_recordset(p_messages) as (
            id uuid, sender text, content_text text, content_image_path text, tool_name text, tool_call_id text,
            tool_args_json jsonb, tool_status text, metadata jsonb
        )
    ) with ordinality as m (
        id, sender, content_text, content_image_path, tool_name, tool_call_id, tool_args_json, tool_status, metadata,
        place
    );
    update public.chat_sessions
    set title = coalesce(title, p_title), updated_at = clock_timestamp()
    where id = turn.session_id;
    if p_status = 'failed' or (p_status = 'cancelled' and not p_delivered_anything) then
        perform public.release_chat_session(p_turn_id);
    end if;
    return true;
end
$$;

-- Removes a session with its turns and messages. Returns the paths of its pictures, so that the objects can follow.
create function public.delete_chat_session(p_user_id uuid, p_session_id uuid)
returns setof text
language plpgsql
set search_path = ''
as $$
declare
    session public.chat_sessions := flamechat_private.lock_session(p_session_id);
begin
    if session.id is null
        or session.account_id not in (select flamechat_private.accounts_of(p_user_id, p_writing => true)) then
        raise exception 'There is no such conversation.' using errcode = 'PT404';
    elsif flamechat_private.has_unended_turn(p_session_id) then
        raise exception 'This conversation is still answering: stop it first.' using errcode = 'PT409';
    end if;
    return query
        select m.content_image_path from public.chat_messages m
        where m.session_id = p_session_id and m.content_image_path is not null
        order by m.position;
    delete from public.chat_sessions where id = p_session_id;
end
$$;

-- The server alone --------------------------------------------------------------------------------------------------

revoke all on function
    public.open_chat_session(uuid, uuid, uuid),
    public.reserve_chat_turn(uuid, uuid, uuid, uuid, text, text, jsonb, text, boolean, uuid),
    public.start_chat_turn(uuid, text),
    public.release_chat_session(uuid),
    public.end_chat_turn(uuid, text, jsonb, text, text, text, text, bigint, bigint, boolean),
    public.delete_chat_session(uuid, uuid)
from public, anon, authenticated;
grant execute on function
    public.open_chat_session(uuid, uuid, uuid),
    public.reserve_chat_turn(uuid, uuid, uuid, uuid, text, text, jsonb, text, boolean, uuid),
    public.start_chat_turn(uuid, text),
    public.release_chat_session(uuid),
    public.end_chat_turn(uuid, text, jsonb, text, text, text, text, bigint, bigint, boolean),
    public.delete_chat_session(uuid, uuid)
to service_role;

revoke all on all functions in schema flamechat_private from public, anon, authenticated;
grant execute on all functions in schema flamechat_private to service_role;
