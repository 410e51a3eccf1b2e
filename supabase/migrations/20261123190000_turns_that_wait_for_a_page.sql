-- A turn may wait for the page: it has moved the chart, or asks the person. No process runs it meanwhile. Expand only: a
-- server of an earlier version finds nothing to start of such a turn, and starts it when it was answered.

alter table public.chat_turns
    add column interrupt_id uuid,
    add column interrupt jsonb,
    add column interrupt_expires_at timestamptz,
    add column interrupt_result jsonb,
    add constraint chat_turns_interrupt_check check (
        (interrupt_id is null) = (interrupt is null) and (interrupt_id is null) = (interrupt_expires_at is null)
        and (interrupt_result is null or interrupt_id is not null)
    );
create index chat_turns_by_interrupt on public.chat_turns (interrupt_id) where interrupt_id is not null;
create index chat_turns_waiting_for_a_page on public.chat_turns (interrupt_expires_at)
    where interrupt_id is not null and interrupt_result is null and ended_at is null;
comment on column public.chat_turns.interrupt is 'What the page was asked last: {toolCallId, toolName, args}.';
comment on column public.chat_turns.interrupt_result is 'What it answered, or that nobody was there; null while the turn waits.';

-- As before, and no row while the turn waits for the page.
create or replace function public.start_chat_turn(p_turn_id uuid, p_owner text)
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
        and (interrupt_id is null or interrupt_result is not null)
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
