-- name: make_gate
-- In an account in which the caller may write; no row else.
insert into public.gates (
    id, account_id, name, program, labels, rules, baseline, last_runs, single_run, webhook_url, webhook_secret, created_by
)
select %(gate_id)s, %(account_id)s, %(name)s, %(program)s, %(labels)s, %(rules)s, %(baseline)s, %(last_runs)s,
    %(single_run)s, %(webhook_url)s, %(webhook_secret)s, %(user_id)s
where flamechat_private.may_act_in(%(user_id)s, %(account_id)s, true)
    and (select count(*) from public.gates g where g.account_id = %(account_id)s) < %(most)s
returning *

-- name: gates_of_account
-- To its members.
select g.* from public.gates g
where g.account_id = %(account_id)s and flamechat_private.may_act_in(%(user_id)s, g.account_id, false)
order by g.name

-- name: remove_gate
-- With its results.
delete from public.gates g
where g.id = %(gate_id)s and g.account_id = %(account_id)s
    and flamechat_private.may_act_in(%(user_id)s, g.account_id, true)
returning g.id

-- name: gate_results_of_account
-- The newest first, of one gate or trace, or of all.
select r.*, g.name as gate_name from public.gate_results r join public.gates g on g.id = r.gate_id
where r.account_id = %(account_id)s and flamechat_private.may_act_in(%(user_id)s, r.account_id, false)
    and (%(gate_id)s::uuid is null or r.gate_id = %(gate_id)s)
    and (%(trace_id)s::uuid is null or r.trace_id = %(trace_id)s)
    and (%(result_id)s::uuid is null or r.id = %(result_id)s)
order by r.created_at desc, r.id desc
limit %(limit)s

-- name: note_gate_checks
-- A check to be made for each gate that means the trace.
insert into public.gate_results (gate_id, account_id, trace_id, user_id)
select g.id, g.account_id, t.id, t.user_id
from public.traces t join public.gates g on g.account_id = t.account_id
where t.id = %(trace_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
    and (g.program is null or g.program = t.program) and t.labels @> g.labels
on conflict (gate_id, trace_id) do nothing
returning id

-- name: take_gate_check
-- One that nobody makes now; who takes it has until then. A check that three servers did not survive is given up.
update public.gate_results r set tries = r.tries + 1, taken_until = clock_timestamp() + %(seconds)s * interval '1 second'
from public.gates g
where g.id = r.gate_id and r.id = (
    select w.id from public.gate_results w
    where w.judged_at is null and (w.taken_until is null or w.taken_until < clock_timestamp())
    order by w.created_at, w.id
    limit 1
    for update skip locked
)
returning r.*, g.name as gate_name, g.program, g.rules, g.baseline, g.last_runs, g.single_run, g.webhook_url is not null as reports

-- name: runs_of_baseline
-- The newest runs before a trace, of its program, with these labels; only those since what was last accepted of the gate,
-- where something was.
select t.id from public.traces t, public.traces judged
where judged.id = %(trace_id)s and t.account_id = judged.account_id and t.id <> judged.id
    and t.program is not distinct from judged.program and t.labels @> %(baseline)s
    and (t.created_at, t.id) < (judged.created_at, judged.id)
    and t.created_at >= coalesce((
        select max(a.created_at) from public.gate_results r join public.traces a on a.id = r.trace_id
        where r.gate_id = %(gate_id)s and r.accepted_at is not null and a.created_at < judged.created_at
    ), '-infinity')
order by t.created_at desc, t.id desc
limit %(last_runs)s

-- name: acceptances_of_gate
-- What stands in later reports.
select r.accepted_at, r.accepted_reason, p.display_name from public.gate_results r
left join public.user_profiles p on p.id = r.accepted_by
where r.gate_id = %(gate_id)s and r.accepted_at is not null
order by r.accepted_at desc
limit 5

-- name: end_gate_check
-- Once: whoever was too slow finds it ended. A gate with a webhook has it sent.
update public.gate_results r
set outcome = %(outcome)s, problem = %(problem)s, report = %(report)s, judged_at = clock_timestamp(), taken_until = null,
    webhook = case when g.webhook_url is null or not %(sends)s then 'none' else 'waiting' end,
    webhook_at = clock_timestamp()
from public.gates g
where g.id = r.gate_id and r.id = %(result_id)s and r.judged_at is null
returning r.id

-- name: gate_results_judged_lately
-- Of all accounts: each server informs those of them whose members it talks with.
select r.*, g.name as gate_name from public.gate_results r join public.gates g on g.id = r.gate_id
where r.judged_at > clock_timestamp() - %(seconds)s * interval '1 second'
order by r.judged_at, r.id

-- name: accept_gate_result
-- By an owner; the first reason stays.
update public.gate_results r
set accepted_at = coalesce(r.accepted_at, now()), accepted_by = coalesce(r.accepted_by, %(user_id)s),
    accepted_reason = coalesce(r.accepted_reason, %(reason)s)
where r.id = %(result_id)s
returning r.*, (select g.name from public.gates g where g.id = r.gate_id) as gate_name

-- name: owns_account
-- Who accepts for all.
select flamechat_private.is_owner_of(%(user_id)s, %(account_id)s) as owns

-- name: take_webhook
-- One that is due; until then it is this server's.
update public.gate_results r
set webhook_tries = r.webhook_tries + 1, webhook_at = clock_timestamp() + %(seconds)s * interval '1 second'
from public.gates g
where g.id = r.gate_id and r.id = (
    select w.id from public.gate_results w
    where w.webhook = 'waiting' and w.webhook_at <= clock_timestamp()
    order by w.webhook_at, w.id
    limit 1
    for update skip locked
)
returning r.*, g.name as gate_name, g.webhook_url, g.webhook_secret

-- name: end_webhook
-- Sent, failed for good, or to be tried again later.
update public.gate_results r
set webhook = %(webhook)s, webhook_answer = %(answer)s,
    webhook_at = clock_timestamp() + %(seconds)s * interval '1 second'
where r.id = %(result_id)s and r.webhook = 'waiting'
