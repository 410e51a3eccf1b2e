-- For a database that several servers reach from outside: what has been applied, and how much Realtime may be told.

-- The versions in this database. The server's role may not read the table itself, which belongs to whoever migrates; with
-- this a server that finds everything in place needs no owner's password.
create function flamechat_private.applied_migrations()
returns setof text
language plpgsql stable security definer
set search_path = ''
as $$
begin
    return query select m.version from supabase_migrations.schema_migrations m order by m.version;
end
$$;

-- One bucket of tokens for all processes: a broadcast takes one, `p_per_second` come back each second. A quarter of a
-- second's worth may be saved up, so no second sees more than a quarter above the rate. Not logged: after a crash the
-- bucket is empty for a moment.
create unlogged table flamechat_private.broadcast_budget (
    only_row boolean primary key default true check (only_row),
    tokens double precision not null,
    filled_at timestamptz not null
);
alter table flamechat_private.broadcast_budget enable row level security;
revoke all on flamechat_private.broadcast_budget from public, anon, authenticated;
grant select, insert, update on flamechat_private.broadcast_budget to service_role;
create policy "the server alone" on flamechat_private.broadcast_budget to service_role using (true) with check (true);

-- How many of the broadcasts that somebody wants to send he may send now.
create function flamechat_private.take_broadcasts(p_wanted integer, p_per_second integer)
returns integer
language plpgsql
set search_path = ''
as $$
declare
    saved double precision;
    filled timestamptz;
    room double precision := greatest(p_per_second / 4.0, 1.0);
    taken integer;
begin
    insert into flamechat_private.broadcast_budget (tokens, filled_at) values (room, clock_timestamp())
        on conflict do nothing;
    select b.tokens, b.filled_at into saved, filled from flamechat_private.broadcast_budget b for update;
    -- After the lock: who waited for it must not count the wait twice.
    saved := least(room, saved + p_per_second * greatest(extract(epoch from clock_timestamp() - filled), 0));
    taken := least(p_wanted, floor(saved)::integer);
    update flamechat_private.broadcast_budget set tokens = saved - taken, filled_at = clock_timestamp();
    return taken;
end
$$;

revoke all on function flamechat_private.applied_migrations() from public, anon, authenticated;
revoke all on function flamechat_private.take_broadcasts(integer, integer) from public, anon, authenticated;
grant execute on function flamechat_private.applied_migrations() to service_role;
grant execute on function flamechat_private.take_broadcasts(integer, integer) to service_role;
