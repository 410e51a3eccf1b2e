-- name: issue_run_token
-- In place of that of an earlier attempt; an attempt that was overtaken takes it from nobody.
insert into flamechat_private.run_tokens (turn_id, run_id, attempt, token_hash)
select id, %(run_id)s, %(attempt)s, %(token_hash)s from public.chat_turns where id = %(turn_id)s
on conflict (turn_id) do update
set run_id = excluded.run_id, attempt = excluded.attempt, token_hash = excluded.token_hash,
    issued_at = clock_timestamp()
where run_tokens.attempt <= excluded.attempt
returning turn_id

-- name: holder_of_run_token
-- Whether the attempt goes on, the turn's own row says.
select turn_id, attempt from flamechat_private.run_tokens where run_id = %(run_id)s and token_hash = %(token_hash)s
