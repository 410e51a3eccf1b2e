-- Core memory: a few facts of an account that stand in every system prompt. A tool of the agent only proposes one; a
-- person's decision writes it.

create table public.core_memories (
    account_id uuid primary key references public.accounts on delete cascade,
    text text not null default '' check (char_length(text) <= 5000),
    initial_text text not null default '' check (char_length(initial_text) <= 5000),
    version integer not null default 0 check (version >= 0),
    updated_at timestamptz not null default now(),
    updated_by uuid
);
comment on column public.core_memories.text is 'Facts, one a line.';
comment on column public.core_memories.initial_text is 'What the account answered when it was first asked.';

create table public.core_memory_changes (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references public.accounts on delete cascade,
    version integer not null,
    before text not null,
    after text not null,
    by_user uuid,
    proposed_in_turn uuid references public.chat_turns on delete set null,
    decided_by uuid,
    decided_at timestamptz not null default now(),
    decision text not null check (decision in ('keep', 'edit', 'auto', 'undo', 'written')),
    unique (account_id, version)
);
create index core_memory_changes_by_turn on public.core_memory_changes (proposed_in_turn)
    where proposed_in_turn is not null;
comment on table public.core_memory_changes is 'Every version of a core memory, and who decided on it.';
comment on column public.core_memory_changes.by_user is 'Whose words they are; decided_by let them in.';

create table public.core_memory_proposals (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references public.accounts on delete cascade,
    session_id uuid not null references public.chat_sessions on delete cascade,
    turn_id uuid not null references public.chat_turns on delete cascade,
    user_id uuid not null,
    action text not null check (action in ('append', 'replace', 'forget')),
    old text,
    text text,
    span int4range,
    created_at timestamptz not null default now(),
    decision text check (decision in ('keep', 'edit', 'no', 'auto')),
    decided_by uuid,
    decided_at timestamptz,
    constraint an_action_has_its_lines
        check ((action = 'append') = (old is null) and (action = 'forget') = (text is null)),
    constraint a_decision_says_when check ((decision is null) = (decided_at is null))
);
create index core_memory_proposals_by_session on public.core_memory_proposals (session_id, created_at);
create index core_memory_proposals_by_turn on public.core_memory_proposals (turn_id);
create index core_memory_proposals_by_account on public.core_memory_proposals (account_id, user_id);
comment on column public.core_memory_proposals.span is 'Where in the prompt of its turn the fact stands, in characters.';

alter table public.core_memories enable row level security;
alter table public.core_memory_changes enable row level security;
alter table public.core_memory_proposals enable row level security;

revoke all on public.core_memories, public.core_memory_changes, public.core_memory_proposals
    from public, anon, authenticated;
grant select on public.core_memories, public.core_memory_changes, public.core_memory_proposals to authenticated;
grant all on public.core_memories, public.core_memory_changes, public.core_memory_proposals to service_role;

create policy "members read what is remembered" on public.core_memories
    for select to authenticated using (account_id in (select public.my_account_ids()));
create policy "members read how it came to be remembered" on public.core_memory_changes
    for select to authenticated using (account_id in (select public.my_account_ids()));
create policy "people read what was proposed to them" on public.core_memory_proposals
    for select to authenticated
    using (user_id = (select auth.uid()) and account_id in (select public.my_account_ids()));

-- The account's memory, locked until the transaction ends and made where it is missing. PT404 for an account in which the
-- user may not write.
create function flamechat_private.lock_core_memory(p_user_id uuid, p_account_id uuid)
returns public.core_memories
language plpgsql
set search_path = ''
as $$
declare
    memory public.core_memories;
begin
    if p_account_id not in (select flamechat_private.accounts_of(p_user_id, p_writing => true)) then
        raise exception 'There is no such account.' using errcode = 'PT404';
    end if;
    insert into public.core_memories (account_id) values (p_account_id) on conflict do nothing;
    select * into memory from public.core_memories m where m.account_id = p_account_id for update;
    return memory;
end
$$;

-- Puts a new text in the place of a locked memory's, with its row among the changes. PT400 when it is too long.
create function flamechat_private.change_core_memory(
    p_before public.core_memories, p_text text, p_by_user uuid, p_decided_by uuid, p_decision text, p_turn_id uuid
)
returns public.core_memories
language plpgsql
set search_path = ''
as $$
declare
    memory public.core_memories;
begin
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

-- What an account remembers; version 0 and no text where nothing was ever written. PT404 for another's account.
create function public.read_core_memory(p_user_id uuid, p_account_id uuid)
returns table (text text, version integer, updated_at timestamptz, updated_by uuid)
language plpgsql stable
set search_path = ''
as $$
begin
    if p_account_id not in (select flamechat_private.accounts_of(p_user_id)) then
        raise exception 'There is no such account.' using errcode = 'PT404';
    end if;
    return query
        select coalesce(m.text, ''), coalesce(m.version, 0), m.updated_at, m.updated_by
        from (select p_account_id as id) a
        left join public.core_memories m on m.account_id = a.id;
end
$$;

-- A person's own edit of the text, if `p_version` is the one that stands: of two editors the second changes nothing
-- (`written` is false) and reads what the first wrote.
create function public.write_core_memory(p_user_id uuid, p_account_id uuid, p_text text, p_version integer)
returns table (written boolean, text text, version integer, updated_at timestamptz, updated_by uuid)
language plpgsql
set search_path = ''
as $$
declare
    memory public.core_memories := flamechat_private.lock_core_memory(p_user_id, p_account_id);
    stands boolean := memory.version = p_version;
