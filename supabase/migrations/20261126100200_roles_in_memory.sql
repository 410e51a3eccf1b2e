-- Who may decide what an account remembers, and note things on its traces: a viewer only reads, a member adds, and what
-- somebody else said is changed or struck by that person or an owner.

alter table public.accounts
    add column memory_decided_by text not null default 'members' check (memory_decided_by in ('members', 'owners'));
comment on column public.accounts.memory_decided_by is 'Who may let something into its memory: members, or owners alone.';

-- As before, with PT403 for a viewer.
create or replace function flamechat_private.lock_core_memory(p_user_id uuid, p_account_id uuid)
returns public.core_memories
language plpgsql
set search_path = ''
as $$
declare
    memory public.core_memories;
begin
    perform flamechat_private.require_role(p_user_id, p_account_id, 'member');
    insert into public.core_memories (account_id) values (p_account_id) on conflict do nothing;
    select * into memory from public.core_memories m where m.account_id = p_account_id for update;
    return memory;
end
$$;

-- Whose words a line of an account's memory is; null where that is not known.
create function flamechat_private.said_by(p_account_id uuid, p_line text)
returns uuid
language sql stable
set search_path = ''
as $$
    select c.by_user
    from public.core_memory_changes c
    where c.account_id = p_account_id
        and p_line = any(string_to_array(c.after, E'\n')) and p_line <> all(string_to_array(c.before, E'\n'))
    order by c.version desc
    limit 1
$$;

-- PT403 for a change that the user may not make in the account: any, where it keeps them to its owners, and else one that
-- strikes what somebody else said.
create function flamechat_private.check_memory_change(p_user_id uuid, p_account_id uuid, p_before text, p_after text)
returns void
language plpgsql stable
set search_path = ''
as $$
begin
    if flamechat_private.role_in(p_user_id, p_account_id) = 'owner' then
        return;
    elsif (select a.memory_decided_by from public.accounts a where a.id = p_account_id) = 'owners' then
        raise exception 'In this account only owners decide what is remembered.' using errcode = 'PT403';
    elsif exists (
        select from unnest(string_to_array(nullif(p_before, ''), E'\n')) as line
        where line <> all(string_to_array(p_after, E'\n'))
            and flamechat_private.said_by(p_account_id, line) is distinct from p_user_id
    ) then
        raise exception 'Only who said that, or an owner of the account, may change or strike it.' using errcode = 'PT403';
    end if;
end
$$;

-- As before, for who may.
create or replace function flamechat_private.change_core_memory(
    p_before public.core_memories, p_text text, p_by_user uuid, p_decided_by uuid, p_decision text, p_turn_id uuid
)
returns public.core_memories
language plpgsql
set search_path = ''
as $$
declare
    memory public.core_memories;
begin
    perform flamechat_private.check_memory_change(p_decided_by, p_before.account_id, p_before.text, p_text);
    if char_length(p_text) > 5000 then
        raise exception 'Memory has room for 5,000 characters: this is % too many.', char_length(p_text) - 5000
            using errcode = 'PT400';
    end if;
    update public.core_memories m
    set text = p_text, version = m.version + 1, updated_at = now(), updated_by = p_decided_by
    where m.account_id = p_before.account_id
    returning * into memory;
    insert into public.core_memory_changes (
        account_id, version, before, after, by_user, proposed_in_turn, decided_by, decision
    )
    values (
        memory.account_id, memory.version, p_before.text, memory.text, p_by_user, p_turn_id, p_decided_by, p_decision
    );
    return memory;
end
$$;

-- Names an account anew, and says who lets something into its memory; null leaves what is there.
drop function flamechat_private.rename_account(uuid, uuid, text);
create function flamechat_private.change_account(
    p_user_id uuid, p_account_id uuid, p_name text, p_memory_decided_by text
)
returns void
language plpgsql
set search_path = ''
as $$
begin
    perform flamechat_private.lock_account(p_user_id, p_account_id, p_shared => false);
    update public.accounts
    set name = coalesce(p_name, name), memory_decided_by = coalesce(p_memory_decided_by, memory_decided_by)
    where id = p_account_id;
end
$$;

-- As before, with PT403 for a viewer.
create or replace function public.add_trace_note(
    p_user_id uuid, p_trace_id uuid, p_note_id uuid, p_most integer, p_kind text, p_profile text, p_handle text,
    p_starts_at double precision, p_ends_at double precision, p_name text, p_file text, p_body text
)
returns setof public.trace_notes
language plpgsql
set search_path = ''
as $$
declare
    v_account_id uuid;
begin
    perform flamechat_private.trace_to_change(p_user_id, p_trace_id);
    select t.account_id into v_account_id from public.traces t where t.id = p_trace_id for update;
    if (select count(*) from public.trace_notes n where n.trace_id = p_trace_id) >= p_most then
        raise exception 'This trace has % notes, which is as many as one can have. Delete one first.', p_most
            using errcode = 'PT400';
    end if;
    return query
    insert into public.trace_notes
        (id, trace_id, account_id, user_id, kind, profile, handle, starts_at, ends_at, name, file, body)
    values (
        p_note_id, p_trace_id, v_account_id, p_user_id, p_kind, p_profile, p_handle, p_starts_at, p_ends_at, p_name,
        p_file, p_body
    )
    returning *;
end
$$;

revoke all on all functions in schema flamechat_private from public, anon, authenticated;
grant execute on all functions in schema flamechat_private to service_role;
