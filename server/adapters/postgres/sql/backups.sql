-- name: versions_of_database
-- The migrations that made the tables of a backup; the server's role may not read their table itself.
select flamechat_private.applied_migrations() as version

-- name: has_migrations
-- Whether anything has been applied to a database, asked as its owner.
select to_regclass('supabase_migrations.schema_migrations') is not null

-- name: owners_migrations
-- What has been applied, asked as the database's owner.
select version from supabase_migrations.schema_migrations

-- name: named_objects
-- Every object that a row names, with its bucket.
select %(traces)s, object_path from public.traces
union all
select %(pictures)s, content_image_path from public.chat_messages where content_image_path is not null

-- name: columns_of_table
-- What COPY writes and reads, without what is computed.
select attname from pg_attribute
where attrelid = %(table)s::regclass and attnum > 0 and not attisdropped and attgenerated = ''
order by attnum

-- name: is_in_use
-- Whether a database has what only people bring.
select exists (select from public.traces) or exists (select from public.chat_sessions)
    or exists (select from public.plan_changes)

-- name: users_of_backup
-- For the rest of the transaction.
create temporary table backup_users (id uuid primary key) on commit drop

-- name: make_users_of_backup
-- Where this database keeps its users itself.
insert into auth.users (id) select id from backup_users on conflict do nothing

-- name: missing_users_of_backup
-- How many of them a project's Auth does not have.
select count(*) from backup_users b where not exists (select from auth.users u where u.id = b.id)

-- name: next_plan_change
-- The audit goes on counting after its newest row.
select setval(
    pg_get_serial_sequence('public.plan_changes', 'id'),
    coalesce((select max(id) from public.plan_changes), 0) + 1,
    false
)

-- name: settle_users
-- Users that the backup does not know have what every user has.
select flamechat_private.settle_user(u.id) from auth.users u
