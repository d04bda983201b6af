-- What `postgres` may do in a packaged database, where it is the role that projects act as and no superuser, as on Supabase. Elsewhere a project acts as
-- whomever it was given, and nothing changes.
do $$
declare
  parameter text;
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     or not exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin')
     or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    return;
  end if;
  begin
    grant anon, authenticated, service_role, authenticator to postgres with admin option;
    -- What a restore or the API is told by settings of roles. Postgres takes a name of another program's only from whom that is granted.
    foreach parameter in array array[
      'session_replication_role', 'track_functions', 'track_io_timing', 'pgrst.db_aggregates_enabled', 'pgrst.db_extra_search_path',
      'pgrst.db_hoisted_tx_settings', 'pgrst.db_max_rows', 'pgrst.db_plan_enabled', 'pgrst.db_pre_request', 'pgrst.db_schema', 'pgrst.db_schemas',
      'pgrst.db_tx_end', 'pgrst.max_rows', 'pgrst.openapi_mode', 'pgrst.openapi_security_active', 'pgrst.pre_request',
      'pgrst.server_timing_enabled', 'pgrst.server_trace_header'
    ] loop
      execute format('grant set on parameter %I to postgres', parameter);
    end loop;
  exception when unique_violation or internal_error then
    -- Another database of the cluster was faster.
    null;
  end;

  alter schema extensions owner to postgres;
  grant usage on schema auth, holdfast, sync to postgres;

  alter default privileges for role postgres in schema public grant all on tables to anon, authenticated, service_role;
  alter default privileges for role postgres in schema public grant all on sequences to anon, authenticated, service_role;
  alter default privileges for role postgres in schema public grant all on routines to anon, authenticated, service_role;
  alter default privileges for role postgres in schema extensions grant execute on routines to anon, authenticated, service_role;
end
$$;
