-- A plan may leave tools of the agent out: they are neither offered to the model nor can they be called.

alter table public.subscription_plans add column hidden_tools text[] not null default '{}';
comment on column public.subscription_plans.hidden_tools is 'Names of the agent''s tools that this plan leaves out.';