begin
    if stands and memory.text <> p_text then
        memory := flamechat_private.change_core_memory(memory, p_text, p_user_id, p_user_id, 'written', null);
    end if;
    return query select stands, memory.text, memory.version, memory.updated_at, memory.updated_by;
end
$$;

-- A change that a turn proposes to the person who asked. The same one again, while it is open, is the one that is there;
-- none when it was declined in the last 30 days. PT404 for a turn that is not the user's, PT400 when 20 of the
-- conversation are open.
create function public.propose_core_memory(
    p_user_id uuid, p_account_id uuid, p_session_id uuid, p_turn_id uuid, p_action text, p_old text, p_text text,
    p_span int4range
)
returns setof public.core_memory_proposals
language plpgsql
set search_path = ''
as $$
declare
    same public.core_memory_proposals;
begin
    perform flamechat_private.lock_core_memory(p_user_id, p_account_id);
    if not exists (
        select from public.chat_turns t
        where t.id = p_turn_id and t.session_id = p_session_id and t.account_id = p_account_id
            and t.user_id = p_user_id
    ) then
        raise exception 'There is no such question.' using errcode = 'PT404';
    end if;
    select p.* into same
    from public.core_memory_proposals p
    where p.account_id = p_account_id and p.user_id = p_user_id and p.action = p_action
        and p.old is not distinct from p_old and p.text is not distinct from p_text
        and (
            (p.session_id = p_session_id and p.decision is null) or p.turn_id = p_turn_id
            or (p.decision = 'no' and p.decided_at > now() - interval '30 days')
        )
    order by p.decision is not null, p.created_at desc
    limit 1;
    if found then
        if same.decision is distinct from 'no' then
            return next same;
        end if;
        return;
    end if;
    if (select count(*) from public.core_memory_proposals p
        where p.session_id = p_session_id and p.decision is null) >= 20 then
        raise exception 'Decide on what was proposed first: 20 facts of this conversation wait for you.'
            using errcode = 'PT400';
    end if;
    return query
        insert into public.core_memory_proposals as p (
            account_id, session_id, turn_id, user_id, action, old, text, span
        )
        values (p_account_id, p_session_id, p_turn_id, p_user_id, p_action, p_old, p_text, p_span)
        returning p.*;
end
$$;

-- What the person says of a proposal: `keep`, `edit` with a text in place of the proposed one, or `no`; `auto` is kept by
-- a setting, and `no` takes it back. Decided once: a second decision changes nothing. PT404 for what was proposed to
-- somebody else, PT400 where the line it is about is not there any more.
create function public.decide_core_memory(p_user_id uuid, p_proposal_id uuid, p_decision text, p_text text default null)
returns table (
    decision text, changed boolean, account_id uuid, memory_text text, version integer, updated_at timestamptz,
    updated_by uuid
)
language plpgsql
set search_path = ''
as $$
declare
    proposal public.core_memory_proposals;
    memory public.core_memories;
    lines text[];
    leaves text;
    comes text;
    place integer;
    undoes boolean;
    is_changed boolean := false;
begin
    select p.* into proposal from public.core_memory_proposals p where p.id = p_proposal_id and p.user_id = p_user_id;
    if not found then
        raise exception 'There is no such proposal.' using errcode = 'PT404';
    end if;
    memory := flamechat_private.lock_core_memory(p_user_id, proposal.account_id);
    select p.* into proposal from public.core_memory_proposals p where p.id = p_proposal_id for update;
    undoes := proposal.decision is not distinct from 'auto' and p_decision = 'no';
    if proposal.decision is null or undoes then
        leaves := case when undoes then proposal.text else proposal.old end;
        comes := case
            when undoes then proposal.old
            when p_decision = 'no' or proposal.action = 'forget' then null
            when p_decision = 'edit' then p_text
            else proposal.text
        end;
        if undoes or p_decision <> 'no' then
            lines := coalesce(string_to_array(nullif(memory.text, ''), E'\n'), '{}');
            place := array_position(lines, leaves);
            if leaves is not null and place is null and not undoes then
                raise exception 'That fact is not remembered any more.' using errcode = 'PT400';
            end if;
            if comes is not null and comes = any(lines) then
                comes := null;
            end if;
            if place is not null and comes is not null then
                lines[place] := comes;
            elsif place is not null then
                lines := lines[:place - 1] || lines[place + 1:];
            elsif comes is not null then
                lines := lines || comes;
            end if;
            if array_to_string(lines, E'\n') <> memory.text then
                memory := flamechat_private.change_core_memory(
                    memory, array_to_string(lines, E'\n'), p_user_id, p_user_id,
                    case when undoes then 'undo' else p_decision end, proposal.turn_id
                );
                is_changed := true;
            end if;
        end if;
        update public.core_memory_proposals p
        set decision = p_decision, decided_by = p_user_id, decided_at = now()
        where p.id = p_proposal_id;
        proposal.decision := p_decision;
    end if;
    return query
        select proposal.decision, is_changed, memory.account_id, memory.text, memory.version, memory.updated_at,
               memory.updated_by;
end
$$;

revoke all on function public.read_core_memory(uuid, uuid), public.write_core_memory(uuid, uuid, text, integer),
    public.propose_core_memory(uuid, uuid, uuid, uuid, text, text, text, int4range),
    public.decide_core_memory(uuid, uuid, text, text)
    from public, anon, authenticated;
grant execute on function public.read_core_memory(uuid, uuid), public.write_core_memory(uuid, uuid, text, integer),
    public.propose_core_memory(uuid, uuid, uuid, uuid, text, text, text, int4range),
    public.decide_core_memory(uuid, uuid, text, text)
    to service_role;
revoke all on all functions in schema flamechat_private from public, anon, authenticated;
grant execute on all functions in schema flamechat_private to service_role;
