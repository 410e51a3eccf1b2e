-- By which version of what is kept a trace was measured: what was measured by an earlier one is measured anew, a trace at a
-- time, beside a server's work.

alter table public.trace_measures add column version smallint not null default 0;
comment on column public.trace_measures.version is 'Of the measure `total`: what its trace was measured by.';
