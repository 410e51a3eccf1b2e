-- Keys for programs. A key acts for its account, within what its maker may do there at that moment; of its secret only the
-- hash is kept. What a plan allows of keys is decided here, as all its limits are.

alter table public.subscription_plans
    add column api_keys_limit integer check (api_keys_limit >= 0),
    add column api_requests_per_minute integer check (api_requests_per_minute >= 1);
comment on column public.subscription_plans.api_keys_limit is 'Keys of one user that work, in all their accounts.';
comment on column public.subscription_plans.api_requests_per_minute is
    'By all keys of one user together, in any 60 seconds and over all processes.';
update public.subscription_plans set api_keys_limit = 2, api_requests_per_minute = 60 where name = 'free';
update public.subscription_plans set api_keys_limit = 20, api_requests_per_minute = 600 where name = 'pro';

create table public.api_keys (
    id uuid primary key default gen_random_uuid(),
    account_id uuid not null references public.accounts on delete cascade,
    name text not null check (char_length(name) between 1 and 80),
    prefix text not null unique check (prefix ~ '^[a-z0-9]{10}$'),
    hash text not null check (hash ~ '^[0-9a-f]{64}$'),
    scopes text[] not null check (
        cardinality(scopes) > 0
        and scopes <@ array['traces:read', 'traces:write', 'render', 'ask', 'gate', 'questions']
    ),
    created_by uuid not null,
    created_at timestamptz not null default now(),
    last_used_at timestamptz,
    expires_at timestamptz,
    revoked_at timestamptz
);
create index api_keys_by_account on public.api_keys (account_id);
create index api_keys_by_maker on public.api_keys (created_by);
comment on column public.api_keys.prefix is 'The part of a key that is no secret: by it a key is found and named.';
comment on column public.api_keys.hash is 'SHA-256 of the secret, which has 256 random bits and so needs no salt.';
comment on column public.api_keys.created_by is 'Whose rights bound the key''s, and whose plan it counts on.';

-- Members see their account's keys, and of no key its hash; nobody but the server writes.
alter table public.api_keys enable row level security;
revoke all on public.api_keys from public, anon, authenticated;
grant select (
    id, account_id, name, prefix, scopes, created_by, created_at, last_used_at, expires_at, revoked_at
) on public.api_keys to authenticated;
grant all on public.api_keys to service_role;
create policy "members read their keys" on public.api_keys
    for select to authenticated using (account_id in (select public.my_account_ids()));

-- How many requests the keys of a user sent in each second of the last minute: as exact as the second, and never more than
-- the plan allows in any 60 s. Lost in a crash, which lets nobody do harm.
create unlogged table flamechat_private.api_request_seconds (
    user_id uuid primary key,
    seconds bigint[] not null default '{}',
    requests integer[] not null default '{}'
);
alter table flamechat_private.api_request_seconds enable row level security;
revoke all on flamechat_private.api_request_seconds from public, anon, authenticated;
grant select, insert, update, delete on flamechat_private.api_request_seconds to service_role;
create policy "the server alone" on flamechat_private.api_request_seconds to service_role using (true) with check (true);

-- Counts a request of a user's keys. Returns null where it may be answered, else in how many seconds there is room.
create function flamechat_private.take_api_request(p_user_id uuid, p_most integer)
returns integer
language plpgsql
set search_path = ''
as $$
declare
    v_seconds bigint[];
    v_requests integer[];
    v_now double precision;
    v_second bigint;
    v_count bigint;
begin
    insert into flamechat_private.api_request_seconds (user_id) values (p_user_id) on conflict do nothing;
    perform from flamechat_private.api_request_seconds s where s.user_id = p_user_id for update;
    v_now := extract(epoch from clock_timestamp());  -- once the lock is ours: those before us have counted
    v_second := floor(v_now);
    select coalesce(array_agg(u.second order by u.second), '{}'), coalesce(array_agg(u.requests order by u.second), '{}'),
           coalesce(sum(u.requests), 0)
    into v_seconds, v_requests, v_count
    from flamechat_private.api_request_seconds s, unnest(s.seconds, s.requests) as u (second, requests)
    where s.user_id = p_user_id and u.second >= v_second - 60;
    if v_count >= p_most then
        return ceil(v_seconds[1] + 61 - v_now);
    end if;
    if v_seconds[cardinality(v_seconds)] = v_second then
        v_requests[cardinality(v_requests)] := v_requests[cardinality(v_requests)] + 1;
    else
        v_seconds := v_seconds || v_second;
        v_requests := v_requests || 1;
    end if;
    update flamechat_private.api_request_seconds s set seconds = v_seconds, requests = v_requests
    where s.user_id = p_user_id;
    return null;
end
$$;

-- Whether a user may do something in an account now, and whether also add and change. Where roles are decided, this asks.
create function flamechat_private.may_act_in(p_user_id uuid, p_account_id uuid, p_writing boolean)
returns boolean
language sql stable
set search_path = ''
as $$
    select p_account_id in (select flamechat_private.accounts_of(p_user_id, p_writing))
