-- A server that is stopped, swapped out or short of a processor lives, and its turns may all the same be taken up
-- elsewhere. Such an attempt was overtaken; it did not die, and is counted apart. Expand only: older servers neither read nor
-- write these columns, and count as before.

alter table public.chat_turns
    add column overtaken integer not null default 0 check (overtaken >= 0),
    add column overtaken_at timestamptz[] not null default '{}';
comment on column public.chat_turns.overtaken is 'Attempts that were taken up elsewhere while their server lived.';
comment on column public.chat_turns.overtaken_at is 'When, of the newest of them.';
