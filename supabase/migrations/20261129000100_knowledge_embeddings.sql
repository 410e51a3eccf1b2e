-- Vectors of the parts of documents, beside them, as those of memories: several models may stand side by side. Where the
-- extension `vector` was not to be had, neither table nor index, and documents are found by their words.

do $$
declare
    n integer;
begin
    if to_regclass('public.memory_embeddings') is null then
        raise notice 'Memories have no vectors here: documents are found by their words.';
        return;
    end if;
    execute $table$
        create table public.knowledge_embeddings (
            chunk_id bigint not null references public.knowledge_chunks on delete cascade,
            model text not null check (char_length(model) between 1 and 200),
            dimensions integer not null check (dimensions between 1 and 4000),
            embedding extensions.halfvec not null,
            primary key (chunk_id, model),
            constraint a_vector_has_its_dimensions check (extensions.vector_dims(embedding) = dimensions)
        )
    $table$;
    execute 'alter table public.knowledge_embeddings alter column embedding set storage main';
    foreach n in array array[384, 512, 768, 1024, 1536] loop
        execute format(
            'create index knowledge_embeddings_near_%s on public.knowledge_embeddings
             using hnsw ((embedding::extensions.halfvec(%s)) extensions.halfvec_cosine_ops) where dimensions = %s',
            n, n, n
        );
    end loop;
    execute 'alter table public.knowledge_embeddings enable row level security';
    execute 'revoke all on public.knowledge_embeddings from public, anon, authenticated';
    execute 'grant all on public.knowledge_embeddings to service_role';
    execute $function$
        create function flamechat_private.nearest_parts_by_index(
            p_user_id uuid, p_account_id uuid, p_model text, p_vector extensions.halfvec, p_most integer
        )
        returns table (chunk_id bigint, cosine real)
        language plpgsql
        set search_path = ''
        as $body$
        declare
            n integer := extensions.vector_dims(p_vector);
        begin
            perform set_config('hnsw.iterative_scan', 'strict_order', true);
            return query execute format(
                'select e.chunk_id,
                    (1 - (e.embedding::extensions.halfvec(%1$s) operator(extensions.<=>) $4::extensions.halfvec(%1$s)))::real
                from public.knowledge_embeddings e
                join public.knowledge_chunks c on c.id = e.chunk_id
                join flamechat_private.readable_documents d on d.id = c.document_id
                where e.dimensions = %1$s and e.model = $3 and d.reader_id = $1 and d.of_account = $2
                order by e.embedding::extensions.halfvec(%1$s) operator(extensions.<=>) $4::extensions.halfvec(%1$s)
                limit $5',
                n
            ) using p_user_id, p_account_id, p_model, p_vector, p_most;
        end
        $body$
    $function$;
    execute 'revoke all on all functions in schema flamechat_private from public, anon, authenticated';
    execute 'grant execute on all functions in schema flamechat_private to service_role';
    execute $comment$
        comment on table public.knowledge_embeddings is
            'What parts of documents mean, as a model has it; the server alone reads it.'
    $comment$;
end
$$;
