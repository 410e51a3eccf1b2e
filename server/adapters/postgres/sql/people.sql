-- name: is_user
-- Whether there is a profile of the user.
select exists (select from public.user_profiles where id = %(user_id)s)

-- name: own_accounts
-- The user's personal account, and those of which nobody else is a member; locked where the user is removed, so that
-- nothing comes into them meanwhile.
select a.id from public.accounts a
where a.personal_user_id = %(user_id)s or (
    exists (select from public.account_members m where m.account_id = a.id and m.user_id = %(user_id)s)
    and not exists (select from public.account_members m where m.account_id = a.id and m.user_id <> %(user_id)s)
)
for update of a

-- name: person_profile
-- What they call themselves, and their counter of a lifetime.
select to_jsonb(u) || jsonb_build_object('name', flamechat_private.name_of_user(u.id))
from public.user_profiles u where u.id = %(user_id)s

-- name: person_subscription
-- Their plan by name, with its counters.
select to_jsonb(s) || jsonb_build_object('plan', p.name)
from public.user_subscriptions s join public.subscription_plans p on p.id = s.plan_id where s.user_id = %(user_id)s

-- name: person_accounts
-- Those they are a member of.
select to_jsonb(m) || jsonb_build_object('account', a.name)
from public.account_members m join public.accounts a on a.id = m.account_id where m.user_id = %(user_id)s
order by m.created_at, a.id

-- name: person_invitations
-- Those they gave, took, or have not taken yet. The hash of a link's token is nobody's business.
select to_jsonb(i) - 'token_hash' from public.account_invitations i
where i.invited_by = %(user_id)s or i.accepted_by = %(user_id)s
    or lower(i.email) = flamechat_private.confirmed_address(%(user_id)s)
order by i.created_at, i.id

-- name: person_traces
-- In their own accounts, and what they uploaded to others'. The hash of a link's token is nobody's business.
select to_jsonb(t) - 'share_token_hash' from public.traces t
where t.account_id = any(%(accounts)s) or t.user_id = %(user_id)s
order by t.created_at, t.id

-- name: person_notes
-- On traces in their own accounts, and what they wrote on others'.
select to_jsonb(n) from public.trace_notes n
where n.account_id = any(%(accounts)s) or n.user_id = %(user_id)s
order by n.created_at, n.id

-- name: person_kept_views
-- Of traces in their own accounts, and what they had kept of others'.
select to_jsonb(v) from public.kept_views v
where v.account_id = any(%(accounts)s) or v.user_id = %(user_id)s
order by v.used_at, v.trace_id, v.id

-- name: person_api_keys
-- Of their own accounts, and those they made for others', without the hashes.
select to_jsonb(k) - 'hash' from public.api_keys k
where k.account_id = any(%(accounts)s) or k.created_by = %(user_id)s
order by k.created_at, k.id

-- name: person_saved_questions
-- Of their own accounts, and those that they saved in others'.
select to_jsonb(q) from public.saved_questions q
where q.account_id = any(%(accounts)s) or q.created_by = %(user_id)s
order by q.created_at, q.id

-- name: person_removed_runs
-- Of their own accounts: what is left of traces that are gone.
select to_jsonb(r) from public.removed_runs r
where r.account_id = any(%(accounts)s)
order by r.created_at, r.trace_id

-- name: person_gates
-- Of their own accounts, and those they made for others', without the secrets.
select to_jsonb(g) - 'webhook_secret' from public.gates g
where g.account_id = any(%(accounts)s) or g.created_by = %(user_id)s
order by g.created_at, g.id

-- name: person_gate_results
-- Of their own accounts, of what they uploaded to others', and what they accepted there.
select to_jsonb(r) from public.gate_results r
where r.account_id = any(%(accounts)s) or r.user_id = %(user_id)s or r.accepted_by = %(user_id)s
order by r.created_at, r.id

