-- Events of running turns in four parts, one for each three minutes: what is old goes with its part, instead of being
-- looked for row by row. Not logged, as before; what a running turn has in an old part is carried over into the newest.
create table flamechat_private.turn_events_in_parts (
    turn_id uuid not null,
    seq bigint not null,
    session_id uuid not null,
    event text not null,
    ends_turn boolean not null,
    written_at timestamptz not null default now(),
    part smallint not null default (extract(epoch from now())::bigint / 180 % 4),
    primary key (turn_id, seq, part)
) partition by list (part);

create unlogged table flamechat_private.turn_events_0
    partition of flamechat_private.turn_events_in_parts for values in (0);
create unlogged table flamechat_private.turn_events_1
    partition of flamechat_private.turn_events_in_parts for values in (1);
create unlogged table flamechat_private.turn_events_2
    partition of flamechat_private.turn_events_in_parts for values in (2);
create unlogged table flamechat_private.turn_events_3
    partition of flamechat_private.turn_events_in_parts for values in (3);

lock table flamechat_private.turn_events in access exclusive mode;
insert into flamechat_private.turn_events_in_parts (turn_id, seq, session_id, event, ends_turn, written_at)
select turn_id, seq, session_id, event, ends_turn, written_at from flamechat_private.turn_events;
drop table flamechat_private.turn_events;
alter table flamechat_private.turn_events_in_parts rename to turn_events;

comment on column flamechat_private.turn_events.event is 'JSON as on the wire: an event of the turn, or a turn_snapshot.';
alter table flamechat_private.turn_events enable row level security;
alter table flamechat_private.turn_events_0 enable row level security;
alter table flamechat_private.turn_events_1 enable row level security;
alter table flamechat_private.turn_events_2 enable row level security;
alter table flamechat_private.turn_events_3 enable row level security;
revoke all on flamechat_private.turn_events, flamechat_private.turn_events_0, flamechat_private.turn_events_1,
    flamechat_private.turn_events_2, flamechat_private.turn_events_3 from public, anon, authenticated;
grant select, insert, delete on flamechat_private.turn_events to service_role;
grant truncate on flamechat_private.turn_events_0, flamechat_private.turn_events_1, flamechat_private.turn_events_2,
    flamechat_private.turn_events_3 to service_role;
create policy "the server alone" on flamechat_private.turn_events to service_role using (true) with check (true);

-- Empties the parts that are neither written now nor were just before; returns how many had something. One that somebody
-- is reading is left for the next time. One at a time calls it.
create function flamechat_private.empty_old_turn_events(p_now timestamptz default now())
returns integer
language plpgsql
set search_path = ''
set lock_timeout = '200ms'
as $$
declare
    newest constant smallint := extract(epoch from p_now)::bigint / 180 % 4;
    emptied integer := 0;
    old smallint;
begin
    for old in select p from generate_series(0, 3) p where p not in (newest, (newest + 3) % 4) loop
        continue when not exists (select from flamechat_private.turn_events e where e.part = old);
        begin
            execute format('lock table flamechat_private.turn_events_%s in access exclusive mode', old);
            insert into flamechat_private.turn_events (turn_id, seq, session_id, event, ends_turn, written_at, part)
            select e.turn_id, e.seq, e.session_id, e.event, e.ends_turn, e.written_at, newest
            from public.chat_turns t
            join flamechat_private.turn_events e on e.turn_id = t.id
            where t.ended_at is null and e.part = old
            on conflict do nothing;
            execute format('truncate flamechat_private.turn_events_%s', old);
            emptied := emptied + 1;
        exception when lock_not_available then
            null;
        end;
    end loop;
    return emptied;
end
$$;

-- What turns leave that have ended of late is found by when they ended.
create index chat_turns_ended on public.chat_turns (ended_at) where ended_at is not null;

revoke all on function flamechat_private.empty_old_turn_events(timestamptz) from public, anon, authenticated;
grant execute on function flamechat_private.empty_old_turn_events(timestamptz) to service_role;
