-- A conversation is its maker's until they show it to the account that holds its trace. While every account had one
-- member, members read every conversation of their accounts.

alter table public.chat_sessions
    add column visibility text not null default 'private' check (visibility in ('private', 'account'));
comment on column public.chat_sessions.visibility is
    'private: its maker reads it. account: every member of the account does, and who may ask there asks in it.';

-- Roles ------------------------------------------------------------------------------------------------------------

-- What a user is in an account: viewer, member or owner; null for who is none of its members.
create function flamechat_private.role_in(p_user_id uuid, p_account_id uuid)
returns text
language sql stable
set search_path = ''
as $$
    select m.role from public.account_members m where m.account_id = p_account_id and m.user_id = p_user_id
$$;

-- Each role may what the ones before it may: a viewer reads, a member uploads and asks, an owner administers.
create function flamechat_private.rank_of_role(p_role text)
returns integer
language sql immutable
set search_path = ''
as $$
    select array_position(array['viewer', 'member', 'owner'], p_role)
$$;

-- The user's role in an account, if it is at least this one. PT404 for who is no member, PT403 for who is less.
create function flamechat_private.require_role(p_user_id uuid, p_account_id uuid, p_role text)
returns text
language plpgsql stable
set search_path = ''
as $$
declare
    v_role text := flamechat_private.role_in(p_user_id, p_account_id);
begin
    if v_role is null then
        raise exception 'There is no such account.' using errcode = 'PT404';
    elsif flamechat_private.rank_of_role(v_role) < flamechat_private.rank_of_role(p_role) then
        raise exception '%', case p_role
            when 'owner' then 'Only an owner of the account may do that.'
            else 'You are a viewer of this account and only read in it. An owner can make you a member.'
        end using errcode = 'PT403';
    end if;
    return v_role;
end
$$;

-- Who may read which conversation, and what else they may do with it: the one rule behind every statement of the server.
-- The policies below say the first half of it for a project's API.
create view flamechat_private.session_readers with (security_invoker = true) as
select s.id as session_id, s.account_id, m.user_id, m.role, s.user_id = m.user_id as is_maker,
    m.role <> 'viewer' as may_write,
    m.role <> 'viewer' and (s.user_id = m.user_id or m.role = 'owner') as may_change
from public.chat_sessions s
join public.account_members m on m.account_id = s.account_id
where s.user_id = m.user_id or s.visibility = 'account';
revoke all on flamechat_private.session_readers from public, anon, authenticated;
grant select on flamechat_private.session_readers to service_role;

-- What a project's API shows -----------------------------------------------------------------------------------------

drop policy "members read their sessions" on public.chat_sessions;
create policy "people read their own sessions and what is shown to their accounts" on public.chat_sessions
    for select to authenticated
    using (
        account_id in (select public.my_account_ids())
        and (user_id = (select auth.uid()) or visibility = 'account')
    );
-- A turn is readable where its session is, as a message is: the policy above answers for the inner query.
drop policy "members read their turns" on public.chat_turns;
create policy "people read the turns of sessions they read" on public.chat_turns
    for select to authenticated
    using (exists (select from public.chat_sessions s where s.id = session_id));
-- What somebody looked for is of their conversation; who has the address of a view asks the server.
drop policy "members read their kept views" on public.kept_views;
create policy "people read their own kept views" on public.kept_views
    for select to authenticated
    using (user_id = (select auth.uid()) and account_id in (select public.my_account_ids()));

-- Pictures lie under <account id>/<turn id>/ and are read with their turn; uploads under <account id>/, by its members.
drop policy "flamechat members read their objects" on storage.objects;
create policy "flamechat members read their traces" on storage.objects
    for select to authenticated
    using (
        bucket_id = 'traces'
        and (storage.foldername(name))[1] in (select account_id::text from public.my_account_ids() as account_id)
    );
create policy "flamechat people read pictures of turns they read" on storage.objects
    for select to authenticated
    using (
        bucket_id = 'ai-snapshots'
        and exists (
            select from public.chat_turns t
            where t.account_id::text = (storage.foldername(name))[1]
                and t.id = case
                    when (storage.foldername(name))[2] ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
                    then (storage.foldername(name))[2]::uuid
                end
        )
    );

-- `account:<id>`: what every member of an account may know at once. (`chat:<session id>` asks chat_sessions, as before.)
create policy "flamechat members listen to their accounts" on realtime.messages
    for select to authenticated
    using (
        extension = 'broadcast'
        and case
            when (select realtime.topic()) ~ '^account:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
            then substr((select realtime.topic()), 9)::uuid
        end in (select public.my_account_ids())
    );

-- What the server's functions allow ----------------------------------------------------------------------------------

-- As before, for a conversation that the user may read. PT403 for a viewer, who begins none.
create or replace function public.open_chat_session(p_user_id uuid, p_trace_id uuid, p_session_id uuid)
returns public.chat_sessions
language plpgsql
set search_path = ''
as $$
declare
    session public.chat_sessions;
