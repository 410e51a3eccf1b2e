-- The image makes these roles without a password; the services log in with the database's.
\set password `echo "$POSTGRES_PASSWORD"`
alter role authenticator with password :'password';
alter role supabase_auth_admin with password :'password';
alter role supabase_storage_admin with password :'password';
