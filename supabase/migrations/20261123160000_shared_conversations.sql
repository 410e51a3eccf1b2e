-- Links by which anyone may read one conversation with the chart of its trace. As with links of traces only a hash of the
-- token is stored. What of a conversation is shown, the server decides: these functions say which one it is.

alter table public.chat_sessions add column share_token_hash text unique;
comment on column public.chat_sessions.share_token_hash is 'Of the link that shows it to anyone, hex of SHA-256; null: none does.';

-- Puts a link on a conversation, in place of an earlier one, or takes it off (null). PT403 when the user's plan includes no
-- sharing.
create function public.share_chat_session(p_user_id uuid, p_session_id uuid, p_token_hash text)
returns void
language plpgsql
set search_path = ''
as $$
begin
    if not exists (
        select from public.chat_sessions s
        where s.id = p_session_id
            and s.account_id in (select flamechat_private.accounts_of(p_user_id, p_writing => true))
    ) then
        raise exception 'There is no such conversation.' using errcode = 'PT404';
    elsif p_token_hash is not null and not (flamechat_private.effective_plan(p_user_id)).allow_public_sharing then
        raise exception 'The % plan does not include sharing by link.', (flamechat_private.effective_plan(p_user_id)).name
            using errcode = 'PT403';
    end if;
    update public.chat_sessions set share_token_hash = p_token_hash where id = p_session_id;
end
$$;

-- The conversation behind a link, while its trace is there and its maker's plan includes sharing.
create function public.shared_chat_session(p_token_hash text)
returns setof public.chat_sessions
language sql stable
set search_path = ''
as $$
    select s.*
    from public.chat_sessions s
    join public.traces t on t.id = s.trace_id
    where s.share_token_hash = p_token_hash
        and (t.expires_at is null or t.expires_at > now())
        and (flamechat_private.effective_plan(s.user_id)).allow_public_sharing
$$;

-- The trace behind a link of its own, or behind that of a conversation about it.
create or replace function public.shared_trace(p_token_hash text)
returns setof public.traces
language sql stable
set search_path = ''
as $$
    select t.*
    from public.traces t
    where t.share_token_hash = p_token_hash
        and (t.expires_at is null or t.expires_at > now())
        and (flamechat_private.effective_plan(t.user_id)).allow_public_sharing
    union all
    select t.*
    from public.shared_chat_session(p_token_hash) s
    join public.traces t on t.id = s.trace_id
$$;

revoke all on function
    public.share_chat_session(uuid, uuid, text), public.shared_chat_session(text), public.shared_trace(text)
from public, anon, authenticated;
grant execute on function
    public.share_chat_session(uuid, uuid, text), public.shared_chat_session(text), public.shared_trace(text)
to service_role;