$$;

-- The keys of a user that work.
create function flamechat_private.working_api_keys(p_user_id uuid)
returns integer
language sql stable
set search_path = ''
as $$
    select count(*)::integer from public.api_keys k
    where k.created_by = p_user_id and k.revoked_at is null and (k.expires_at is null or k.expires_at > now())
$$;

-- Keeps a new key, if its maker may have one more and may write in the account. The refusal's detail is that of uploads.
create function public.create_api_key(
    p_user_id uuid, p_account_id uuid, p_name text, p_prefix text, p_hash text, p_scopes text[], p_expires_at timestamptz
)
returns public.api_keys
language plpgsql
set search_path = ''
as $$
declare
    plan public.subscription_plans;
    working integer;
    made public.api_keys;
begin
    if not flamechat_private.may_act_in(p_user_id, p_account_id, false) then
        raise exception 'There is no account %.', p_account_id using errcode = 'PT404';
    elsif not flamechat_private.may_act_in(p_user_id, p_account_id, true) then
        raise exception 'Whoever may only read in an account makes no keys for it.' using errcode = 'PT403';
    end if;
    perform flamechat_private.lock_subscription(p_user_id);
    plan := flamechat_private.effective_plan(p_user_id);
    working := flamechat_private.working_api_keys(p_user_id);
    if working >= plan.api_keys_limit then
        raise exception 'The % plan has % keys.', plan.name, plan.api_keys_limit
            using errcode = 'PT402', detail = jsonb_build_object(
                'allowed', false, 'limit_type', 'api_keys', 'used', working, 'limit', plan.api_keys_limit,
                'plan_name', plan.name, 'resets_at', null
            );
    end if;
    insert into public.api_keys (account_id, name, prefix, hash, scopes, created_by, expires_at)
    values (p_account_id, p_name, p_prefix, p_hash, p_scopes, p_user_id, p_expires_at)
    returning * into made;
    return made;
end
$$;

-- The key that a program shows, and whether its request may be answered: `standing` is ok, revoked, expired, left (its maker
-- is no member any more) or too_many (then with the seconds until there is room). No row for a key that is none.
create function public.use_api_key(p_prefix text, p_hash text)
returns table (
    id uuid, name text, account_id uuid, user_id uuid, scopes text[], created_at timestamptz,
    expires_at timestamptz, standing text,
    plan_name text, requests_limit integer, retry_after_s integer
)
language plpgsql
set search_path = ''
as $$
declare
    key public.api_keys;
    plan public.subscription_plans;
begin
    select * into key from public.api_keys k where k.prefix = p_prefix and k.hash = p_hash;
    if not found then
        return;
    end if;
    id := key.id;
    name := key.name;
    account_id := key.account_id;
    user_id := key.created_by;
    scopes := key.scopes;
    created_at := key.created_at;
    expires_at := key.expires_at;
    if key.revoked_at is not null then
        standing := 'revoked';
    elsif key.expires_at <= now() then
        standing := 'expired';
    elsif not flamechat_private.may_act_in(key.created_by, key.account_id, false) then
        standing := 'left';
    else
        plan := flamechat_private.effective_plan(key.created_by);
        plan_name := plan.name;
        requests_limit := plan.api_requests_per_minute;
        if requests_limit is not null then
            retry_after_s := flamechat_private.take_api_request(key.created_by, requests_limit);
        end if;
        standing := case when retry_after_s is null then 'ok' else 'too_many' end;
        update public.api_keys k set last_used_at = now()
        where k.id = key.id and (k.last_used_at is null or k.last_used_at < now() - interval '1 minute');
    end if;
    return next;
end
$$;

-- Which key asked for a turn, and for the model calls of it; null where a person did.
alter table public.chat_turns add column api_key_id uuid references public.api_keys on delete set null;
alter table public.ai_invocation_summaries add column api_key_id uuid references public.api_keys on delete set null;
create index chat_turns_by_key on public.chat_turns (api_key_id) where api_key_id is not null;
create index ai_invocations_by_key on public.ai_invocation_summaries (api_key_id) where api_key_id is not null;

revoke all on function
    public.create_api_key(uuid, uuid, text, text, text, text[], timestamptz), public.use_api_key(text, text)
from public, anon, authenticated;
grant execute on function
    public.create_api_key(uuid, uuid, text, text, text, text[], timestamptz), public.use_api_key(text, text)
to service_role;
revoke all on function
    flamechat_private.take_api_request(uuid, integer), flamechat_private.may_act_in(uuid, uuid, boolean),
    flamechat_private.working_api_keys(uuid)
from public, anon, authenticated;
grant execute on function
    flamechat_private.take_api_request(uuid, integer), flamechat_private.may_act_in(uuid, uuid, boolean),
    flamechat_private.working_api_keys(uuid)
to service_role;
