-- The same for those that run as the project (0042): who may call them, such as edge functions with their own role, could have run a check of a domain of the session with
-- the project's rights, which read keys and passwords. Functions that they call have paths of their own, so all of the schema have this one.
do $$
declare
  one record;
begin
  for one in
    select p.oid::pg_catalog.regprocedure as name
      from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace and p.proconfig = '{"search_path=\"\""}'
  loop
    execute pg_catalog.format('alter function %s set search_path = pg_catalog, pg_temp', one.name);
  end loop;
end
$$;
