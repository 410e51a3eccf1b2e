-- name: trace_notes
-- Those of one trace, if one of the caller's accounts holds it, the oldest first.
select * from public.trace_notes n
where n.trace_id = %(trace_id)s and n.account_id in (select flamechat_private.accounts_of(%(user_id)s))
order by n.created_at, n.id

-- name: add_trace_note
-- The function decides whether the caller may, and whether there is room.
select * from public.add_trace_note(
    %(user_id)s, %(trace_id)s, %(note_id)s, %(most)s, %(kind)s, %(profile)s, %(handle)s, %(starts_at)s, %(ends_at)s,
    %(name)s, %(file)s, %(body)s
)

-- name: rewrite_trace_note
-- Another text.
update public.trace_notes set body = %(body)s, updated_at = clock_timestamp()
where id = flamechat_private.note_to_change(%(user_id)s, %(trace_id)s, %(note_id)s)
returning *

-- name: remove_trace_note
-- For good.
delete from public.trace_notes
where id = flamechat_private.note_to_change(%(user_id)s, %(trace_id)s, %(note_id)s, p_removing => true)
returning id
