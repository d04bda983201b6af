-- With `standard_conforming_strings = off`, which a database, a role or a session may have, a backslash in a quoted text begins an escape, and a pattern is another one.
-- Functions whose text has a backslash are read anew in each session, so they say which of both they are written in.
do $$
declare
  one record;
begin
  for one in
    select p.oid::pg_catalog.regprocedure as name
      from pg_catalog.pg_proc p
      join pg_catalog.pg_namespace n on n.oid = p.pronamespace
      join pg_catalog.pg_language l on l.oid = p.prolang
     where n.nspname in ('auth', 'cron', 'extensions', 'graphql', 'graphql_public', 'holdfast', 'net', 'realtime', 'storage', 'subscription', 'supabase_functions', 'sync', 'vault')
       and l.lanname in ('plpgsql', 'sql') and p.prosqlbody is null and pg_catalog.strpos(p.prosrc, pg_catalog.chr(92)) > 0
       and pg_catalog.pg_has_role(p.proowner, 'usage')
       -- Those of an extension that the database has, and of a project that was moved here, are not Holdfast's.
       and not exists (select from pg_catalog.pg_depend d where d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass and d.objid = p.oid and d.deptype = 'e')
       and not exists (select from pg_catalog.unnest(p.proconfig) setting where setting like 'standard_conforming_strings=%')
  loop
    execute pg_catalog.format('alter routine %s set standard_conforming_strings = on', one.name);
  end loop;
end
$$;
