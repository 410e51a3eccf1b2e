-- name: keep_trace_measured
-- Whether the caller may see the trace; who measures it at the same time waits.
select t.account_id from public.traces t
where t.id = %(trace_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
for update

-- name: remove_trace_measures
-- All that was kept of the trace.
with functions as (delete from public.trace_functions where trace_id = %(trace_id)s),
    findings as (delete from public.trace_findings where trace_id = %(trace_id)s)
delete from public.trace_measures where trace_id = %(trace_id)s

-- name: keep_trace_functions
-- The heaviest, in their order.
insert into public.trace_functions
    (trace_id, account_id, place, name, file, self_value, total_value, self_share, total_share, calls)
select %(trace_id)s, %(account_id)s, f.place - 1, f.name, f.file, f.own, f.total, f.own_share, f.total_share, f.calls
from unnest(
    %(names)s::text[], %(files)s::text[], %(own)s::float8[], %(totals)s::float8[], %(own_shares)s::real[],
    %(total_shares)s::real[], %(calls)s::bigint[]
) with ordinality as f (name, file, own, total, own_share, total_share, calls, place)

-- name: keep_trace_findings
-- Each once.
insert into public.trace_findings (trace_id, account_id, finding, severity, share)
select %(trace_id)s, %(account_id)s, f.finding, f.severity, f.share
from unnest(%(findings)s::text[], %(severities)s::text[], %(shares)s::real[]) as f (finding, severity, share)

-- name: keep_trace_figures
-- One of them is `total`.
insert into public.trace_measures (trace_id, account_id, measure, value, unit, version)
select %(trace_id)s, %(account_id)s, f.measure, f.value, f.unit, %(version)s
from unnest(%(measures)s::text[], %(values)s::float8[], %(units)s::text[]) as f (measure, value, unit)

-- name: unmeasured_traces
-- Those of a search that have no measure at all, or those of an earlier version. Mostly there are none in the account,
-- which two counts say.
select t.id from public.traces t
where (select count(*) from public.traces a where a.account_id = %(account_id)s)
        > (select count(*) from public.trace_measures m
            where m.account_id = %(account_id)s and m.measure = 'total' and m.version >= %(version)s)
    and t.account_id = %(account_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
    and (%(program)s::text is null or t.program = %(program)s)
    and t.labels @> %(labels)s
    and (%(since)s::timestamptz is null or t.created_at >= %(since)s)
    and not exists (select from public.trace_measures m where m.trace_id = t.id and m.measure = 'total'
        and m.version >= %(version)s)
order by t.created_at desc, t.id desc
limit %(limit)s

-- name: unmeasured_anywhere
-- The newest of all accounts that have no measure at all, or those of an earlier version, but for those that were tried.
select t.id, t.user_id, t.account_id from public.traces t
where not exists (select from public.trace_measures m where m.trace_id = t.id and m.measure = 'total'
        and m.version >= %(version)s)
    and t.id <> all (%(without)s::uuid[])
order by t.created_at desc, t.id desc
limit %(limit)s

-- name: run_points
-- The newest measured runs of a search, each with what is asked of it, or without. It is looked up run by run: by name
-- alone it would be read of every run of the account. One text for all of them: a row each takes the reader much longer.
with runs as materialized (
    select t.id, t.name, t.created_at, t.labels, t.program, m.unit
    from public.traces t join public.trace_measures m on m.trace_id = t.id and m.measure = 'total'
    where t.account_id = %(account_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
        and (%(program)s::text is null or t.program = %(program)s)
        and t.labels @> %(labels)s
        and (%(since)s::timestamptz is null or t.created_at >= %(since)s)
    order by t.created_at desc, t.id desc
    limit %(limit)s
)
select coalesce(json_agg(json_build_array(
    r.id, r.name, r.created_at, r.labels, r.program, coalesce(f.unit, r.unit), f.is_there is not null, f.value, f.share,
    f.total_value, f.total_share, f.calls
) order by r.created_at, r.id), '[]')::text as points
from runs r left join lateral (
    select true as is_there, f.self_value as value, f.self_share as share, f.total_value, f.total_share, f.calls,
        null as unit
    from public.trace_functions f
    where %(kind)s = 'function' and f.trace_id = r.id and f.name = %(name)s and f.file is not distinct from %(file)s::text
    union all
    select true, null, f.share, null, null, null, null from public.trace_findings f
    where %(kind)s = 'finding' and f.trace_id = r.id and f.finding = %(name)s
    union all
    select true, f.value, null, null, null, null, f.unit from public.trace_measures f
    where %(kind)s = 'figure' and f.trace_id = r.id and f.measure = %(name)s
) f on true

-- name: functions_of_runs
-- The newest measured runs of a search, each with all of its functions.
with runs as (
    select t.id, t.created_at, m.unit, m.value as total
    from public.traces t join public.trace_measures m on m.trace_id = t.id and m.measure = 'total'
    where t.account_id = %(account_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
        and (%(program)s::text is null or t.program = %(program)s)
        and t.labels @> %(labels)s
        and (%(since)s::timestamptz is null or t.created_at >= %(since)s)
    order by t.created_at desc, t.id desc
    limit %(limit)s
)
select r.id, r.unit, r.total, f.names, f.files, f.own
from runs r cross join lateral (
    select coalesce(array_agg(f.name order by f.place), '{}') as names,
        coalesce(array_agg(f.file order by f.place), '{}') as files,
        coalesce(array_agg(f.self_value order by f.place), '{}') as own
    from public.trace_functions f where f.trace_id = r.id
) f
order by r.created_at, r.id

-- name: count_of_removed_runs
-- How many of a search were deleted or have expired.
select count(*) as runs from public.removed_runs t
where t.account_id = %(account_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
    and (%(program)s::text is null or t.program = %(program)s)
    and t.labels @> %(labels)s
    and (%(since)s::timestamptz is null or t.created_at >= %(since)s)

-- name: labels_of_runs
-- Labels and programs with how many runs have them, the labels of asked words first; a row for all runs.
with runs as (
    select t.id, t.labels, t.program from public.traces t
    where t.account_id = %(account_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
        and (%(program)s::text is null or t.program = %(program)s)
        and t.labels @> %(labels)s
        and (%(since)s::timestamptz is null or t.created_at >= %(since)s)
)
select '' as key, '' as value, count(*) as runs from runs
union all
select 'program', r.program, count(*) from runs r where r.program is not null group by r.program
union all
(select l.key, l.value, count(*) from runs r cross join jsonb_each_text(r.labels) l group by l.key, l.value
order by l.value = any(%(words)s::text[]) desc, count(*) desc, l.key, l.value limit %(limit)s)

-- name: things_of_runs
-- What the newest runs have, and functions of exactly this name in any.
with runs as (
    select t.id from public.traces t
    where t.account_id = %(account_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
        and (%(program)s::text is null or t.program = %(program)s)
        and t.labels @> %(labels)s
        and (%(since)s::timestamptz is null or t.created_at >= %(since)s)
        and exists (select from public.trace_measures m where m.trace_id = t.id)
    order by t.created_at desc, t.id desc
    limit %(limit)s
)
select distinct 'function' as kind, f.name, f.file from public.trace_functions f join runs r on r.id = f.trace_id
union
select 'function', f.name, f.file from public.trace_functions f
where f.account_id = %(account_id)s and f.account_id in (select flamechat_private.accounts_of(%(user_id)s))
    and f.name = %(name)s
union
select 'finding', f.finding, null from public.trace_findings f join runs r on r.id = f.trace_id
union
select 'figure', f.measure, null from public.trace_measures f join runs r on r.id = f.trace_id
order by 1, 2, 3

-- name: named_things
-- Programs with how many runs have them, and of labels, a function and a figure those that are there.
select 'program' as kind, t.program as name, null as value, count(*) as runs from public.traces t
where t.account_id = %(account_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
group by t.program
union all
select 'label', l.key, l.value, 1 from unnest(%(keys)s::text[], %(values)s::text[]) l (key, value)
where l.value is not null and exists (select from public.traces t
    where t.account_id = %(account_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
        and t.labels @> jsonb_build_object(l.key, l.value))
union all
select 'label', l.key, null, 1 from unnest(%(keys)s::text[]) l (key)
where exists (select from public.traces t
    where t.account_id = %(account_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
        and t.labels ? l.key)
union all
select 'function', %(function)s::text, f.file, 1 from (
    select distinct f.file from public.trace_functions f
    where f.account_id = %(account_id)s and f.account_id in (select flamechat_private.accounts_of(%(user_id)s))
        and f.name = %(function)s
) f
union all
select 'figure', %(figure)s::text, null, 1
where exists (select from public.trace_measures m
    where m.account_id = %(account_id)s and m.account_id in (select flamechat_private.accounts_of(%(user_id)s))
        and m.measure = %(figure)s)

-- name: state_of_runs
-- A text that differs when a recording came or went, was labelled anew or measured.
select concat(
    count(*), ' ',
    sum(uuid_hash_extended(t.id, hashtextextended(t.name, hashtextextended(
        coalesce(t.program, ''), jsonb_hash_extended(t.labels, 0))))), ' ',
    (select concat(count(*), ' ', sum(m.value)) from public.trace_measures m
        where m.account_id = %(account_id)s and m.measure = 'total')
) as state
from public.traces t
where t.account_id = %(account_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))

-- name: library_traces
-- Recordings of a search as lines of comma-separated values, newest first; null is nothing in concat.
select 1 as rows, concat(
    '"' || replace(t.id::text, '"', '""') || '"', ',', '"' || replace(t.name, '"', '""') || '"', ',',
    (extract(epoch from t.created_at) * 1000000)::bigint, ',', '"' || replace(t.program, '"', '""') || '"', ',',
    '"' || replace(t.labels::text, '"', '""') || '"', ',', '"' || replace(t.format, '"', '""') || '"', ',',
    t.size_bytes, ',', t.duration_ns, ',', '"' || replace(m.unit, '"', '""') || '"', ',', m.value, e'\n'
) as lines
from flamechat_private.runs_of_search(%(user_id)s, %(account_id)s, %(labels)s, %(program)s, %(since)s) t
left join public.trace_measures m on m.trace_id = t.id and m.measure = 'total'
order by t.created_at desc, t.id desc

-- name: library_functions
-- Their functions, of these names where there are some, as lines, a text for each recording, newest first.
select f.rows, f.lines
from flamechat_private.runs_of_search(%(user_id)s, %(account_id)s, %(labels)s, %(program)s, %(since)s) t
cross join lateral (
    select count(*) as rows, string_agg(concat(
        '"' || replace(f.trace_id::text, '"', '""') || '"', ',', '"' || replace(f.name, '"', '""') || '"', ',', '"' || replace(f.file, '"', '""') || '"', ',',
        f.self_value, ',', f.total_value, ',', f.self_share, ',', f.total_share, ',', f.calls, e'\n'
    ), '' order by f.place) as lines
    from public.trace_functions f
    where f.trace_id = t.id and (%(names)s::text[] is null or f.name = any(%(names)s))
) f
order by t.created_at desc, t.id desc

-- name: library_findings
-- Their findings.
select f.rows, f.lines
from flamechat_private.runs_of_search(%(user_id)s, %(account_id)s, %(labels)s, %(program)s, %(since)s) t
cross join lateral (
    select count(*) as rows, string_agg(concat(
        '"' || replace(f.trace_id::text, '"', '""') || '"', ',', '"' || replace(f.finding, '"', '""') || '"', ',', '"' || replace(f.severity, '"', '""') || '"', ',', f.share, e'\n'
    ), '' order by f.finding) as lines
    from public.trace_findings f where f.trace_id = t.id
) f
order by t.created_at desc, t.id desc

-- name: library_measures
-- Their figures.
select f.rows, f.lines
from flamechat_private.runs_of_search(%(user_id)s, %(account_id)s, %(labels)s, %(program)s, %(since)s) t
cross join lateral (
    select count(*) as rows, string_agg(concat(
        '"' || replace(f.trace_id::text, '"', '""') || '"', ',', '"' || replace(f.measure, '"', '""') || '"', ',', f.value, ',', '"' || replace(f.unit, '"', '""') || '"', e'\n'
    ), '' order by f.measure) as lines
    from public.trace_measures f where f.trace_id = t.id
) f
order by t.created_at desc, t.id desc