begin
    insert into public.chat_sessions (id, account_id, user_id, trace_id)
        select p_session_id, t.account_id, p_user_id, t.id
        from public.traces t
        where t.id = p_trace_id
            and t.account_id in (select flamechat_private.accounts_of(p_user_id, p_writing => true))
        on conflict (id) do nothing;
    select s.* into session
    from public.chat_sessions s
    where s.id = p_session_id
        and s.id in (select r.session_id from flamechat_private.session_readers r where r.user_id = p_user_id);
    if not found then
        perform flamechat_private.require_role(p_user_id, t.account_id, 'member')
        from public.traces t
        where t.id = p_trace_id and t.account_id in (select flamechat_private.accounts_of(p_user_id));
        raise exception 'There is no such conversation, or no such trace.' using errcode = 'PT404';
    elsif session.trace_id <> p_trace_id then
        raise exception 'This conversation is about another trace.' using errcode = 'PT400';
    end if;
    return session;
end
$$;

-- The session, if the user may rename, put away or remove it: its maker, and an owner of the account once it is shown to
-- it. PT404 for who may not read it, PT403 for who may do no more.
create function flamechat_private.session_to_change(p_user_id uuid, p_session_id uuid)
returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
    reader flamechat_private.session_readers;
begin
    select r.* into reader
    from flamechat_private.session_readers r
    where r.session_id = p_session_id and r.user_id = p_user_id;
    if not found then
        raise exception 'There is no such conversation.' using errcode = 'PT404';
    end if;
    perform flamechat_private.require_role(p_user_id, reader.account_id, 'member');
    if not reader.may_change then
        raise exception 'Only who began this conversation, or an owner of the account, may do that.'
            using errcode = 'PT403';
    end if;
    return reader.session_id;
end
$$;

-- The session, if the user began it and may still write.
create function flamechat_private.session_of_maker(p_user_id uuid, p_session_id uuid)
returns uuid
language plpgsql stable
set search_path = ''
as $$
begin
    perform flamechat_private.session_to_change(p_user_id, p_session_id);
    if not exists (select from public.chat_sessions s where s.id = p_session_id and s.user_id = p_user_id) then
        raise exception 'Only who began this conversation may do that.' using errcode = 'PT403';
    end if;
    return p_session_id;
end
$$;

-- The session, if the user may ask in it. PT404 for who may not read it, PT403 for a viewer.
create function flamechat_private.session_to_write(p_user_id uuid, p_session_id uuid)
returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
    reader flamechat_private.session_readers;
begin
    select r.* into reader
    from flamechat_private.session_readers r
    where r.session_id = p_session_id and r.user_id = p_user_id;
    if not found then
        raise exception 'There is no such conversation.' using errcode = 'PT404';
    end if;
    perform flamechat_private.require_role(p_user_id, reader.account_id, 'member');
    return reader.session_id;
end
$$;

-- Shows a conversation to the account that holds its trace, or to its maker alone again. PT403 for everybody but its
-- maker, PT400 to take back one in which others have asked: it is theirs too.
create function flamechat_private.show_chat_session(p_user_id uuid, p_session_id uuid, p_visibility text)
returns public.chat_sessions
language plpgsql
set search_path = ''
as $$
declare
    session public.chat_sessions;
begin
    perform flamechat_private.session_of_maker(p_user_id, p_session_id);
    session := flamechat_private.lock_session(p_session_id);
    if p_visibility = 'private' and exists (
        select from public.chat_turns t where t.session_id = p_session_id and t.user_id <> p_user_id
    ) then
        raise exception 'Others have asked in this conversation: it stays with the account.' using errcode = 'PT400';
    end if;
    update public.chat_sessions s set visibility = p_visibility where s.id = p_session_id returning s.* into session;
    return session;
end
$$;

-- As before, for who may change it.
create or replace function public.delete_chat_session(p_user_id uuid, p_session_id uuid)
returns setof text
language plpgsql
set search_path = ''
as $$
begin
    perform flamechat_private.session_to_change(p_user_id, p_session_id);
    perform flamechat_private.lock_session(p_session_id);
    if flamechat_private.has_unended_turn(p_session_id) then
        raise exception 'This conversation is still answering: stop it first.' using errcode = 'PT409';
    end if;
    return query
        select m.content_image_path from public.chat_messages m
        where m.session_id = p_session_id and m.content_image_path is not null
        order by m.position;
    delete from public.chat_sessions where id = p_session_id;
end
$$;

-- As before: a link, which anyone can follow, is its maker's to give; an owner of the account may end one too.
create or replace function public.share_chat_session(p_user_id uuid, p_session_id uuid, p_token_hash text)
returns void
language plpgsql
set search_path = ''
as $$
begin
    if p_token_hash is null then
        perform flamechat_private.session_to_change(p_user_id, p_session_id);
    else
        perform flamechat_private.session_of_maker(p_user_id, p_session_id);
        if not (flamechat_private.effective_plan(p_user_id)).allow_public_sharing then
            raise exception 'The % plan does not include sharing by link.',
                (flamechat_private.effective_plan(p_user_id)).name using errcode = 'PT403';
        end if;
    end if;
    update public.chat_sessions set share_token_hash = p_token_hash where id = p_session_id;
