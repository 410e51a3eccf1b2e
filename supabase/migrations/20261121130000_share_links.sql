-- Links by which anyone may read one trace. Only a hash of the link's token is stored: who reads the table cannot follow it.

-- Puts a link on a trace (`p_token_hash`, hex of SHA-256), in place of an earlier one, or takes it off (null). PT403 when
-- the user's plan includes no sharing.
create function public.share_trace(p_user_id uuid, p_trace_id uuid, p_token_hash text)
returns void
language plpgsql
set search_path = ''
as $$
begin
    if not exists (
        select from public.traces t
        where t.id = p_trace_id and t.account_id in (select flamechat_private.accounts_of(p_user_id, p_writing => true))
    ) then
        raise exception 'There is no such trace.' using errcode = 'PT404';
    elsif p_token_hash is not null and not (flamechat_private.effective_plan(p_user_id)).allow_public_sharing then
        raise exception 'The % plan does not include sharing by link.', (flamechat_private.effective_plan(p_user_id)).name
            using errcode = 'PT403';
    end if;
    update public.traces set share_token_hash = p_token_hash where id = p_trace_id;
end
$$;

-- The trace behind a link, while its maker's plan includes sharing.
create function public.shared_trace(p_token_hash text)
returns setof public.traces
language sql stable
set search_path = ''
as $$
    select t.*
    from public.traces t
    where t.share_token_hash = p_token_hash
        and (t.expires_at is null or t.expires_at > now())
        and (flamechat_private.effective_plan(t.user_id)).allow_public_sharing
$$;

revoke all on function public.share_trace(uuid, uuid, text), public.shared_trace(text) from public, anon, authenticated;
grant execute on function public.share_trace(uuid, uuid, text), public.shared_trace(text) to service_role;
