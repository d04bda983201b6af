-- A path without `pg_temp` begins with it: a domain of the session's own in the place of `text` would run its check with the rights of the function's owner, who is the
-- superuser. So `pg_temp` comes last, by its name. Those of a pg_cron that the database has itself stay as they are.
do $$
declare
  one record;
begin
  for one in
    select p.oid::pg_catalog.regprocedure as name
      from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
     where n.nspname = 'cron' and p.proowner = current_user::pg_catalog.regrole and p.proconfig = '{"search_path=\"\""}'
  loop
    execute pg_catalog.format('alter function %s set search_path = pg_catalog, pg_temp', one.name);
  end loop;
end
$$;
