-- What a Supabase project already has and the migrations lean on, as small stand-ins for the embedded database and the
-- tests. Never run against a real project. Safe to run again at every start.
-- Shapes follow supabase/postgres (init scripts, migrations), supabase/storage and supabase/realtime: only what we use.

do $$
declare
    api_role record;
begin
    for api_role in
        select * from (values
            ('anon', 'nologin'),
            ('authenticated', 'nologin'),
            ('service_role', 'nologin bypassrls'),
            ('authenticator', 'noinherit nologin')
        ) as roles (name, options)
    loop
        if not exists (select from pg_catalog.pg_roles where rolname = api_role.name) then
            execute format('create role %I %s', api_role.name, api_role.options);
        end if;
    end loop;
end
$$;

grant anon, authenticated, service_role to authenticator;

-- A Supabase project opens whatever is made in `public` to its API roles. The stand-in does so too: otherwise a migration
-- that forgets to close a table or a function would look safe here and be open there.
grant usage on schema public to anon, authenticated, service_role;
alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges in schema public grant all on sequences to anon, authenticated, service_role;
alter default privileges in schema public grant all on functions to anon, authenticated, service_role;

-- auth ------------------------------------------------------------------------------------------------------------

create schema if not exists auth;
grant usage on schema auth to anon, authenticated, service_role;

create table if not exists auth.users (
    id uuid primary key,
    aud text default 'authenticated',
    role text default 'authenticated',
    email text,
    email_confirmed_at timestamptz,
    is_anonymous boolean not null default false,
    raw_app_meta_data jsonb,
    raw_user_meta_data jsonb,
    created_at timestamptz default now(),
    updated_at timestamptz default now()
);
alter table auth.users add column if not exists email_confirmed_at timestamptz;  -- made before it was needed
alter table auth.users enable row level security;
revoke all on auth.users from anon, authenticated;

-- The claims of the access token, as PostgREST hands them to the database.
create or replace function auth.jwt() returns jsonb
language sql stable
as $$
    select coalesce(nullif(current_setting('request.jwt.claims', true), ''), '{}')::jsonb
$$;

create or replace function auth.uid() returns uuid
language sql stable
as $$
    select nullif(auth.jwt() ->> 'sub', '')::uuid
$$;

create or replace function auth.role() returns text
language sql stable
as $$
    select auth.jwt() ->> 'role'
$$;

-- storage ---------------------------------------------------------------------------------------------------------

create schema if not exists storage;
grant usage on schema storage to anon, authenticated, service_role;

create table if not exists storage.buckets (
    id text primary key,
    name text not null unique,
    owner_id text,
    public boolean default false,
    file_size_limit bigint,
    allowed_mime_types text[],
    created_at timestamptz default now(),
    updated_at timestamptz default now()
);
alter table storage.buckets enable row level security;

create table if not exists storage.objects (
    id uuid primary key default gen_random_uuid(),
    bucket_id text references storage.buckets,
    name text,
    owner_id text,
    metadata jsonb,
    created_at timestamptz default now(),
    updated_at timestamptz default now(),
    unique (bucket_id, name)
);
alter table storage.objects enable row level security;
grant all on storage.buckets, storage.objects to anon, authenticated, service_role;

-- 'a/b/c.png' -> {a,b}
create or replace function storage.foldername(name text) returns text[]
language sql immutable
as $$
    select parts[1 : cardinality(parts) - 1] from string_to_array(name, '/') as parts
$$;

-- realtime --------------------------------------------------------------------------------------------------------

create schema if not exists realtime;
grant usage on schema realtime to anon, authenticated, service_role;

create table if not exists realtime.messages (
    id uuid not null default gen_random_uuid(),
    topic text not null,
    extension text not null,
    event text,
    payload jsonb,
    private boolean default false,
    inserted_at timestamp not null default now(),
    updated_at timestamp not null default now(),
    primary key (id, inserted_at)
);
alter table realtime.messages enable row level security;
grant select, insert on realtime.messages to anon, authenticated, service_role;

-- The topic that is being joined, set by the Realtime server while it asks the policies.
create or replace function realtime.topic() returns text
language sql stable
as $$
    select nullif(current_setting('realtime.topic', true), '')
$$;

create or replace function realtime.send(payload jsonb, event text, topic text, private boolean default true)
returns void
language sql
as $$
    insert into realtime.messages (payload, event, topic, private, extension)
    values (payload, event, topic, private, 'broadcast')
$$;
