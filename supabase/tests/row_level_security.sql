-- Who may see and do what, in a project's own test runner (`supabase test db`) and in ours (tests/postgres/test_pgtap.py).
begin;
select plan(45);

-- Two people, each with a trace, a conversation and a message.
insert into auth.users (id) values ('a0000000-0000-4000-8000-000000000001'), ('b0000000-0000-4000-8000-000000000001');
insert into public.traces (id, account_id, user_id, name, sha256, size_bytes, format, unit, object_path)
select v.id, a.id, a.personal_user_id, 't', repeat('a', 64), 1, 'pprof', 'count', a.id || '/t'
from (values
    ('a0000000-0000-4000-8000-000000000002'::uuid, 'a0000000-0000-4000-8000-000000000001'::uuid),
    ('b0000000-0000-4000-8000-000000000002', 'b0000000-0000-4000-8000-000000000001')
) as v (id, user_id)
join public.accounts a on a.personal_user_id = v.user_id;
select lives_ok(
    format(
        'select public.reserve_chat_turn(%L, %L, gen_random_uuid(), gen_random_uuid(), %L, %L, %L)',
        t.user_id, t.id, 'prompt', 'why?', '{}'
    ),
    'the owner of the functions asks for ' || t.name
)
from public.traces t;

select lives_ok(
    format('select public.write_core_memory(%L, %L, %L, 0)', t.user_id, t.account_id, 'a fact of ' || t.name),
    'the owner of the functions remembers for ' || t.name
)
from public.traces t;
select lives_ok(
    format(
        'select public.propose_core_memory(%L, %L, %L, %L, %L, null, %L, null)',
        t.user_id, t.account_id, t.session_id, t.id, 'append', 'another'
    ),
    'the owner of the functions proposes'
)
from public.chat_turns t;
-- A model call of each, and one that the second made in the first one's account.
insert into public.ai_invocation_summaries (
    invocation_id, account_id, user_id, attempt, call_number, try_number, purpose, executor, model_asked, outcome,
    cost_usd, started_at, ended_at
)
select gen_random_uuid(), a.id, v.user_id, 1, 1, 1, 'answer', 'in_process', 'm', 'ok', 0.5, now(), now()
from (values
    ('a0000000-0000-4000-8000-000000000001'::uuid, 'a0000000-0000-4000-8000-000000000001'::uuid),
    ('b0000000-0000-4000-8000-000000000001', 'b0000000-0000-4000-8000-000000000001'),
    ('a0000000-0000-4000-8000-000000000001', 'b0000000-0000-4000-8000-000000000001')
) as v (owner_id, user_id)
join public.accounts a on a.personal_user_id = v.owner_id;

select is(
    (select count(*) from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relrowsecurity),
    0::bigint, 'every public table has row-level security'
);

-- As the first of them.
select set_config(
    'request.jwt.claims', '{"sub": "a0000000-0000-4000-8000-000000000001", "role": "authenticated"}', true
);
set local role authenticated;
select is((select count(*) from public.accounts), 1::bigint, 'reads his account');
select is((select count(*) from public.account_members), 1::bigint, 'reads its members');
select is((select count(*) from public.user_profiles), 1::bigint, 'reads his profile');
select is((select count(*) from public.user_subscriptions), 1::bigint, 'reads his subscription');
select results_eq(
    'select id from public.traces', array['a0000000-0000-4000-8000-000000000002'::uuid], 'reads his trace and no other'
);
select is((select count(*) from public.chat_sessions), 1::bigint, 'reads his conversation');
select is((select count(*) from public.chat_turns), 1::bigint, 'reads his turn');
select is((select count(*) from public.chat_messages), 1::bigint, 'reads his message');
select is((select count(*) from public.message_feedback), 0::bigint, 'reads nobody''s opinions');
select is((select count(*) from public.core_memories), 1::bigint, 'reads what his account remembers');
select is((select count(*) from public.core_memory_changes), 1::bigint, 'reads how it came to be');
select is((select count(*) from public.core_memory_proposals), 1::bigint, 'reads what was proposed to him');
select throws_ok('update public.core_memories set text = ''x''', '42501', null, 'writes no memory by himself');
select throws_ok(
    'select public.decide_core_memory(auth.uid(), id, ''keep'') from public.core_memory_proposals',
    '42501', null, 'decides through the server alone'
);
select is((select count(*) from public.ai_invocation_summaries), 1::bigint, 'reads his model call and no other''s');
select throws_ok('delete from public.ai_invocation_summaries', '42501', null, 'makes no model call unseen');
select throws_ok('select * from flamechat_private.ai_spend_days', '42501', null, 'reads nobody''s spend');
select isnt_empty('select * from public.subscription_plans', 'reads what is on offer');
select throws_ok('select * from public.plan_changes', '42501', null, 'reads no audit');
select throws_ok('update public.user_profiles set lifetime_chat_analyses_count = 0', '42501', null, 'zeroes no counter');
select throws_ok('update public.user_subscriptions set granted_sessions = 9', '42501', null, 'grants himself nothing');
select throws_ok('update public.subscription_plans set chat_sessions_limit = 9', '42501', null, 'changes no plan');
select throws_ok(
    'insert into public.chat_messages (session_id, position, sender) select id, 9, ''model'' from public.chat_sessions',
    '42501', null, 'puts no words into the model''s mouth'
);
select throws_ok('delete from public.chat_messages', '42501', null, 'takes no words back');
select throws_ok('update public.traces set share_token_hash = ''x''', '42501', null, 'makes no link by himself');
select throws_ok(
    'select public.reserve_chat_turn(auth.uid(), gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), ''prompt'', ''x'', ''{}'')',
    '42501', null, 'reserves no turn'
);
select throws_ok('select public.user_usage()', '42501', null, 'asks for nobody''s usage');
select throws_ok('select public.reset_user_usage(auth.uid())', '42501', null, 'resets no counters');
select throws_ok('select public.release_trace_upload(auth.uid())', '42501', null, 'gives himself no upload back');
select throws_ok('select public.shared_trace(''x'')', '42501', null, 'follows links through the server alone');
select throws_ok('select public.shared_chat_session(''x'')', '42501', null, 'follows those to conversations likewise');
select throws_ok('select flamechat_private.effective_plan(auth.uid())', '42501', null, 'reaches nothing private');
reset role;

-- As an administrator.
select set_config(
    'request.jwt.claims',
    '{"sub": "b0000000-0000-4000-8000-000000000001", "role": "authenticated", "app_metadata": {"flamechat_admin": true}}',
    true
);
set local role authenticated;
select is((select count(*) from public.ai_invocation_summaries), 3::bigint, 'an administrator reads all model calls');
reset role;

-- As nobody.
select set_config('request.jwt.claims', '{"role": "anon"}', true);
set local role anon;
select isnt_empty('select * from public.subscription_plans', 'anybody reads what is on offer');
select throws_ok('select * from public.traces', '42501', null, 'nobody reads no traces');
select throws_ok('select * from public.chat_messages', '42501', null, 'nobody reads no messages');
select throws_ok('select * from public.message_feedback', '42501', null, 'nobody reads no opinions');
select throws_ok('select * from public.ai_invocation_summaries', '42501', null, 'nobody reads no model calls');
reset role;

select * from finish();
rollback;
