-- Accounts with several members: made, named, left and removed by people, who invite others by their address.
--
-- Everything that changes an account holds its row until the transaction ends, so that of two who leave at once one is
-- the last owner. PT404 is for who is no member, PT403 for who may not, PT409 with the detail `account` for what stands
-- in the way.

create table public.account_invitations (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references public.accounts on delete cascade,
    email text not null check (char_length(email) between 3 and 254),
    role text not null check (role in ('owner', 'member', 'viewer')),
    token_hash text not null unique check (token_hash ~ '^[0-9a-f]{64}$'),
    invited_by uuid not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz not null,
    accepted_at timestamptz,
    accepted_by uuid,
    constraint an_accepted_one_says_by_whom check ((accepted_at is null) = (accepted_by is null))
);
create index account_invitations_by_inviter on public.account_invitations (invited_by);
create index account_invitations_by_guest on public.account_invitations (accepted_by) where accepted_by is not null;
create unique index account_invitations_open on public.account_invitations (account_id, lower(email))
    where accepted_at is null;
comment on column public.account_invitations.token_hash is
    'Of the link that was shown once to the inviter, hex of SHA-256: who reads the table cannot follow it.';

-- Addresses are nobody's business but the owners', to whom the server shows them.
alter table public.account_invitations enable row level security;
revoke all on public.account_invitations from public, anon, authenticated;
grant all on public.account_invitations to service_role;

create function flamechat_private.refuse_for_account(p_reason text)
returns void
language plpgsql
set search_path = ''
as $$
begin
    raise exception '%', p_reason using errcode = 'PT409', detail = 'account';
end
$$;

-- The account, locked, if the user is an owner of it; with `p_shared`, if it is no personal one.
create function flamechat_private.lock_account(p_user_id uuid, p_account_id uuid, p_shared boolean default true)
returns public.accounts
language plpgsql
set search_path = ''
as $$
declare
    account public.accounts;
begin
    select a.* into account from public.accounts a where a.id = p_account_id for no key update;
    perform flamechat_private.require_role(p_user_id, p_account_id, 'owner');
    if p_shared and account.personal_user_id is not null then
        raise exception 'Your personal account is yours alone: make another one to share.' using errcode = 'PT400';
    end if;
    return account;
end
$$;

-- A new account with its first owner. PT400 for who owns as many as `p_most`.
create function flamechat_private.create_account(p_user_id uuid, p_name text, p_most integer)
returns public.accounts
language plpgsql
set search_path = ''
as $$
declare
    account public.accounts;
begin
    perform flamechat_private.lock_subscription(p_user_id);
    if (select count(*) from public.account_members m where m.user_id = p_user_id and m.role = 'owner') >= p_most then
        raise exception 'You own % accounts, which is as many as one can own.', p_most using errcode = 'PT400';
    end if;
    insert into public.accounts (name) values (p_name) returning * into account;
    insert into public.account_members (account_id, user_id, role) values (account.id, p_user_id, 'owner');
    return account;
end
$$;

create function flamechat_private.rename_account(p_user_id uuid, p_account_id uuid, p_name text)
returns void
language plpgsql
set search_path = ''
as $$
begin
    perform flamechat_private.lock_account(p_user_id, p_account_id, p_shared => false);
    update public.accounts set name = p_name where id = p_account_id;
end
$$;

-- Removes an account with all that is in it. Returns where its objects lie, so that they can follow, and the contents of
-- its traces. PT409 while a conversation answers, or while it holds traces, unless they shall go too.
create function flamechat_private.delete_account(p_user_id uuid, p_account_id uuid, p_with_traces boolean)
returns table (object_path text, sha256 text, picture text)
language plpgsql
set search_path = ''
as $$
begin
    perform flamechat_private.require_role(p_user_id, p_account_id, 'owner');
    perform from public.chat_sessions s where s.account_id = p_account_id order by s.id for update;
    perform from public.accounts a where a.id = p_account_id for update;  -- nothing comes into it from here on
    perform flamechat_private.lock_account(p_user_id, p_account_id);
    if not p_with_traces and exists (select from public.traces t where t.account_id = p_account_id) then
        perform flamechat_private.refuse_for_account(
            'This account holds traces: remove them first, or say that they shall go with it.'
        );
    elsif exists (select from public.chat_turns t where t.account_id = p_account_id and t.ended_at is null) then
        raise exception 'A conversation of this account is still answering: stop it first.' using errcode = 'PT409';
    end if;
    return query
        select t.object_path, t.sha256, null from public.traces t where t.account_id = p_account_id
        union all
        select null, null, m.content_image_path
        from public.chat_messages m join public.chat_sessions s on s.id = m.session_id
        where s.account_id = p_account_id and m.content_image_path is not null;
    delete from public.accounts where id = p_account_id;
