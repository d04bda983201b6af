-- Values that were renamed, such as options of a field. Uploads from devices that were offline contain the old value, and are read as the new one.
create table sync.renamed_values (
  "table" oid not null,
  "column" name not null,
  old_value text not null,
  new_value text not null,
  renamed_at timestamptz not null default now(),
  primary key ("table", "column", old_value)
);
revoke all on sync.renamed_values from public;
grant select on sync.renamed_values to authenticator;
comment on table sync.renamed_values is 'Values of columns that uploads replace, because they were renamed. Written by sync.carry_values.';

-- A value that is valid is never replaced, so of two values that swap their names, both stay as the device wrote them.
create function sync.carry_values(p_table regclass, p_column name, p_renamed jsonb, p_valid jsonb)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if not exists (select from pg_attribute a where a.attrelid = p_table and a.attname = p_column and a.attnum > 0 and not a.attisdropped) then
    raise undefined_column using message = format('column "%s" of relation "%s" does not exist', p_column, p_table);
  end if;
  delete from sync.renamed_values v
   where not exists (select from pg_class c where c.oid = v."table") or v.renamed_at < now() - interval '1 year';
  update sync.renamed_values v set new_value = p_renamed ->> v.new_value
   where v."table" = p_table and v."column" = p_column and p_renamed ? v.new_value;
  insert into sync.renamed_values ("table", "column", old_value, new_value)
    select p_table, p_column, r.key, r.value from jsonb_each_text(p_renamed) r
    on conflict ("table", "column", old_value) do update set new_value = excluded.new_value, renamed_at = now();
  delete from sync.renamed_values v
   where v."table" = p_table and v."column" = p_column and (p_valid ? v.old_value or not p_valid ? v.new_value);
end
$$;
comment on function sync.carry_values(regclass, name, jsonb, jsonb) is
  'Reads uploaded values of a column under their new names for a year: an object from old to new, and the list of all valid values.';
revoke all on function sync.carry_values(regclass, name, jsonb, jsonb) from public;
do $$
begin
  if has_function_privilege('postgres', 'sync.guard_columns(regclass, name[])', 'execute') then
    grant select, insert, update, delete on sync.renamed_values to postgres;
    grant execute on function sync.carry_values(regclass, name, jsonb, jsonb) to postgres;
  end if;
exception
  when undefined_object then null; -- no role of that name
end
$$;
