-- A plan may offer models of its own, its default first; without any it offers those of the server's settings.

alter table public.subscription_plans add column chat_models text[] not null default '{}';
comment on column public.subscription_plans.chat_models is
    'Names of the models this plan offers, its default first; empty: those of the server''s settings.';
