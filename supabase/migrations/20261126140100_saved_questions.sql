-- Questions over recordings that an account keeps, to be asked again: what is asked, never an answer. As elsewhere
-- `created_by` says who made one and holds no key.

create table public.saved_questions (
    id uuid primary key,
    account_id uuid not null references public.accounts on delete cascade,
    name text not null check (char_length(name) between 1 and 120),
    question jsonb not null check (pg_column_size(question) <= 32768),
    created_by uuid not null,
    created_at timestamptz not null default clock_timestamp(),
    updated_at timestamptz not null default clock_timestamp()
);
create index saved_questions_by_account on public.saved_questions (account_id, created_at);
create index saved_questions_by_user on public.saved_questions (created_by);
comment on column public.saved_questions.question is 'By the closed schema of questions; its form says which.';

alter table public.saved_questions enable row level security;
revoke all on public.saved_questions from public, anon, authenticated;
grant select on public.saved_questions to authenticated;
grant all on public.saved_questions to service_role;
create policy "members read their saved questions" on public.saved_questions
    for select to authenticated using (account_id in (select public.my_account_ids()));

-- Keeps a question. PT400 when the account has `p_most` already, counted under the account's lock.
create function public.save_question(
    p_user_id uuid, p_account_id uuid, p_question_id uuid, p_most integer, p_name text, p_question jsonb
)
returns setof public.saved_questions
language plpgsql
set search_path = ''
as $$
begin
    perform from public.accounts a
    where a.id = p_account_id and a.id in (select flamechat_private.accounts_of(p_user_id, p_writing => true))
    for update;
    if not found then
        raise exception 'There is no such account.' using errcode = 'PT404';
    elsif (select count(*) from public.saved_questions q where q.account_id = p_account_id) >= p_most then
        raise exception 'There are % saved questions, which is as many as can be kept. Delete one first.', p_most
            using errcode = 'PT400';
    end if;
    return query
    insert into public.saved_questions (id, account_id, name, question, created_by)
    values (p_question_id, p_account_id, p_name, p_question, p_user_id)
    returning *;
end
$$;
revoke all on function public.save_question(uuid, uuid, uuid, integer, text, jsonb) from public, anon, authenticated;
grant execute on function public.save_question(uuid, uuid, uuid, integer, text, jsonb) to service_role;

-- Of the library's rows: what makes a field stands in the statements, and no function goes by the caller's search path.
drop function flamechat_private.csv(text);
alter function flamechat_private.runs_of_search(uuid, uuid, jsonb, text, timestamptz) set search_path = '';