-- name: person_sessions
-- In their own accounts, what they opened in others', and where they asked.
select to_jsonb(s) - 'share_token_hash' from public.chat_sessions s
where s.account_id = any(%(accounts)s) or s.user_id = %(user_id)s
    or exists (select from public.chat_turns t where t.session_id = s.id and t.user_id = %(user_id)s)
order by s.created_at, s.id

-- name: person_turns
-- In their own accounts, and what they asked in others'.
select to_jsonb(t) from public.chat_turns t
where t.account_id = any(%(accounts)s) or t.user_id = %(user_id)s
order by t.created_at, t.id

-- name: person_messages
-- Of those turns, superseded ones too, and messages of their own accounts that are of no turn.
select to_jsonb(m) from public.chat_messages m
join public.chat_sessions s on s.id = m.session_id
left join public.chat_turns t on t.id = m.turn_id
where s.account_id = any(%(accounts)s) or t.user_id = %(user_id)s
order by m.session_id, m.position

-- name: person_feedback
-- What they thought of answers.
select to_jsonb(f) from public.message_feedback f where f.user_id = %(user_id)s order by f.created_at, f.message_id

-- name: person_plan_changes
-- What was changed for them, or by them.
select to_jsonb(c) from public.plan_changes c
where c.user_id = %(user_id)s or c.changed_by = %(user_id)s
order by c.id

-- name: person_memory
-- What their own accounts remember.
select to_jsonb(m) from public.core_memories m where m.account_id = any(%(accounts)s) order by m.account_id

-- name: person_memory_changes
-- How that came to be, and what they had others' accounts remember.
select to_jsonb(c) from public.core_memory_changes c
where c.account_id = any(%(accounts)s) or c.by_user = %(user_id)s
order by c.account_id, c.version

-- name: person_memory_proposals
-- What was proposed to them.
select to_jsonb(p) from public.core_memory_proposals p where p.user_id = %(user_id)s order by p.created_at, p.id

-- name: person_onboardings
-- What they answered when their accounts remembered nothing.
select to_jsonb(o) from public.core_memory_onboardings o where o.user_id = %(user_id)s order by o.account_id

-- name: person_memories
-- Their own accounts', and their own in others'; without what is made of them for searches.
select to_jsonb(m) - 'search' - 'words' - 'meaning' from public.memories m
where m.user_id = %(user_id)s or (m.user_id is null and m.account_id = any(%(accounts)s))
order by m.created_at, m.id

-- name: person_documents
-- Of their own accounts, with what they say.
select to_jsonb(d) || jsonb_build_object(
    'text', (select string_agg(c.text, E'\n\n' order by c.ordinal) from public.knowledge_chunks c where c.document_id = d.id)
)
from public.knowledge_documents d
where d.account_id = any(%(accounts)s)
order by d.created_at, d.id

-- name: person_invocations
-- In their own accounts, and those they caused in others'.
select to_jsonb(i) from public.ai_invocation_summaries i
where i.account_id = any(%(accounts)s) or i.user_id = %(user_id)s
order by i.started_at, i.invocation_id

-- name: person_charges
-- What was reserved for their calls, and spent.
select to_jsonb(r) from public.charge_receipts r
where r.account_id = any(%(accounts)s) or r.user_id = %(user_id)s
order by r.at, r.id

-- name: person_budgets
-- Of their own, and what was reached of them.
select to_jsonb(l) || jsonb_build_object('notices', (
    select coalesce(jsonb_agg(to_jsonb(n) order by n.at), '[]'::jsonb) from public.budget_notices n
    where n.user_id = %(user_id)s
))
from (
    select %(user_id)s::uuid as user_id,
        (select to_jsonb(s) from public.spending_limits s where s.user_id = %(user_id)s) as limits
) as l
where l.limits is not null or exists (select from public.budget_notices n where n.user_id = %(user_id)s)

-- name: objects_of_person
-- What goes with them: their own accounts' traces, and the pictures of their turns.
select %(traces)s, t.object_path from public.traces t where t.account_id = any(%(accounts)s)
union
select %(pictures)s, m.content_image_path
from public.chat_messages m
join public.chat_sessions s on s.id = m.session_id
left join public.chat_turns t on t.id = m.turn_id
where m.content_image_path is not null and (s.account_id = any(%(accounts)s) or t.user_id = %(user_id)s)