end
$$;

-- Members ------------------------------------------------------------------------------------------------------------

-- Whether an account has an owner beside this user.
create function flamechat_private.has_another_owner(p_account_id uuid, p_user_id uuid)
returns boolean
language sql stable
set search_path = ''
as $$
    select exists (
        select from public.account_members m
        where m.account_id = p_account_id and m.role = 'owner' and m.user_id <> p_user_id
    )
$$;

-- The member, if it is one; PT409 for the last owner, who cannot stop being one.
create function flamechat_private.member_to_change(p_account_id uuid, p_member_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
declare
    v_role text := flamechat_private.role_in(p_member_id, p_account_id);
begin
    if v_role is null then
        raise exception 'There is no such member.' using errcode = 'PT404';
    elsif v_role = 'owner' and not flamechat_private.has_another_owner(p_account_id, p_member_id) then
        perform flamechat_private.refuse_for_account(
            'An account has an owner: make somebody else an owner first, or remove the account.'
        );
    end if;
end
$$;

create function flamechat_private.change_account_member(
    p_user_id uuid, p_account_id uuid, p_member_id uuid, p_role text
)
returns void
language plpgsql
set search_path = ''
as $$
begin
    perform flamechat_private.lock_account(p_user_id, p_account_id);
    if p_role <> 'owner' then
        perform flamechat_private.member_to_change(p_account_id, p_member_id);
    end if;
    update public.account_members set role = p_role where account_id = p_account_id and user_id = p_member_id;
    if not found then
        raise exception 'There is no such member.' using errcode = 'PT404';
    end if;
end
$$;

-- Takes a member out, or lets one leave. What they uploaded stays; their private conversations are read by nobody then.
create function flamechat_private.remove_account_member(p_user_id uuid, p_account_id uuid, p_member_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
    perform from public.accounts a where a.id = p_account_id for no key update;
    if p_user_id = p_member_id then
        perform flamechat_private.require_role(p_user_id, p_account_id, 'viewer');
    else
        perform flamechat_private.require_role(p_user_id, p_account_id, 'owner');
    end if;
    perform flamechat_private.member_to_change(p_account_id, p_member_id);
    update public.chat_turns set cancel_requested = true
    where account_id = p_account_id and user_id = p_member_id and ended_at is null;
    delete from public.account_members where account_id = p_account_id and user_id = p_member_id;
end
$$;

-- Invitations end with the ownership of who gave them. Where the last owner of an account is removed as a user, who has
-- been a member for longest takes their place, those who may write before those who only read.
create function flamechat_private.after_ownership_ended()
returns trigger
language plpgsql security definer
set search_path = ''
as $$
begin
    delete from public.account_invitations i
    where i.account_id = old.account_id and i.invited_by = old.user_id and i.accepted_at is null;
    update public.account_members m set role = 'owner'
    where m.account_id = old.account_id
        and not exists (
            select from public.account_members o where o.account_id = old.account_id and o.role = 'owner'
        )
        and m.user_id = (
            select h.user_id from public.account_members h
            where h.account_id = old.account_id
            order by h.role = 'viewer', h.created_at, h.user_id
            limit 1
        );
    return null;
end
$$;
create trigger after_owner_left
    after delete on public.account_members
    for each row when (old.role = 'owner') execute function flamechat_private.after_ownership_ended();
create trigger after_owner_changed
    after update of role on public.account_members
    for each row when (old.role = 'owner' and new.role <> 'owner')
    execute function flamechat_private.after_ownership_ended();

-- Invitations --------------------------------------------------------------------------------------------------------

-- An address as it is compared.
create function flamechat_private.compared_address(p_email text)
returns text
language sql immutable
set search_path = ''
as $$
    select lower(btrim(p_email))
$$;

-- The address of a user, once Auth has confirmed it. As its owner: the server's role may not read auth.users.
create function flamechat_private.confirmed_address(p_user_id uuid)
returns text
language sql stable security definer
set search_path = ''
as $$
    select flamechat_private.compared_address(u.email)
    from auth.users u
    where u.id = p_user_id and u.email_confirmed_at is not null and u.email <> ''
$$;

-- A new invitation of an address, in place of an open one. Whether somebody has that address is not looked at. PT403 for
-- a role above the inviter's own, PT400 when `p_most` others are open.
create function flamechat_private.invite_account_member(
    p_user_id uuid, p_account_id uuid, p_email text, p_role text, p_token_hash text, p_days integer, p_most integer
)
returns public.account_invitations
language plpgsql
set search_path = ''
as $$
declare
    invitation public.account_invitations;
begin
    perform flamechat_private.lock_account(p_user_id, p_account_id);
    perform flamechat_private.require_role(p_user_id, p_account_id, p_role);
    delete from public.account_invitations i
    where i.account_id = p_account_id and i.accepted_at is null
        and (i.expires_at <= now() or lower(i.email) = flamechat_private.compared_address(p_email));
    if (select count(*) from public.account_invitations i
        where i.account_id = p_account_id and i.accepted_at is null) >= p_most then
        raise exception '% invitations to this account are open, which is as many as can be. Take one back first.',
            p_most using errcode = 'PT400';
    end if;
    insert into public.account_invitations (account_id, email, role, token_hash, invited_by, expires_at)
    values (
        p_account_id, btrim(p_email), p_role, p_token_hash, p_user_id, now() + p_days * interval '1 day'
    )
    returning * into invitation;
    return invitation;
end
$$;

create function flamechat_private.revoke_account_invitation(p_user_id uuid, p_account_id uuid, p_invitation_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
    perform flamechat_private.lock_account(p_user_id, p_account_id);
    delete from public.account_invitations i
    where i.id = p_invitation_id and i.account_id = p_account_id and i.accepted_at is null;
    if not found then
        raise exception 'There is no such invitation.' using errcode = 'PT404';
    end if;
end
$$;

-- Makes a user a member by the link they were sent, once; who is a member already has the greater of both roles
-- afterwards. PT404, with one text for all, for a link that was never made, was used, taken back or is too old, for an
-- address that is not the user's or not confirmed, and where who invited may no longer give that much.
create function flamechat_private.accept_account_invitation(p_user_id uuid, p_token_hash text)
returns uuid
language plpgsql
set search_path = ''
as $$
declare
    invitation public.account_invitations;
begin
    -- The account first, as everywhere; then what is read counts.
    perform from public.accounts a
    where a.id = (select i.account_id from public.account_invitations i where i.token_hash = p_token_hash)
    for no key update;
    select i.* into invitation
    from public.account_invitations i
    where i.token_hash = p_token_hash and i.accepted_at is null and i.expires_at > now()
        and lower(i.email) = flamechat_private.confirmed_address(p_user_id)
        and flamechat_private.role_in(i.invited_by, i.account_id) = 'owner';
    if not found then
        raise exception 'There is no such invitation for you: it was used, taken back, is too old, or is for another address.'
            using errcode = 'PT404';
    end if;
    update public.account_invitations set accepted_at = now(), accepted_by = p_user_id where id = invitation.id;
    insert into public.account_members as m (account_id, user_id, role)
    values (invitation.account_id, p_user_id, invitation.role)
    on conflict (account_id, user_id) do update set role = excluded.role
    where flamechat_private.rank_of_role(m.role) < flamechat_private.rank_of_role(excluded.role);
    return invitation.account_id;
end
$$;

revoke all on all functions in schema flamechat_private from public, anon, authenticated;
grant execute on all functions in schema flamechat_private to service_role;
