-- What counts, what is refused and what is given back, one after the other; many at once: tests/postgres.
begin;
select plan(12);

insert into auth.users (id) values ('c0000000-0000-4000-8000-000000000001');
insert into public.traces (id, account_id, user_id, name, sha256, size_bytes, format, unit, object_path)
select 'c0000000-0000-4000-8000-000000000002', a.id, a.personal_user_id, 't', repeat('c', 64), 1, 'pprof', 'count', 'x'
from public.accounts a where a.personal_user_id = 'c0000000-0000-4000-8000-000000000001';

create function pg_temp.ask(p_session integer, p_turn integer, p_kind text default 'prompt', p_supersedes integer default null)
returns table (allowed boolean, limit_type text, used integer)
language sql as $$
    select r.allowed, r.limit_type, r.used
    from public.reserve_chat_turn(
        'c0000000-0000-4000-8000-000000000001', 'c0000000-0000-4000-8000-000000000002',
        ('c0000000-0000-4000-9000-' || lpad(p_session::text, 12, '0'))::uuid,
        ('c0000000-0000-4000-a000-' || lpad(p_turn::text, 12, '0'))::uuid,
        p_kind, 'why?', '{}',
        p_supersedes => ('c0000000-0000-4000-a000-' || lpad(p_supersedes::text, 12, '0'))::uuid
    ) as r
$$;
create function pg_temp.finish(p_turn integer, p_status text) returns boolean
language sql as $$
    select public.end_chat_turn(('c0000000-0000-4000-a000-' || lpad(p_turn::text, 12, '0'))::uuid, p_status)
$$;
create function pg_temp.counted() returns integer
language sql as $$
    select lifetime_chat_analyses_count from public.user_profiles where id = 'c0000000-0000-4000-8000-000000000001'
$$;

select is(
    (select plan ->> 'name' from public.user_usage('c0000000-0000-4000-8000-000000000001')), 'free', 'a new user is on free'
);
select ok((select allowed from pg_temp.ask(1, 1)), 'his first prompt is accepted');
select is(pg_temp.counted(), 1, 'and counts a session');
select ok((select allowed from pg_temp.ask(1, 1)), 'the same turn again is accepted');
select is(pg_temp.counted(), 1, 'and counts nothing');
select ok(pg_temp.finish(1, 'failed'), 'a first turn that fails');
select is(pg_temp.counted(), 0, 'gives its session back');
select is(
    (select count(*) from generate_series(2, 6) as n, pg_temp.ask(n, n) as r where r.allowed), 5::bigint,
    'five sessions are accepted'
);
select results_eq(
    'select * from pg_temp.ask(7, 7)', $$values (false, 'lifetime_analyses', 5)$$, 'the sixth is refused, and says why'
);
select ok(pg_temp.finish(2, 'completed'), 'an answer comes');
select ok((select allowed from pg_temp.ask(2, 8, 'regenerate', 2)), 'and is given again, in a session that is counted');
select is(
    flamechat_private.messages_counted('c0000000-0000-4000-9000-000000000002'), 3, 'which counts an answer more'
);

select * from finish();
rollback;
