-- Onboarding: what an account is asked when it remembers nothing yet. A person's answers are kept while they give them,
-- so that they go on where they were; confirmed, they are the account's memory.

create table public.core_memory_onboardings (
    account_id uuid not null references public.accounts on delete cascade,
    user_id uuid not null,
    state jsonb not null default '{}' check (octet_length(state::text) <= 60000),
    started_at timestamptz not null default now(),
    ended_at timestamptz,
    outcome text check (outcome in ('confirmed', 'declined')),
    primary key (account_id, user_id),
    constraint an_outcome_says_when check ((outcome is null) = (ended_at is null))
);
comment on table public.core_memory_onboardings is 'What a person has answered so far, and what became of it.';

alter table public.core_memory_onboardings enable row level security;
revoke all on public.core_memory_onboardings from public, anon, authenticated;
grant select on public.core_memory_onboardings to authenticated;
grant all on public.core_memory_onboardings to service_role;
create policy "people read what they answered" on public.core_memory_onboardings
    for select to authenticated
    using (user_id = (select auth.uid()) and account_id in (select public.my_account_ids()));

-- The person's onboarding; `was_offered` says whether anybody of the account has had one. PT404 for another's account.
create function public.read_onboarding(p_user_id uuid, p_account_id uuid)
returns table (state jsonb, outcome text, was_offered boolean)
language plpgsql stable
set search_path = ''
as $$
begin
    if p_account_id not in (select flamechat_private.accounts_of(p_user_id)) then
        raise exception 'There is no such account.' using errcode = 'PT404';
    end if;
    return query
        select o.state, o.outcome, exists (
            select from public.core_memory_onboardings any_of where any_of.account_id = p_account_id
        )
        from (select p_account_id as id) a
        left join public.core_memory_onboardings o on o.account_id = a.id and o.user_id = p_user_id;
end
$$;

-- Keeps what a person has answered so far, which begins anew what had ended. PT403 for a viewer.
create function public.keep_onboarding(p_user_id uuid, p_account_id uuid, p_state jsonb)
returns void
language plpgsql
set search_path = ''
as $$
begin
    perform flamechat_private.require_role(p_user_id, p_account_id, 'member');
    insert into public.core_memory_onboardings as o (account_id, user_id, state)
    values (p_account_id, p_user_id, p_state)
    on conflict (account_id, user_id) do update
    set state = excluded.state, outcome = null, ended_at = null,
        started_at = case when o.ended_at is null then o.started_at else now() end;
end
$$;

-- The end without a memory: it is not offered again. PT403 for a viewer.
create function public.decline_onboarding(p_user_id uuid, p_account_id uuid)
returns void
language plpgsql
set search_path = ''
as $$
begin
    perform flamechat_private.require_role(p_user_id, p_account_id, 'member');
    insert into public.core_memory_onboardings (account_id, user_id, outcome, ended_at)
    values (p_account_id, p_user_id, 'declined', now())
    on conflict (account_id, user_id) do update set state = '{}', outcome = 'declined', ended_at = now();
end
$$;

-- What a person confirmed becomes the account's memory, as write_core_memory writes it, with the answers as they were
-- given: all of it, or nothing where another version stands.
create function public.confirm_onboarding(
    p_user_id uuid, p_account_id uuid, p_text text, p_initial_text text, p_version integer
)
returns table (written boolean, text text, version integer, updated_at timestamptz, updated_by uuid)
language plpgsql
set search_path = ''
as $$
begin
    return query select w.* from public.write_core_memory(p_user_id, p_account_id, p_text, p_version) w;
    if exists (
        select from public.core_memories m where m.account_id = p_account_id and m.text = p_text
    ) then
        update public.core_memories m set initial_text = left(p_initial_text, 5000) where m.account_id = p_account_id;
        insert into public.core_memory_onboardings (account_id, user_id, outcome, ended_at)
        values (p_account_id, p_user_id, 'confirmed', now())
        on conflict (account_id, user_id) do update set state = '{}', outcome = 'confirmed', ended_at = now();
    end if;
end
$$;

revoke all on function public.read_onboarding(uuid, uuid), public.keep_onboarding(uuid, uuid, jsonb),
    public.decline_onboarding(uuid, uuid), public.confirm_onboarding(uuid, uuid, text, text, integer)
    from public, anon, authenticated;
grant execute on function public.read_onboarding(uuid, uuid), public.keep_onboarding(uuid, uuid, jsonb),
    public.decline_onboarding(uuid, uuid), public.confirm_onboarding(uuid, uuid, text, text, integer)
    to service_role;
