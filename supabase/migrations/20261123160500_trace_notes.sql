-- What people write on a trace: a text on a function, a call or a range of time. Notes belong to the trace and go with
-- it. As elsewhere `user_id` says who made one and holds no key.

create table public.trace_notes (
    id uuid primary key,
    trace_id uuid not null references public.traces on delete cascade,
    account_id uuid not null references public.accounts on delete cascade,
    user_id uuid not null,
    kind text not null check (kind in ('function', 'call', 'range')),
    profile text not null check (profile ~ '^p[0-9]{1,10}$'),
    handle text check (handle ~ '^[fs][0-9]{1,10}$'),
    starts_at double precision,
    ends_at double precision,
    name text not null check (char_length(name) <= 300),
    file text check (char_length(file) <= 1000),
    body text not null check (char_length(body) between 1 and 2000),
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp(),
    constraint a_range_has_ends check ((kind = 'range') = (starts_at is not null and ends_at is not null)),
    constraint what_is_no_range_has_a_handle check ((kind = 'range') = (handle is null))
);
create index trace_notes_by_trace on public.trace_notes (trace_id, created_at);
create index trace_notes_by_account on public.trace_notes (account_id);
create index trace_notes_by_user on public.trace_notes (user_id);
comment on column public.trace_notes.handle is 'Of the function (f12) or call (s3), as answers cite it.';
comment on column public.trace_notes.starts_at is 'On the axis of the profile.';
comment on column public.trace_notes.name is 'Of the function when the note was made: another version may number functions anew.';

alter table public.trace_notes enable row level security;
revoke all on public.trace_notes from public, anon, authenticated;
grant select on public.trace_notes to authenticated;
grant all on public.trace_notes to service_role;
create policy "members read their notes" on public.trace_notes
    for select to authenticated using (account_id in (select public.my_account_ids()));

-- Puts a note on a trace in which the user may write. PT400 when it has `p_most` already, counted under the trace's lock.
create function public.add_trace_note(
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
    select t.account_id into v_account_id
    from public.traces t
    where t.id = p_trace_id and t.account_id in (select flamechat_private.accounts_of(p_user_id, p_writing => true))
    for update;
    if v_account_id is null then
        raise exception 'There is no such trace.' using errcode = 'PT404';
    elsif (select count(*) from public.trace_notes n where n.trace_id = p_trace_id) >= p_most then
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

revoke all on function public.add_trace_note(
    uuid, uuid, uuid, integer, text, text, text, double precision, double precision, text, text, text
) from public, anon, authenticated;
grant execute on function public.add_trace_note(
    uuid, uuid, uuid, integer, text, text, text, double precision, double precision, text, text, text
) to service_role;
