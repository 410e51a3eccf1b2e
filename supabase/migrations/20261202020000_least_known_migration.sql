-- Which versions of the server may start on this database: those that know this migration and all before it, whatever
-- newer ones it has. A migration that takes away what such a version reads or writes replaces this function with its own
-- version in it; all others leave it as it is, so that a rolling deployment can be rolled back.
create function flamechat_private.least_known_migration()
returns text
language sql
immutable
set search_path = ''
as $$ select '20261202020000' $$;

revoke all on function flamechat_private.least_known_migration() from public, anon, authenticated;
grant execute on function flamechat_private.least_known_migration() to service_role;
