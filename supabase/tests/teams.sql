-- Two members of one account and a stranger, in a project's own test runner (`supabase test db`) and in ours.
begin;
select plan(51);

insert into auth.users (id, email, email_confirmed_at)
values
    ('d0000000-0000-4000-8000-00000000000a', 'Anna@Example.com', now()),
    ('d0000000-0000-4000-8000-00000000000b', 'bea@example.com', now()),
    ('d0000000-0000-4000-8000-00000000000c', 'carl@example.com', null);
create temporary table team on commit drop as
select a.id from flamechat_private.create_account('d0000000-0000-4000-8000-00000000000a', 'Team', 50) a;
grant select on team to authenticated;

-- Invitations.
select lives_ok(
    $$select flamechat_private.invite_account_member(
        'd0000000-0000-4000-8000-00000000000a', (select id from team), ' BEA@example.com ', 'member', repeat('b', 64), 7, 20
    )$$, 'an owner invites'
);
select throws_ok(
    $$select flamechat_private.accept_account_invitation('d0000000-0000-4000-8000-00000000000c', repeat('b', 64))$$,
    'PT404', null, 'another address opens nothing'
);
select lives_ok(
    $$select flamechat_private.accept_account_invitation('d0000000-0000-4000-8000-00000000000b', repeat('b', 64))$$,
    'whose confirmed address it is accepts, compared without case'
);
select throws_ok(
    $$select flamechat_private.accept_account_invitation('d0000000-0000-4000-8000-00000000000b', repeat('b', 64))$$,
    'PT404', null, 'once'
);
select lives_ok(
    $$select flamechat_private.invite_account_member(
        'd0000000-0000-4000-8000-00000000000a', (select id from team), 'carl@example.com', 'owner', repeat('c', 64), 7, 20
    )$$, 'an address that nobody has confirmed is invited'
);
select throws_ok(
    $$select flamechat_private.accept_account_invitation('d0000000-0000-4000-8000-00000000000c', repeat('c', 64))$$,
    'PT404', null, 'and opens nothing until it is'
);
select throws_ok(
    $$select flamechat_private.invite_account_member(
        'd0000000-0000-4000-8000-00000000000b', (select id from team), 'x@example.com', 'viewer', repeat('d', 64), 7, 20
    )$$, 'PT403', null, 'a member invites nobody'
);
select throws_ok(
    $$select flamechat_private.remove_account_member(
        'd0000000-0000-4000-8000-00000000000a', (select id from team), 'd0000000-0000-4000-8000-00000000000a'
    )$$, 'PT409', null, 'the last owner stays'
);
select is(
    flamechat_private.role_in('d0000000-0000-4000-8000-00000000000b', (select id from team)), 'member', 'bea is a member'
);
select is(
    flamechat_private.role_in('d0000000-0000-4000-8000-00000000000c', (select id from team)), null, 'carl is none'
);

-- Anna asks in private about a trace of the account, and has a picture there; bea asks too.
insert into public.traces (id, account_id, user_id, name, sha256, size_bytes, format, unit, object_path)
select 'd0000000-0000-4000-9000-000000000001', id, 'd0000000-0000-4000-8000-00000000000a', 't', repeat('d', 64), 1,
    'pprof', 'count', id || '/t'
from team;
select lives_ok(
    $$select public.reserve_chat_turn(
        'd0000000-0000-4000-8000-00000000000a', 'd0000000-0000-4000-9000-000000000001',
        'd0000000-0000-4000-9000-00000000000a', 'd0000000-0000-4000-a000-00000000000a', 'prompt', 'only mine?', '{}'
    )$$, 'anna asks'
);
select lives_ok(
    $$select public.reserve_chat_turn(
        'd0000000-0000-4000-8000-00000000000b', 'd0000000-0000-4000-9000-000000000001',
        'd0000000-0000-4000-9000-00000000000b', 'd0000000-0000-4000-a000-00000000000b', 'prompt', 'bea?', '{}'
    )$$, 'bea asks'
);
select throws_ok(
    $$select public.reserve_chat_turn(
        'd0000000-0000-4000-8000-00000000000b', 'd0000000-0000-4000-9000-000000000001',
        'd0000000-0000-4000-9000-00000000000a', gen_random_uuid(), 'prompt', 'hers?', '{}', p_queue_behind => true
    )$$, 'PT404', null, 'bea asks nothing in anna''s'
);
select throws_ok(
    $$select flamechat_private.show_chat_session(
        'd0000000-0000-4000-8000-00000000000b', 'd0000000-0000-4000-9000-00000000000a', 'account'
    )$$, 'PT404', null, 'nor shows it'
);
insert into storage.objects (bucket_id, name)
select 'ai-snapshots', id || '/d0000000-0000-4000-a000-00000000000a/call.png' from team;
insert into public.kept_views (trace_id, id, account_id, user_id, transforms, find)
select 'd0000000-0000-4000-9000-000000000001', 'AAAAAAAAAAAA', id, 'd0000000-0000-4000-8000-00000000000a', '', 'mine'
from team;
select realtime.send('{}', 'ai_response', 'chat:d0000000-0000-4000-9000-00000000000a');


