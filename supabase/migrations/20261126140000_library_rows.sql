-- Rows leave for queries over many traces as comma-separated values: one text a trace, whatever the number of its rows.

create function flamechat_private.csv(said text) returns text
language sql immutable parallel safe
as $$ select coalesce('"' || replace(said, '"', '""') || '"', '') $$;
comment on function flamechat_private.csv(text) is 'A text as a field, in quotes; null is a field without any.';
revoke all on function flamechat_private.csv(text) from public, anon, authenticated;
grant execute on function flamechat_private.csv(text) to service_role;

create function flamechat_private.runs_of_search(
    for_user uuid, of_account uuid, wanted_labels jsonb, wanted_program text, since timestamptz
) returns setof public.traces
language sql stable
as $$
    select t.* from public.traces t
    where t.account_id = of_account and t.account_id in (select flamechat_private.accounts_of(for_user))
        and (wanted_program is null or t.program = wanted_program)
        and t.labels @> wanted_labels
        and (since is null or t.created_at >= since)
$$;
comment on function flamechat_private.runs_of_search(uuid, uuid, jsonb, text, timestamptz) is
    'The traces of an account that a member means by labels, program and time.';
revoke all on function flamechat_private.runs_of_search(uuid, uuid, jsonb, text, timestamptz) from public, anon, authenticated;
grant execute on function flamechat_private.runs_of_search(uuid, uuid, jsonb, text, timestamptz) to service_role;
