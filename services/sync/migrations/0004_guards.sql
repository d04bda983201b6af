-- Guards: which uploaded changes count only if the row still is as the person saw it. Where there is no guard, the last write to a column wins.
create table sync.guards (
  "table" oid not null,
  -- column: a change of one of these columns needs its old value. row: every change and every deletion needs the old values of all of them.
  scope text not null check (scope in ('column', 'row')),
  -- Null: all columns that the person may see.
  columns name[] check (columns is null or cardinality(columns) > 0 or scope = 'column'),
  primary key ("table", scope)
);
revoke all on sync.guards from public;
grant select on sync.guards to authenticator;
comment on table sync.guards is 'Tables whose uploaded changes are compared with what the person saw. Written by sync.guard_columns and sync.guard_rows.';

create function sync.set_guard(p_table regclass, p_scope text, p_columns name[])
returns void
language plpgsql set search_path = ''
as $$
declare
  missing name;
begin
  select wanted.name into missing
    from unnest(p_columns) as wanted (name)
   where not exists (select from pg_catalog.pg_attribute a
                      where a.attrelid = p_table and a.attname = wanted.name and a.attnum > 0 and not a.attisdropped)
   limit 1;
  if missing is not null then
    raise undefined_column using message = format('column "%s" of relation "%s" does not exist', missing, p_table);
  end if;
  -- Tables that were dropped leave their line behind; this is the moment to sweep.
  delete from sync.guards g where not exists (select from pg_catalog.pg_class c where c.oid = g."table");
  insert into sync.guards ("table", scope, columns) values (p_table, p_scope, p_columns)
    on conflict ("table", scope) do update set columns = excluded.columns;
end
$$;

create function sync.guard_columns(p_table regclass, p_columns name[])
returns void
language sql set search_path = ''
as $$
  select sync.set_guard(p_table, 'column', coalesce(p_columns, '{}'))
$$;
comment on function sync.guard_columns(regclass, name[]) is
  'A change of one of these columns is applied only if the column still has the value that the person saw. An empty list: none is guarded, not even enum columns named state or status, which are without a word from you.';

create function sync.guard_rows(p_table regclass, p_columns name[] default null)
returns void
language plpgsql set search_path = ''
as $$
begin
  if cardinality(p_columns) = 0 then
    delete from sync.guards g where g."table" = p_table and g.scope = 'row';
  else
    perform sync.set_guard(p_table, 'row', p_columns);
  end if;
end
$$;
comment on function sync.guard_rows(regclass, name[]) is
  'A change or deletion of a row is applied only if these columns (such as version or updated_at; without a list all that the person may see) still have the values that the person saw. An empty list ends it.';

revoke all on function sync.set_guard(regclass, text, name[]), sync.guard_columns(regclass, name[]), sync.guard_rows(regclass, name[]) from public;