-- What is remembered: a fact of the account's, and of anna's own an answer in her conversation and a preference.
select lives_ok(
    $$select public.write_core_memory('d0000000-0000-4000-8000-00000000000a', (select id from team), 'we ship', 0)$$,
    'anna has a fact remembered'
);
select lives_ok(
    $$select public.propose_core_memory(
        'd0000000-0000-4000-8000-00000000000a', (select id from team), 'd0000000-0000-4000-9000-00000000000a',
        'd0000000-0000-4000-a000-00000000000a', 'append', null, 'only mine', null
    )$$, 'something is proposed to her'
);
select lives_ok(
    $$select public.keep_onboarding('d0000000-0000-4000-8000-00000000000a', (select id from team), '{"answers": {}}')$$,
    'she answers what the account is asked'
);
select throws_ok(
    $$select public.keep_onboarding('d0000000-0000-4000-8000-00000000000c', (select id from team), '{}')$$,
    'PT404', null, 'a stranger does not'
);
select throws_ok(
    $$select public.write_core_memory('d0000000-0000-4000-8000-00000000000b', (select id from team), 'hers', 1)$$,
    'PT403', null, 'bea strikes nothing that anna said'
);
insert into public.memories (account_id, user_id, kind, text, source, source_key, session_id, meaning)
select id, null::uuid, 'finding', 'the account''s', 'finding', 'a', null::uuid, '' from team
union all
select id, 'd0000000-0000-4000-8000-00000000000a', 'preference', 'anna''s', 'person', 'b', null, '' from team
union all
select id, 'd0000000-0000-4000-8000-00000000000a', 'answer', 'to anna', 'answer', 'c',
    'd0000000-0000-4000-9000-00000000000a', '' from team;
insert into public.knowledge_documents (account_id, name, sha256, bytes)
select id, 'runbook.md', repeat('e', 64), 1 from team;

create function pg_temp.sign_in(p_user text, p_topic text) returns void language sql as $$
    select set_config('request.jwt.claims', jsonb_build_object('sub', p_user, 'role', 'authenticated')::text, true),
        set_config('realtime.topic', p_topic, true)
$$;

-- As bea, a member.
select pg_temp.sign_in('d0000000-0000-4000-8000-00000000000b', 'chat:d0000000-0000-4000-9000-00000000000a');
set local role authenticated;
select is((select count(*) from public.traces), 1::bigint, 'reads the account''s trace');
select results_eq(
    'select id from public.chat_sessions', array['d0000000-0000-4000-9000-00000000000b'::uuid], 'her conversation alone'
);
select results_eq(
    'select id from public.chat_turns', array['d0000000-0000-4000-a000-00000000000b'::uuid], 'her turn alone'
);
select results_eq('select content_text from public.chat_messages', array['bea?'], 'her message alone');
select is((select count(*) from public.kept_views), 0::bigint, 'nobody''s views');
select is((select count(*) from storage.objects), 0::bigint, 'nobody''s pictures');
select is((select count(*) from realtime.messages), 0::bigint, 'nothing on anna''s topic');
select throws_ok('select * from public.account_invitations', '42501', null, 'no invitations');
select is((select text from public.core_memories), 'we ship', 'what the account remembers');
select results_eq('select text from public.memories', array['the account''s'], 'and nothing that is anna''s own');
select is((select count(*) from public.core_memory_proposals), 0::bigint, 'nothing proposed to anna');
select is((select count(*) from public.core_memory_onboardings), 0::bigint, 'nor what she answered');
select is((select count(*) from public.knowledge_documents where account_id is not null), 1::bigint, 'the runbook');
select throws_ok('update public.memories set text = ''hers''', '42501', null, 'writes no memory by herself');
select throws_ok('update public.chat_sessions set visibility = ''account''', '42501', null, 'shows nothing by herself');
select throws_ok('select * from flamechat_private.session_readers', '42501', null, 'nor asks who reads what');
reset role;

-- Shown to the account.
select lives_ok(
    $$select flamechat_private.show_chat_session(
        'd0000000-0000-4000-8000-00000000000a', 'd0000000-0000-4000-9000-00000000000a', 'account'
    )$$, 'anna shows it'
);
select pg_temp.sign_in('d0000000-0000-4000-8000-00000000000b', 'chat:d0000000-0000-4000-9000-00000000000a');
set local role authenticated;
select is((select count(*) from public.chat_sessions), 2::bigint, 'bea reads it');
select is((select count(*) from public.chat_messages), 2::bigint, 'with its messages');
select is((select count(*) from storage.objects), 1::bigint, 'and its picture');
select is((select count(*) from realtime.messages), 1::bigint, 'and listens to it');
select is((select count(*) from public.memories), 2::bigint, 'and reads what was answered there, no preference');
reset role;

-- As carl, a stranger.
select pg_temp.sign_in('d0000000-0000-4000-8000-00000000000c', 'chat:d0000000-0000-4000-9000-00000000000a');
set local role authenticated;
select is((select count(*) from public.traces), 0::bigint, 'a stranger reads no trace');
select is((select count(*) from public.chat_sessions), 0::bigint, 'no conversation, shown or not');
select is((select count(*) from storage.objects), 0::bigint, 'no picture');
select is((select count(*) from realtime.messages), 0::bigint, 'and hears nothing');
select is((select count(*) from public.account_members), 1::bigint, 'nor who is in the account');
select is((select count(*) from public.core_memories), 0::bigint, 'nor a fact');
select is((select count(*) from public.memories), 0::bigint, 'a memory');
select is((select count(*) from public.core_memory_changes), 0::bigint, 'how it came to be');
select is((select count(*) from public.knowledge_documents where account_id is not null), 0::bigint, 'nor a document');
reset role;

-- What is deleted takes its memories along.
delete from public.chat_sessions where id = 'd0000000-0000-4000-9000-00000000000a';
select is((select count(*) from public.memories where source_key = 'c'), 0::bigint, 'its answer goes with a conversation');

select * from finish();
rollback;