-- name: contents_of_person
-- SHA-256 of their own accounts' traces that nobody else has: what caches keep of them may go.
select distinct t.sha256 from public.traces t
where t.account_id = any(%(accounts)s)
    and not exists (
        select from public.traces o where o.sha256 = t.sha256 and not o.account_id = any(%(accounts)s)
    )

-- name: remove_events_of_person
-- On their way to listeners.
delete from flamechat_private.turn_events e
using public.chat_turns t
where t.id = e.turn_id and (t.account_id = any(%(accounts)s) or t.user_id = %(user_id)s)

-- name: remove_checkpoints_of_person
-- A thread is named `<user>/<turn>`.
with writes as (
    delete from flamechat_private.checkpoint_writes where thread_id like %(user_id)s::text || '/%%'
), blobs as (
    delete from flamechat_private.checkpoint_blobs where thread_id like %(user_id)s::text || '/%%'
)
delete from flamechat_private.checkpoints where thread_id like %(user_id)s::text || '/%%'

-- name: remove_invitations_of_person
-- Those they gave, took, or have not taken yet.
delete from public.account_invitations
where invited_by = %(user_id)s or accepted_by = %(user_id)s
    or lower(email) = flamechat_private.confirmed_address(%(user_id)s)

-- name: remove_memory_of_accounts
-- Their own accounts', with how it came to be.
with changes as (
    delete from public.core_memory_changes where account_id = any(%(accounts)s)
)
delete from public.core_memories where account_id = any(%(accounts)s)

-- name: unname_memory_of_person
-- Others' accounts keep the facts, without who wrote last.
update public.core_memories set updated_by = null where updated_by = %(user_id)s

-- name: unname_memory_changes_of_person
-- Likewise.
update public.core_memory_changes
set by_user = nullif(by_user, %(user_id)s), decided_by = nullif(decided_by, %(user_id)s)
where by_user = %(user_id)s or decided_by = %(user_id)s

-- name: remove_memory_proposals_of_person
-- Wherever they were asked.
delete from public.core_memory_proposals where user_id = %(user_id)s

-- name: remove_onboardings_of_person
-- Wherever they were asked.
delete from public.core_memory_onboardings where user_id = %(user_id)s

-- name: remove_memories_of_person
-- Their own accounts', and their own in others'.
delete from public.memories
where user_id = %(user_id)s or (user_id is null and account_id = any(%(accounts)s))

-- name: remove_documents_of_accounts
-- Their own accounts'.
delete from public.knowledge_documents where account_id = any(%(accounts)s)

-- name: unname_documents_of_person
-- Others' accounts keep the documents.
update public.knowledge_documents set uploaded_by = null where uploaded_by = %(user_id)s

-- name: remove_turns_of_person
-- Their questions and what was answered, in everybody's accounts.
delete from public.chat_turns where user_id = %(user_id)s

-- name: remove_empty_sessions_of_person
-- What they opened in others' accounts and nobody else asked in.
delete from public.chat_sessions s
where s.user_id = %(user_id)s and not exists (select from public.chat_turns t where t.session_id = s.id)

-- name: unname_sessions_of_person
-- The rest belongs to the account, without its maker.
update public.chat_sessions
set user_id = case user_id when %(user_id)s then %(nobody)s else user_id end,
    counted_as = case counted_for_user when %(user_id)s then null else counted_as end,
    counted_in_period = case counted_for_user when %(user_id)s then null else counted_in_period end,
    counted_for_turn = case counted_for_user when %(user_id)s then null else counted_for_turn end,
    counted_for_user = nullif(counted_for_user, %(user_id)s)
where user_id = %(user_id)s or counted_for_user = %(user_id)s

-- name: remove_traces_of_accounts
-- With conversations, turns and messages.
delete from public.traces where account_id = any(%(accounts)s)

