-- name: claim_watched_file
-- A file that nobody has taken in, or that a server began and has not ended for so long.
insert into public.watched_files (file_key, place, name, user_id)
values (%(file_key)s, %(place)s, %(name)s, %(user_id)s)
on conflict (file_key) do update set claimed_at = clock_timestamp(), user_id = excluded.user_id
where watched_files.outcome = 'reading'
    and watched_files.claimed_at < clock_timestamp() - make_interval(secs => %(patience_s)s)
returning file_key

-- name: end_watched_file
-- Once: another server may have taken it up meanwhile.
update public.watched_files set outcome = %(outcome)s, reason = %(reason)s, trace_id = %(trace_id)s
where file_key = %(file_key)s and outcome = 'reading'

-- name: release_watched_file
-- So that it can be claimed again.
delete from public.watched_files where file_key = %(file_key)s and outcome = 'reading'
