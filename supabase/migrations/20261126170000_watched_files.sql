-- Files of a folder or bucket that an administrator lets be watched, each taken in once, by whichever server comes first.
-- A file is known by its place, name and version; its row outlives the trace that was made of it, so that a removed trace
-- stays removed.

create table public.watched_files (
    file_key text primary key check (file_key ~ '^[0-9a-f]{64}$'),
    place text not null check (char_length(place) <= 500),
    name text not null check (char_length(name) <= 1000),
    user_id uuid not null,
    outcome text not null default 'reading' check (outcome in ('reading', 'read', 'refused')),
    reason text check (char_length(reason) <= 500),
    trace_id uuid references public.traces on delete set null,
    claimed_at timestamptz not null default clock_timestamp()
);
create index watched_files_by_user on public.watched_files (user_id);
create index watched_files_by_trace on public.watched_files (trace_id) where trace_id is not null;
comment on column public.watched_files.file_key is 'SHA-256 of place, name and version.';
comment on column public.watched_files.claimed_at is
    'When a server began to read it: one that died meanwhile has its file taken up by another.';

alter table public.watched_files enable row level security;
revoke all on public.watched_files from public, anon, authenticated;
grant all on public.watched_files to service_role;