-- name: remove_removed_runs_of_accounts
-- Also where the account stays.
delete from public.removed_runs where account_id = any(%(accounts)s)

-- name: remove_notes_of_person
-- What they wrote, wherever it stands; that of others on their traces goes with these.
delete from public.trace_notes where user_id = %(user_id)s

-- name: remove_kept_views_of_person
-- What they had kept, of whichever trace.
delete from public.kept_views where user_id = %(user_id)s

-- name: remove_api_keys_of_person
-- They act within the rights of who is gone. Requests of the last minute go too.
with requests as (delete from flamechat_private.api_request_seconds where user_id = %(user_id)s)
delete from public.api_keys where created_by = %(user_id)s

-- name: unname_gates_of_person
-- Made for others' accounts, whose they are.
update public.gates set created_by = %(nobody)s where created_by = %(user_id)s

-- name: unname_gate_results_of_person
-- Of traces in others' accounts.
update public.gate_results
set user_id = case user_id when %(user_id)s then %(nobody)s else user_id end,
    accepted_by = case accepted_by when %(user_id)s then %(nobody)s else accepted_by end
where user_id = %(user_id)s or accepted_by = %(user_id)s

-- name: remove_renders_of_person
-- How many pictures they had.
delete from flamechat_private.monthly_renders where user_id = %(user_id)s

-- name: remove_saved_questions_of_person
-- What they named and saved, wherever, and what their own accounts have.
delete from public.saved_questions where created_by = %(user_id)s or account_id = any(%(accounts)s)

-- name: unname_traces_of_person
-- Uploaded to others' accounts, whose they are.
update public.traces set user_id = %(nobody)s where user_id = %(user_id)s

-- name: remove_feedback_of_person
-- Wherever it was given.
delete from public.message_feedback where user_id = %(user_id)s

-- name: remove_plan_changes_of_person
-- Of the audit, what was done for them.
delete from public.plan_changes
where user_id = %(user_id)s or after ->> 'account_id' = any(%(accounts)s::text[])

-- name: remove_charges_of_person
-- Of their own month, and in their own accounts.
delete from public.charge_receipts where user_id = %(user_id)s or account_id = any(%(accounts)s)

-- name: remove_budgets_of_person
-- Their own, and what was reached of them or by them.
with notices as (delete from public.budget_notices where user_id = %(user_id)s)
delete from public.spending_limits where user_id = %(user_id)s

-- name: unname_plan_changes_of_person
-- What they did for others stays, without them.
update public.plan_changes set changed_by = null where changed_by = %(user_id)s

-- name: remove_invocations_of_accounts
-- Their own accounts', also where the account stays.
delete from public.ai_invocation_summaries where account_id = any(%(accounts)s)

-- name: unname_invocations_of_person
-- What was spent in others' accounts stays theirs, without who asked and where.
update public.ai_invocation_summaries set user_id = %(nobody)s, session_id = null, turn_id = null
where user_id = %(user_id)s and not account_id = any(%(accounts)s)

-- name: remove_accounts
-- With all that is in them, and all memberships.
delete from public.accounts where id = any(%(accounts)s)

-- name: remove_memberships_of_person
-- Of others' accounts.
delete from public.account_members where user_id = %(user_id)s

-- name: remove_subscription_of_person
-- Before the profile.
delete from public.user_subscriptions where user_id = %(user_id)s

-- name: remove_profile_of_person
-- The last of them here.
delete from public.user_profiles where id = %(user_id)s

-- name: empty_profile
-- Of the user of this machine, who stays.
update public.user_profiles set display_name = null, lifetime_chat_analyses_count = 0 where id = %(user_id)s

-- name: empty_subscription
-- Of the user of this machine, who stays on their plan.
update public.user_subscriptions
set monthly_chat_sessions_count = 0, monthly_uploads_used = 0, granted_sessions = 0
where user_id = %(user_id)s

-- name: remove_own_user
-- Where this database keeps its users itself.
delete from auth.users where id = %(user_id)s
