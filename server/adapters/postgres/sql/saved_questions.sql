-- name: saved_questions
-- Of the caller's account, by name.
select * from public.saved_questions q
where q.account_id = %(account_id)s and q.account_id in (select flamechat_private.accounts_of(%(user_id)s))
order by lower(q.name), q.id

-- name: save_question
-- The function decides whether the caller may, and whether there is room.
select * from public.save_question(%(user_id)s, %(account_id)s, %(question_id)s, %(most)s, %(name)s, %(question)s)

-- name: change_saved_question
-- Another name, another question, or both.
update public.saved_questions
set name = coalesce(%(name)s::text, name), question = coalesce(%(question)s::jsonb, question),
    updated_at = clock_timestamp()
where id = %(question_id)s and account_id = %(account_id)s
    and account_id in (select flamechat_private.accounts_of(%(user_id)s, p_writing => true))
returning *

-- name: remove_saved_question
-- For good.
delete from public.saved_questions
where id = %(question_id)s and account_id = %(account_id)s
    and account_id in (select flamechat_private.accounts_of(%(user_id)s, p_writing => true))
returning id