end
$$;

-- As before, of an answer that the user may read.
create or replace function public.rate_chat_message(
    p_user_id uuid, p_message_id uuid, p_score integer, p_reason text default null
)
returns void
language plpgsql
set search_path = ''
as $$
declare
    rated public.chat_messages;
begin
    select m.* into rated
    from public.chat_messages m
    where m.id = p_message_id
        and m.session_id in (select r.session_id from flamechat_private.session_readers r where r.user_id = p_user_id);
    if not found then
        raise exception 'There is no such message.' using errcode = 'PT404';
    elsif rated.sender <> 'model' then
        raise exception 'Only answers can be rated.' using errcode = 'PT400';
    end if;
    insert into public.message_feedback (message_id, user_id, score, reason)
    values (p_message_id, p_user_id, p_score, p_reason)
    on conflict (message_id, user_id) do update
    set score = excluded.score, reason = excluded.reason, updated_at = now();
end
$$;

-- The trace, if the user may write in its account; with `p_removing`, if it is theirs to remove: who uploaded it and the
-- owners of the account may. PT404 for who may not read it, PT403 for who may do no more.
create function flamechat_private.trace_to_change(p_user_id uuid, p_trace_id uuid, p_removing boolean default false)
returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
    trace public.traces;
begin
    select t.* into trace
    from public.traces t
    where t.id = p_trace_id and t.account_id in (select flamechat_private.accounts_of(p_user_id));
    if not found then
        raise exception 'There is no such trace.' using errcode = 'PT404';
    end if;
    if flamechat_private.require_role(p_user_id, trace.account_id, 'member') <> 'owner'
        and p_removing and trace.user_id <> p_user_id then
        raise exception 'Only who uploaded this trace, or an owner of the account, may remove it.'
            using errcode = 'PT403';
    end if;
    return trace.id;
end
$$;

-- Removes a trace with all conversations about it, also those that the user does not read. Returns the paths of their
-- pictures, so that the objects can follow. PT409 while one of them answers.
create function flamechat_private.delete_trace(p_user_id uuid, p_trace_id uuid)
returns setof text
language plpgsql
set search_path = ''
as $$
begin
    perform flamechat_private.trace_to_change(p_user_id, p_trace_id, p_removing => true);
    perform from public.chat_sessions s where s.trace_id = p_trace_id order by s.id for update;
    perform from public.traces t where t.id = p_trace_id for update;  -- no new ones from here on
    if exists (select from public.chat_turns t where t.trace_id = p_trace_id and t.ended_at is null) then
        raise exception 'A conversation about this trace is still answering: stop it first.' using errcode = 'PT409';
    end if;
    return query
        select m.content_image_path
        from public.chat_messages m join public.chat_sessions s on s.id = m.session_id
        where s.trace_id = p_trace_id and m.content_image_path is not null;
    delete from public.traces t where t.id = p_trace_id;
end
$$;

-- As before, for who may write in its account.
create or replace function public.share_trace(p_user_id uuid, p_trace_id uuid, p_token_hash text)
returns void
language plpgsql
set search_path = ''
as $$
begin
    perform flamechat_private.trace_to_change(p_user_id, p_trace_id);
    if p_token_hash is not null and not (flamechat_private.effective_plan(p_user_id)).allow_public_sharing then
        raise exception 'The % plan does not include sharing by link.', (flamechat_private.effective_plan(p_user_id)).name
            using errcode = 'PT403';
    end if;
    update public.traces set share_token_hash = p_token_hash where id = p_trace_id;
end
$$;

-- The note, if the user may change it: their own, and to take it off, an owner of the account too.
create function flamechat_private.note_to_change(
    p_user_id uuid, p_trace_id uuid, p_note_id uuid, p_removing boolean default false
)
returns uuid
language plpgsql stable
set search_path = ''
as $$
declare
    note public.trace_notes;
begin
    select n.* into note
    from public.trace_notes n
    where n.id = p_note_id and n.trace_id = p_trace_id
        and n.account_id in (select flamechat_private.accounts_of(p_user_id));
    if not found then
        raise exception 'There is no such note.' using errcode = 'PT404';
    end if;
    if flamechat_private.require_role(p_user_id, note.account_id, 'member') <> 'owner' and note.user_id <> p_user_id
        or note.user_id <> p_user_id and not p_removing then
        raise exception 'Only who wrote this note may change it; an owner of the account may delete it.'
            using errcode = 'PT403';
    end if;
    return note.id;
end
$$;

revoke all on all functions in schema flamechat_private from public, anon, authenticated;
grant execute on all functions in schema flamechat_private to service_role;
