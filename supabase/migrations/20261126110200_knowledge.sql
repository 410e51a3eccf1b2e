-- Knowledge: documents that answers cite. Those of nobody's account are Flamechat's own documentation.

create table public.knowledge_documents (
    id uuid primary key default gen_random_uuid(),
    account_id uuid references public.accounts on delete cascade,
    name text not null check (char_length(name) between 1 and 200),
    version text not null default '',
    sha256 text not null check (sha256 ~ '^[0-9a-f]{64}$'),
    bytes integer not null check (bytes between 1 and 1048576),
    uploaded_by uuid,
    created_at timestamptz not null default now()
);
create unique index knowledge_documents_by_name on public.knowledge_documents (account_id, name) nulls not distinct;
comment on column public.knowledge_documents.account_id is 'Null for Flamechat''s own documentation, which all may read.';

create table public.knowledge_chunks (
    id bigint generated always as identity primary key,
    document_id uuid not null references public.knowledge_documents on delete cascade,
    ordinal integer not null check (ordinal >= 0),
    heading text not null default '' check (char_length(heading) <= 300),
    text text not null check (char_length(text) between 1 and 6000),
    words text not null default '' check (char_length(words) <= 8000),
    search tsvector generated always as (
        setweight(to_tsvector('pg_catalog.english', heading), 'A') || to_tsvector('pg_catalog.english', text || ' ' || words)
    ) stored,
    unique (document_id, ordinal)
);
create index knowledge_chunks_by_words on public.knowledge_chunks using gin (search);
comment on column public.knowledge_chunks.id is 'An answer cites it as k and this number.';

alter table public.knowledge_documents enable row level security;
alter table public.knowledge_chunks enable row level security;
revoke all on public.knowledge_documents, public.knowledge_chunks from public, anon, authenticated;
grant select on public.knowledge_documents, public.knowledge_chunks to authenticated;
grant all on public.knowledge_documents, public.knowledge_chunks to service_role;
revoke all on sequence public.knowledge_chunks_id_seq from public, anon, authenticated;
create policy "everybody reads the documentation, members their account's documents" on public.knowledge_documents
    for select to authenticated using (account_id is null or account_id in (select public.my_account_ids()));
-- The policy above answers for the inner query.
create policy "people read what documents they read say" on public.knowledge_chunks
    for select to authenticated
    using (exists (select from public.knowledge_documents d where d.id = document_id));

-- Each document once for every user who may read it; `may_write` where they may change it.
create view flamechat_private.readable_documents with (security_invoker = true) as
select d.*, a.user_id as reader_id, a.account_id as of_account,
    d.account_id is not null and a.role in ('owner', 'member') as may_write
from public.knowledge_documents d
join public.account_members a on d.account_id is null or a.account_id = d.account_id;
revoke all on flamechat_private.readable_documents from public, anon, authenticated;
grant select on flamechat_private.readable_documents to service_role;

-- Puts a document in the place of the one of its name. Nothing is changed where its content is the same. PT404 for an
-- account in which the user may not write, PT400 past the number of documents that an account may have.
create function public.add_knowledge(
    p_user_id uuid, p_account_id uuid, p_name text, p_version text, p_sha256 text, p_bytes integer, p_chunks jsonb,
    p_most integer
)
returns setof public.knowledge_documents
language plpgsql
set search_path = ''
as $$
declare
    v_document public.knowledge_documents;
begin
    if p_account_id is not null then
        if p_account_id not in (select flamechat_private.accounts_of(p_user_id, p_writing => true)) then
            raise exception 'There is no such account.' using errcode = 'PT404';
        end if;
        perform from public.accounts a where a.id = p_account_id for update;
    else
        perform pg_advisory_xact_lock(hashtext('flamechat knowledge'));
    end if;
    select d.* into v_document from public.knowledge_documents d
    where d.account_id is not distinct from p_account_id and d.name = p_name;
    if found and v_document.sha256 = p_sha256 then
        return next v_document;
        return;
    end if;
    if not found and p_account_id is not null and (
        select count(*) from public.knowledge_documents d where d.account_id = p_account_id
    ) >= p_most then
        raise exception 'An account has at most % documents: remove one first.', p_most using errcode = 'PT400';
    end if;
    delete from public.knowledge_documents d where d.id = v_document.id;
    insert into public.knowledge_documents (account_id, name, version, sha256, bytes, uploaded_by)
    values (p_account_id, p_name, p_version, p_sha256, p_bytes, p_user_id)
    returning * into v_document;
    insert into public.knowledge_chunks (document_id, ordinal, heading, text, words)
    select v_document.id, c.ordinality - 1, c.chunk ->> 'heading', c.chunk ->> 'text', c.chunk ->> 'words'
    from jsonb_array_elements(p_chunks) with ordinality as c (chunk, ordinality);
    return next v_document;
end
$$;

revoke all on function public.add_knowledge(uuid, uuid, text, text, text, integer, jsonb, integer)
    from public, anon, authenticated;
grant execute on function public.add_knowledge(uuid, uuid, text, text, text, integer, jsonb, integer) to service_role;
