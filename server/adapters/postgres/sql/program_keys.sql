-- name: create_api_key
-- If its maker may have one more.
select * from public.create_api_key(
    %(user_id)s, %(account_id)s, %(name)s, %(prefix)s, %(hash)s, %(scopes)s, %(expires_at)s
)

-- name: use_api_key
-- Counted by that.
select * from public.use_api_key(%(prefix)s, %(hash)s)

-- name: api_keys_of_account
-- To its members.
select k.* from public.api_keys k
where k.account_id = %(account_id)s and k.account_id in (select flamechat_private.accounts_of(%(user_id)s))
order by k.created_at desc, k.id

-- name: api_key
-- To members of its account; locked, and whether the one who asks may take it back.
select k.*, k.created_by = %(user_id)s or exists (
    select from public.account_members m
    where m.account_id = k.account_id and m.user_id = %(user_id)s and m.role = 'owner'
) as may_revoke
from public.api_keys k
where k.id = %(key_id)s and k.account_id = %(account_id)s
    and k.account_id in (select flamechat_private.accounts_of(%(user_id)s))
for update

-- name: revoke_api_key
-- The first time stays.
update public.api_keys set revoked_at = coalesce(revoked_at, now()) where id = %(key_id)s returning *

-- name: api_key_counts
-- Of all users who have made one.
select k.created_by as user_id, max(k.last_used_at) as last_used_at,
    count(*) filter (where k.revoked_at is null and (k.expires_at is null or k.expires_at > now())) as working
from public.api_keys k
group by k.created_by
order by working desc, k.created_by

-- name: revoke_api_keys_of_user
-- By an administrator.
update public.api_keys set revoked_at = now()
where created_by = %(user_id)s and revoked_at is null and (expires_at is null or expires_at > now())

-- name: reserve_render
-- Before it is drawn.
select * from public.reserve_render(%(user_id)s)

-- name: release_render
-- It was not drawn.
select public.release_render(%(user_id)s, %(period_start)s)
