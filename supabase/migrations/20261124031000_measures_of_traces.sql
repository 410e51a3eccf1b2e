-- What each trace measured, kept so that questions over many traces open none of them: its heaviest functions, its findings,
-- and figures of all of it. Rows belong to their trace and go with it; a trace without any of them is measured when it is
-- first asked about.

create table public.trace_functions (
    trace_id uuid not null references public.traces on delete cascade,
    account_id uuid not null references public.accounts on delete cascade,
    place smallint not null check (place between 0 and 499),
    name text not null check (char_length(name) <= 500),
    file text check (char_length(file) <= 100),
    self_value double precision not null,
    total_value double precision not null,
    self_share real not null,
    total_share real not null,
    calls bigint,
    primary key (trace_id, place)
);
create index trace_functions_by_name on public.trace_functions (account_id, name);
comment on column public.trace_functions.file is
    'Without folders, address and build hash: the same in every run. With the name it says which function it is.';
comment on column public.trace_functions.self_value is 'In the unit of the measure `total` of its trace.';

create table public.trace_findings (
    trace_id uuid not null references public.traces on delete cascade,
    account_id uuid not null references public.accounts on delete cascade,
    finding text not null check (char_length(finding) <= 60),
    severity text not null check (severity in ('high', 'medium', 'low', 'info')),
    share real,
    primary key (trace_id, finding)
);
create index trace_findings_by_account on public.trace_findings (account_id, finding);

create table public.trace_measures (
    trace_id uuid not null references public.traces on delete cascade,
    account_id uuid not null references public.accounts on delete cascade,
    measure text not null check (char_length(measure) <= 120),
    value double precision not null,
    unit text not null check (char_length(unit) <= 40),
    primary key (trace_id, measure)
);
create index trace_measures_by_account on public.trace_measures (account_id, measure);
comment on table public.trace_measures is 'A trace with a measure `total` has been measured.';

alter table public.trace_functions enable row level security;
alter table public.trace_findings enable row level security;
alter table public.trace_measures enable row level security;
revoke all on public.trace_functions, public.trace_findings, public.trace_measures from public, anon, authenticated;
grant select on public.trace_functions, public.trace_findings, public.trace_measures to authenticated;
grant all on public.trace_functions, public.trace_findings, public.trace_measures to service_role;
create policy "members read their functions" on public.trace_functions
    for select to authenticated using (account_id in (select public.my_account_ids()));
create policy "members read their findings" on public.trace_findings
    for select to authenticated using (account_id in (select public.my_account_ids()));
create policy "members read their measures" on public.trace_measures
    for select to authenticated using (account_id in (select public.my_account_ids()));
