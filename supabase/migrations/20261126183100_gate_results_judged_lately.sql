-- What was judged in the last minute is asked for every few seconds by each server that somebody listens to.

create index gate_results_by_judgement on public.gate_results (judged_at) where judged_at is not null;
