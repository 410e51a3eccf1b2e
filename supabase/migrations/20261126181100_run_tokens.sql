-- By what a graph that runs elsewhere asks the server: a token for each attempt at a turn, of which only the hash is kept.
-- A row says no more than which attempt the newest token is for: whether that attempt goes on, the turn says.

create table flamechat_private.run_tokens (
    turn_id uuid primary key references public.chat_turns on delete cascade,
    run_id uuid not null,
    attempt integer not null check (attempt >= 1),
    token_hash text not null check (token_hash ~ '^[0-9a-f]{64}$'),
    issued_at timestamptz not null default clock_timestamp()
);
create index run_tokens_by_run on flamechat_private.run_tokens (run_id);
comment on column flamechat_private.run_tokens.token_hash is 'SHA-256; the token itself is kept nowhere here.';

alter table flamechat_private.run_tokens enable row level security;
revoke all on flamechat_private.run_tokens from public, anon, authenticated;
grant select, insert, update, delete on flamechat_private.run_tokens to service_role;
create policy "the server alone" on flamechat_private.run_tokens to service_role using (true) with check (true);
