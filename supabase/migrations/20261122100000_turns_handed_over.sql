-- A server that is told to stop hands its turns over; one that dies does not. Only the dead ones' attempts are counted
-- against a turn.

alter table public.chat_turns add column handed_over integer not null default 0 check (handed_over >= 0);
comment on column public.chat_turns.handed_over is 'Attempts that ended because their server was told to stop.';
