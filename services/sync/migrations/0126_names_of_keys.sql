-- Migrations of projects make a key unless there is one of its name, and ask for the name in all schemas: `if not exists (select from pg_constraint where conname =
-- 'streams_pkey')`. Ours have names that no project gives, or the project would go without its own. Only the keys of tables have common names; other migrations name
-- the other constraints.
do $$
declare
  one record;
begin
  for one in
    select c.conrelid::pg_catalog.regclass as relation, c.conname as name
      from pg_catalog.pg_constraint c
      join pg_catalog.pg_namespace n on n.oid = c.connamespace
     where n.nspname = 'sync' and c.contype = 'p' and c.conrelid <> 0 and c.conparentid = 0 and c.conname not like 'holdfast\_%'
  loop
    execute pg_catalog.format('alter table %s rename constraint %I to %I', one.relation, one.name, 'holdfast_' || one.name);
  end loop;
  -- Functions name this one.
  for one in
    select p.oid from pg_catalog.pg_proc p join pg_catalog.pg_namespace n on n.oid = p.pronamespace
     where n.nspname = 'sync' and p.prosrc like '%on constraint uploads\_pkey%'
  loop
    execute pg_catalog.replace(pg_catalog.pg_get_functiondef(one.oid), 'on constraint uploads_pkey', 'on constraint holdfast_uploads_pkey');
  end loop;
end
$$;
