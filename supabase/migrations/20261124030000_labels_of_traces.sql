-- What run a trace is of: labels (branch, release, scenario) that people and programs give it, and its program, which is a
-- label of its own because histories are of one program.

create function flamechat_private.are_labels(p_labels jsonb)
returns boolean
language sql
immutable
set search_path = ''
as $$
    select case when jsonb_typeof(p_labels) = 'object' then (
        select count(*) <= 32 and coalesce(bool_and(
            l.key ~ '^[a-z0-9_.-]{1,40}$' and jsonb_typeof(l.value) = 'string'
            and char_length(l.value #>> '{}') between 1 and 200
        ), true)
        from jsonb_each(p_labels) l
    ) else false end
$$;
revoke all on function flamechat_private.are_labels(jsonb) from public, anon, authenticated;
grant execute on function flamechat_private.are_labels(jsonb) to service_role;

alter table public.traces
    add column labels jsonb not null default '{}',
    add column program text,
    add constraint labels_are_short_texts check (flamechat_private.are_labels(labels)),
    add constraint a_program_is_a_short_text check (char_length(program) between 1 and 200);
create index traces_by_program on public.traces (account_id, program, created_at desc);
create index traces_by_label on public.traces using gin (labels jsonb_path_ops);
comment on column public.traces.labels is 'branch, commit, release, scenario and others; a program has a column of its own.';
