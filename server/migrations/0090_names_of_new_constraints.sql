-- As in 0039: constraints and indexes of Holdfast have names that no project gives its own.
do $$
declare
  one record;
begin
  for one in
    select c.conrelid::pg_catalog.regclass as relation, c.conname as name
      from pg_catalog.pg_constraint c
      join pg_catalog.pg_namespace n on n.oid = c.connamespace
     where n.nspname = 'holdfast' and c.contype in ('p', 'u', 'f', 'c')
       and c.conrelid <> 0 and c.conparentid = 0 and c.conname not like 'holdfast\_%'
  loop
    execute pg_catalog.format('alter table %s rename constraint %I to %I', one.relation, one.name, 'holdfast_' || one.name);
  end loop;
  for one in
    select i.oid::pg_catalog.regclass as index, i.relname as name
      from pg_catalog.pg_class i
      join pg_catalog.pg_namespace n on n.oid = i.relnamespace
     where n.nspname = 'holdfast' and i.relkind in ('i', 'I') and not i.relispartition and i.relname not like 'holdfast\_%'
  loop
    execute pg_catalog.format('alter index %s rename to %I', one.index, 'holdfast_' || one.name);
  end loop;
end
$$;
