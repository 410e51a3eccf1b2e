-- name: add_knowledge
-- The function decides whether the caller may, and whether there is room.
select * from public.add_knowledge(
    %(user_id)s, %(account_id)s, %(name)s, %(version)s, %(sha256)s, %(bytes)s, %(chunks)s, %(most)s
)

-- name: knowledge_documents
-- The account's, and ours.
select distinct on (d.account_id is null, d.name, d.id) d.*
from flamechat_private.readable_documents d
where d.reader_id = %(user_id)s and d.of_account = %(account_id)s
order by d.account_id is null, d.name, d.id

-- name: remove_knowledge
-- One of the account's.
delete from public.knowledge_documents d
using flamechat_private.readable_documents r
where d.id = %(document_id)s and r.id = d.id and r.reader_id = %(user_id)s and r.of_account = %(account_id)s
    and r.may_write
returning d.*

-- name: passages_by_words
-- The best by PostgreSQL's own rank.
select c.id, c.heading, c.text, c.words, d.name, d.account_id is null as is_ours
from public.knowledge_chunks c
join flamechat_private.readable_documents d on d.id = c.document_id
where d.reader_id = %(user_id)s and d.of_account = %(account_id)s
    and c.search @@ flamechat_private.any_word_of(%(query)s)
order by ts_rank(c.search, flamechat_private.any_word_of(%(query)s)) desc, c.id
limit %(most)s

-- name: passages_by_number
-- As answers cite them.
select c.id, c.heading, c.text, c.words, d.name, d.account_id is null as is_ours
from public.knowledge_chunks c
join flamechat_private.readable_documents d on d.id = c.document_id
where d.reader_id = %(user_id)s and d.of_account = %(account_id)s and c.id = any(%(ids)s)
order by c.id
