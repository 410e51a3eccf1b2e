-- Vectors of memories, beside them: several models may stand side by side. A PostgreSQL without the extension `vector`
-- (0.7 or newer, for `halfvec`) gets neither table nor index, and everything is found by words.

do $$
declare
    n integer;
begin
    if not exists (
        select from pg_catalog.pg_available_extension_versions v
        where v.name = 'vector' and string_to_array(regexp_replace(v.version, '[^0-9.]', '', 'g'), '.')::int[] >= array[0, 7]
    ) then
        raise notice 'No extension `vector` 0.7 or newer is here: memories are found by their words.';
        return;
    end if;
    create schema if not exists extensions;
    begin
        create extension if not exists vector with schema extensions;
    exception when insufficient_privilege then
        raise notice 'The extension `vector` may not be made here: memories are found by their words.';
        return;
    end;
    execute 'grant usage on schema extensions to service_role, authenticated';
    execute $table$
        create table public.memory_embeddings (
            memory_id uuid not null references public.memories on delete cascade,
            model text not null check (char_length(model) between 1 and 200),
            account_id uuid not null references public.accounts on delete cascade,
            dimensions integer not null check (dimensions between 1 and 4000),
            embedding extensions.halfvec not null,
            primary key (memory_id, model),
            constraint a_vector_has_its_dimensions check (extensions.vector_dims(embedding) = dimensions)
        )
    $table$;
    -- Uncompressed storage keeps a vector in its row, so that a scan of an account reads no second place.
    execute 'alter table public.memory_embeddings alter column embedding set storage main';
    execute 'create index memory_embeddings_by_account on public.memory_embeddings (account_id, model)';
    foreach n in array array[384, 512, 768, 1024, 1536] loop
        execute format(
            'create index memory_embeddings_near_%s on public.memory_embeddings
             using hnsw ((embedding::extensions.halfvec(%s)) extensions.halfvec_cosine_ops) where dimensions = %s',
            n, n, n
        );
    end loop;
    execute 'alter table public.memory_embeddings enable row level security';
    execute 'revoke all on public.memory_embeddings from public, anon, authenticated';
    execute 'grant all on public.memory_embeddings to service_role';
    execute $function$
        create function flamechat_private.nearest_by_index(
            p_user_id uuid, p_account_id uuid, p_model text, p_vector extensions.halfvec, p_kinds text[],
            p_session_id uuid, p_since timestamptz, p_without_turns uuid[], p_most integer
        )
        returns table (memory_id uuid, cosine real)
        language plpgsql
        set search_path = ''
        as $body$
        declare
            n integer := extensions.vector_dims(p_vector);
        begin
            perform set_config('hnsw.iterative_scan', 'strict_order', true);
            return query execute format(
                'select e.memory_id,
                    (1 - (e.embedding::extensions.halfvec(%1$s) operator(extensions.<=>) $4::extensions.halfvec(%1$s)))::real
                from public.memory_embeddings e
                join flamechat_private.readable_memories m on m.id = e.memory_id
                where e.dimensions = %1$s and e.account_id = $2 and e.model = $3
                    and m.reader_id = $1 and m.account_id = $2
                    and ($5 is null or m.kind = any($5))
                    and ($6 is null or m.session_id = $6)
                    and ($7 is null or m.created_at >= $7)
                    and (m.turn_id is null or m.turn_id <> all($8))
                order by e.embedding::extensions.halfvec(%1$s) operator(extensions.<=>) $4::extensions.halfvec(%1$s)
                limit $9',
                n
            ) using p_user_id, p_account_id, p_model, p_vector, p_kinds, p_session_id, p_since, p_without_turns, p_most;
        end
        $body$
    $function$;
    execute 'revoke all on all functions in schema flamechat_private from public, anon, authenticated';
    execute 'grant execute on all functions in schema flamechat_private to service_role';
    execute $comment$
        comment on table public.memory_embeddings is 'What memories mean, as a model has it; the server alone reads it.'
    $comment$;
end
$$;
