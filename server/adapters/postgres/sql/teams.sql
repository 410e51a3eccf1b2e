-- name: role_in_account
-- The one question behind every access.
select flamechat_private.role_in(%(user_id)s, %(account_id)s) as role

-- name: accounts_of_user
-- Those they are a member of, their own first.
select a.id, a.name, m.role, a.personal_user_id is not distinct from m.user_id as is_personal, a.created_at,
    a.memory_decided_by
from public.accounts a join public.account_members m on m.account_id = a.id
where m.user_id = %(user_id)s
order by is_personal desc, lower(a.name), a.id

-- name: create_account
-- With its first owner.
select a.id, a.name, 'owner' as role, false as is_personal, a.created_at, a.memory_decided_by
from flamechat_private.create_account(%(user_id)s, %(name)s, %(most)s) a

-- name: change_account
-- By an owner.
select flamechat_private.change_account(%(user_id)s, %(account_id)s, %(name)s, %(memory_decided_by)s)

-- name: delete_account
-- With all that is in it; what its objects were called.
select * from flamechat_private.delete_account(%(user_id)s, %(account_id)s, %(with_traces)s)

-- name: account_members
-- In the order they came.
select m.user_id, flamechat_private.name_of_user(m.user_id) as name, m.role, m.created_at
from public.account_members m
where m.account_id = %(account_id)s and m.account_id in (select flamechat_private.accounts_of(%(user_id)s))
order by m.created_at, m.user_id

-- name: change_account_member
-- By an owner.
select flamechat_private.change_account_member(%(user_id)s, %(account_id)s, %(member_id)s, %(role)s)

-- name: remove_account_member
-- By an owner, or themselves.
select flamechat_private.remove_account_member(%(user_id)s, %(account_id)s, %(member_id)s)

-- name: require_owner
-- Refused for everybody else.
select flamechat_private.require_role(%(user_id)s, %(account_id)s, 'owner')

-- name: account_invitations
-- Open ones, for an owner.
select i.* from public.account_invitations i
where i.account_id = %(account_id)s and i.accepted_at is null and i.expires_at > now()
    and flamechat_private.role_in(%(user_id)s, %(account_id)s) = 'owner'
order by i.created_at desc, i.id

-- name: invite_account_member
-- By an owner.
select * from flamechat_private.invite_account_member(
    %(user_id)s, %(account_id)s, %(email)s, %(role)s, %(token_hash)s, %(days)s, %(most)s
)

-- name: revoke_account_invitation
-- By an owner.
select flamechat_private.revoke_account_invitation(%(user_id)s, %(account_id)s, %(invitation_id)s)

-- name: accept_account_invitation
-- By whom it is for.
select flamechat_private.accept_account_invitation(%(user_id)s, %(token_hash)s) as account_id
