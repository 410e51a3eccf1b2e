"""PostgreSQL: the embedded server (`embedded`), the migrations (`migrations`), and the rows behind the ports.

`sql/` has every statement under a name and a reason; the rules themselves are functions of the database
(`supabase/migrations`). All work is done as `flamechat_server`, each transaction as `service_role` (`pool`).
"""
