-- A table can have all its texts merged, also those of fields that are added later.
create function sync.merge_all_texts(p_table regclass)
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  select sync.set_guard(p_table, 'lines', null)
$$;
comment on function sync.merge_all_texts(regclass) is
  'As sync.merge_lines for every text column that people write freely: not keys, references, unique columns and those with a list of values.';
revoke all on function sync.merge_all_texts(regclass) from public;
-- To the project's role, where there is one (0060).
do $$
begin
  if has_function_privilege('postgres', 'sync.guard_columns(regclass, name[])', 'execute') then
    grant execute on function sync.merge_all_texts(regclass) to postgres;
  end if;
exception
  when undefined_object then null; -- no role of that name
end
$$;

-- Functions of people's tables call it with rights of their own.
alter function sync.set_guard(regclass, text, name[]) set search_path = pg_catalog, pg_temp;
