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

-- name: parts_have_vectors
-- Whether the migrations found the extension.
select to_regclass('public.knowledge_embeddings') is not null as kept

-- name: parts_counted
-- How many the user may read.
select count(*) as among
from public.knowledge_chunks c
join flamechat_private.readable_documents d on d.id = c.document_id
where d.reader_id = %(user_id)s and d.of_account = %(account_id)s

-- name: nearest_parts
-- Every vector that the user may read is looked at.
select e.chunk_id, (1 - (e.embedding operator(extensions.<=>) %(vector)s::extensions.halfvec))::real as cosine
from public.knowledge_embeddings e
join public.knowledge_chunks c on c.id = e.chunk_id
join flamechat_private.readable_documents d on d.id = c.document_id
where d.reader_id = %(user_id)s and d.of_account = %(account_id)s and e.model = %(model)s and e.dimensions = %(dimensions)s
order by e.embedding operator(extensions.<=>) %(vector)s::extensions.halfvec
limit %(most)s

-- name: nearest_parts_by_index
-- Of an account that reads many.
select n.chunk_id, n.cosine
from flamechat_private.nearest_parts_by_index(
    %(user_id)s, %(account_id)s, %(model)s, %(vector)s::extensions.halfvec, %(most)s
) n

-- name: part_without_vector
-- One row where any that the user may read has none.
select true
from public.knowledge_chunks c
join flamechat_private.readable_documents d on d.id = c.document_id
where d.reader_id = %(user_id)s and d.of_account = %(account_id)s
    and not exists (select from public.knowledge_embeddings e where e.chunk_id = c.id and e.model = %(model)s)
limit 1

-- name: parts_without_vector
-- Of one model.
select c.id, c.heading, c.text
from public.knowledge_chunks c
where not exists (select from public.knowledge_embeddings e where e.chunk_id = c.id and e.model = %(model)s)
order by c.id
limit %(most)s

-- name: keep_vector_of_part
-- Unless the document has gone.
insert into public.knowledge_embeddings (chunk_id, model, dimensions, embedding)
select c.id, %(model)s, %(dimensions)s, %(vector)s::extensions.halfvec
from public.knowledge_chunks c
where c.id = %(part_id)s
for key share of c
on conflict (chunk_id, model) do update set embedding = excluded.embedding, dimensions = excluded.dimensions
