-- A search of memories in one statement, whose cost follows the account and not the table. Its plans are made once a
-- connection: with them made anew each time, a search of a small account took longer to plan than to run.

-- The words of a question by which a large account is worth searching: without those that more than one in `p_rare` of its
-- newest memories have, which set none apart from the others; all of them where nothing else is left.
create function flamechat_private.selective_words_of(p_account_id uuid, p_text text, p_rare integer)
returns tsquery
language sql stable
set search_path = ''
as $$
    with sample as materialized (
        select m.search from public.memories m where m.account_id = p_account_id order by m.created_at desc limit 200
    ),
    words as (
        select ('''' || replace(replace(l.lexeme, '\', '\\'), '''', '''''') || '''')::tsquery as word
        from unnest(tsvector_to_array(to_tsvector('pg_catalog.english', p_text))) as l (lexeme)
    )
    select coalesce(
        (
            select string_agg(w.word::text, ' | ')::tsquery
            from words w
            where (select count(*) from sample s where s.search @@ w.word) * p_rare <= (select count(*) from sample)
        ),
        flamechat_private.any_word_of(p_text)
    )
$$;

do $$
begin
    if to_regclass('public.memory_embeddings') is null then
        execute $function$
            create function flamechat_private.memory_distances(
                p_account_id uuid, p_ids uuid[], p_model text, p_vector text
            )
            returns table (memory_id uuid, distance double precision)
            language sql immutable
            set search_path = ''
            as $body$ select null::uuid, null::double precision where false $body$
        $function$;
        execute $function$
            create function flamechat_private.nearest_of_many(
                p_user_id uuid, p_account_id uuid, p_model text, p_vector text, p_kinds text[], p_session_id uuid,
                p_since timestamptz, p_without_turns uuid[], p_most integer
            )
            returns setof uuid
            language sql immutable
            set search_path = ''
            as $body$ select null::uuid where false $body$
        $function$;
        return;
    end if;
    -- Of all of an account's vectors of a model, or of those of some memories; none without a vector to compare with. All
    -- have length 1, so that one less their product is one less their cosine, for a third of the work.
    execute $function$
        create function flamechat_private.memory_distances(p_account_id uuid, p_ids uuid[], p_model text, p_vector text)
        returns table (memory_id uuid, distance double precision)
        language plpgsql stable
        set search_path = ''
        as $body$
        declare
            sought extensions.halfvec := p_vector::extensions.halfvec;
            n integer := extensions.vector_dims(sought);
        begin
            if p_vector is null then
                return;
            elsif p_ids is null then
                return query select e.memory_id, 1 + (e.embedding operator(extensions.<#>) sought)
                from public.memory_embeddings e
                where e.account_id = p_account_id and e.model = p_model and e.dimensions = n;
            else
                return query select e.memory_id, 1 + (e.embedding operator(extensions.<#>) sought)
                from public.memory_embeddings e
                where e.memory_id = any(p_ids) and e.account_id = p_account_id and e.model = p_model and e.dimensions = n;
            end if;
        end
        $body$
    $function$;
    execute $function$
        create function flamechat_private.nearest_of_many(
            p_user_id uuid, p_account_id uuid, p_model text, p_vector text, p_kinds text[], p_session_id uuid,
            p_since timestamptz, p_without_turns uuid[], p_most integer
        )
        returns setof uuid
        language sql
        set search_path = ''
        as $body$
            select n.memory_id
            from flamechat_private.nearest_by_index(
                p_user_id, p_account_id, p_model, p_vector::extensions.halfvec, p_kinds, p_session_id, p_since,
                p_without_turns, p_most
            ) n
            where p_vector is not null
        $body$
    $function$;
end
$$;

-- Memories that the user may read and a question may mean, by its words and its vector, with the cosine of those that have
-- one, and among how many they are, counted as far as p_exact. Up to so many every one is looked at; beyond, the indexes are
-- asked. Without a question the newest.
-- Those of a small account are counted as they are read, and beforehand only those of the account, which its index has. Of a
-- large account in which few fit (one conversation's) these alone are compared.
create function flamechat_private.sought_memories(
    p_user_id uuid, p_account_id uuid, p_query text, p_model text, p_vector text, p_kinds text[], p_session_id uuid,
    p_since timestamptz, p_without_turns uuid[], p_by_words integer, p_by_meaning integer, p_exact integer,
    p_selective integer
)
returns table (memory_id uuid, cosine real, among integer)
language plpgsql
set search_path = ''
set plan_cache_mode = force_generic_plan
as $$
declare
    counted integer;
    is_large boolean;
    asked tsquery;
    found_ids uuid[];
begin
    select count(*) into counted
    from (select from public.memories m where m.account_id = p_account_id limit p_exact + 1) of_account;
    is_large := counted > p_exact;
    if is_large then
        select count(*) into counted
        from (
            select
            from flamechat_private.readable_memories m
            where m.reader_id = p_user_id and m.account_id = p_account_id
                and (p_kinds is null or m.kind = any(p_kinds)) and (p_session_id is null or m.session_id = p_session_id)
                and (p_since is null or m.created_at >= p_since) and (m.turn_id is null or m.turn_id <> all(p_without_turns))
            limit p_exact + 1
        ) fit;
    end if;
    if p_query = '' then
        return query
            select m.id, null::real, counted
            from flamechat_private.readable_memories m
            where m.reader_id = p_user_id and m.account_id = p_account_id
                and (p_kinds is null or m.kind = any(p_kinds)) and (p_session_id is null or m.session_id = p_session_id)
                and (p_since is null or m.created_at >= p_since)
                and (m.turn_id is null or m.turn_id <> all(p_without_turns))
            order by m.created_at desc, m.id
            limit p_by_words;
    elsif counted <= p_exact then
        asked := flamechat_private.any_word_of(p_query);
        return query
            with mine as materialized (
                select m.id, m.search, m.created_at
                from flamechat_private.readable_memories m
                where m.reader_id = p_user_id and m.account_id = p_account_id
                    and (p_kinds is null or m.kind = any(p_kinds))
                    and (p_session_id is null or m.session_id = p_session_id)
                    and (p_since is null or m.created_at >= p_since)
                    and (m.turn_id is null or m.turn_id <> all(p_without_turns))
            ),
            distances as materialized (
                select d.memory_id as id, d.distance
                from flamechat_private.memory_distances(
                    p_account_id, case when is_large then array(select mine.id from mine) end, p_model, p_vector
                ) d
            ),
            met as (
                (
                    select mine.id from mine
                    where mine.search @@ asked
                    order by ts_rank(mine.search, asked) desc, mine.created_at desc, mine.id
                    limit p_by_words
                )
                union
                (
                    select mine.id from mine join distances d on d.id = mine.id
                    order by d.distance, mine.id
                    limit p_by_meaning
                )
            )
            select met.id, (1 - d.distance)::real, (select count(*)::integer from mine)
            from met left join distances d on d.id = met.id;
    else
        asked := flamechat_private.selective_words_of(p_account_id, p_query, 20);
        found_ids := array(
            select by_words.id
            from (
                select m.id, m.search, m.created_at
                from flamechat_private.readable_memories m
                where m.search @@ asked and m.reader_id = p_user_id and m.account_id = p_account_id
                    and (p_kinds is null or m.kind = any(p_kinds))
                    and (p_session_id is null or m.session_id = p_session_id)
                    and (p_since is null or m.created_at >= p_since)
                    and (m.turn_id is null or m.turn_id <> all(p_without_turns))
                limit p_selective
            ) by_words
            order by ts_rank(by_words.search, asked) desc, by_words.created_at desc, by_words.id
            limit p_by_words
        );
        found_ids := array(
            select unnest(found_ids)
            union
            select n.id
            from flamechat_private.nearest_of_many(
                p_user_id, p_account_id, p_model, p_vector, p_kinds, p_session_id, p_since, p_without_turns, p_by_meaning
            ) as n (id)
        );
        return query
            select one.id, (1 - d.distance)::real, counted
            from unnest(found_ids) as one (id)
            left join flamechat_private.memory_distances(p_account_id, found_ids, p_model, p_vector) d
                on d.memory_id = one.id;
    end if;
end
$$;

revoke all on all functions in schema flamechat_private from public, anon, authenticated;
grant execute on all functions in schema flamechat_private to service_role;
