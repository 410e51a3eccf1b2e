-- A function of many traces is found trace by trace: the rows of one trace lie together, those of one name do not, so that
-- looking by name alone read a page for every trace of the account, also for those that were not asked about. That a place
-- is taken once holds by how rows are written: all of a trace at once, after those before were removed.

alter table public.trace_functions drop constraint trace_functions_pkey, add primary key (trace_id, name, place);

drop index public.trace_functions_by_name;
create index trace_functions_by_name on public.trace_functions (account_id, name, file);
