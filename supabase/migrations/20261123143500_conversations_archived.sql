-- Conversations are put away without being deleted. One that is used again is back in the list: it is archived only as long as
-- nothing has been asked since.

alter table public.chat_sessions add column archived_at timestamptz;
comment on column public.chat_sessions.archived_at is
    'When it was put away; it counts while nothing is newer (updated_at). Null: never.';
