-- name: keep_view
-- On a trace of the caller's accounts; one that is kept already is used again.
insert into public.kept_views (trace_id, id, account_id, user_id, transforms, find)
select t.id, %(view_id)s, t.account_id, %(user_id)s, %(transforms)s, %(find)s
from public.traces t
where t.id = %(trace_id)s and t.account_id in (select flamechat_private.accounts_of(%(user_id)s))
on conflict (trace_id, id) do update set used_at = clock_timestamp()
returning id

-- name: remove_unused_views
-- All but the `most` of the trace that were used last.
delete from public.kept_views v
where v.trace_id = %(trace_id)s and v.id in (
    select o.id from public.kept_views o
    where o.trace_id = %(trace_id)s
    order by o.used_at desc, o.id
    offset %(most)s
)

-- name: kept_view
-- If one of the caller's accounts holds its trace; it is used by that.
update public.kept_views v set used_at = clock_timestamp()
where v.trace_id = %(trace_id)s and v.id = %(view_id)s
    and v.account_id in (select flamechat_private.accounts_of(%(user_id)s))
returning v.transforms, v.find
