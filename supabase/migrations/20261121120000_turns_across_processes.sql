-- What several server processes need to run turns together: who may still write, and the events of running turns.
--
-- The number of the attempt is the fence: it goes up with every start, so whoever was started earlier bears a smaller one.

-- Whether a turn still belongs to the attempt that asks; locks its session first, in the order of start_chat_turn and
-- end_chat_turn, so that what follows in the same transaction cannot be overtaken.
create function flamechat_private.holds_chat_turn(p_turn_id uuid, p_attempt integer)
returns boolean
language plpgsql
set search_path = ''
as $$
begin
    perform flamechat_private.lock_session(t.session_id) from public.chat_turns t where t.id = p_turn_id;
    return exists (
        select from public.chat_turns t where t.id = p_turn_id and t.attempt = p_attempt and t.ended_at is null
    );
end
$$;
revoke all on function flamechat_private.holds_chat_turn(uuid, integer) from public, anon, authenticated;
grant execute on function flamechat_private.holds_chat_turn(uuid, integer) to service_role;

-- What running turns have told, for listeners of other processes and for those who come late. Not logged: a crash of the
-- database may lose it, and the next attempt or the next batch begins with a snapshot. No keys, for the same reason.
create unlogged table flamechat_private.turn_events (
    turn_id uuid not null,
    seq bigint not null,
    session_id uuid not null,
    event text not null,
    ends_turn boolean not null,
    written_at timestamptz not null default now(),
    primary key (turn_id, seq)
);
create index turn_events_by_session on flamechat_private.turn_events (session_id, seq);
comment on column flamechat_private.turn_events.event is 'JSON as on the wire: an event of the turn, or a turn_snapshot.';
alter table flamechat_private.turn_events enable row level security;
revoke all on flamechat_private.turn_events from public, anon, authenticated;
grant select, insert, delete on flamechat_private.turn_events to service_role;
create policy "the server alone" on flamechat_private.turn_events to service_role using (true) with check (true);
