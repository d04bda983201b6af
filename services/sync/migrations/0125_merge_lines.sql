-- Texts of several lines: where two people changed one, both versions are kept by lines, or it is a conflict. Without a declaration these are the text columns
-- whose names say so (detail, notes, description, …).
alter table sync.guards drop constraint guards_scope_check;
alter table sync.guards drop constraint guards_check;
alter table sync.guards
  -- lines: a change of one of these columns is merged with the text that is there.
  add constraint guards_scope_check check (scope in ('column', 'row', 'lines')),
  add constraint guards_check check (columns is null or cardinality(columns) > 0 or scope in ('column', 'lines'));

create function sync.merge_lines(p_table regclass, p_columns name[])
returns void
language plpgsql set search_path = ''
as $$
declare
  other name;
begin
  select a.attname into other
    from pg_catalog.pg_attribute a
    join pg_catalog.pg_type t on t.oid = a.atttypid
   where a.attrelid = p_table and a.attname = any (p_columns) and t.typcategory <> 'S'
   limit 1;
  if other is not null then
    raise wrong_object_type using message = format('column "%s" of relation "%s" is no text', other, p_table);
  end if;
  perform sync.set_guard(p_table, 'lines', coalesce(p_columns, '{}'));
end
$$;
comment on function sync.merge_lines(regclass, name[]) is
  'A change of one of these texts that another person has changed meanwhile is merged by lines; where both changed the same lines it is a conflict. An empty list: none is, and the last change of a text wins.';
revoke all on function sync.merge_lines(regclass, name[]) from public;
-- To the project's role, where there is one (0060).
do $$
begin
  if has_function_privilege('postgres', 'sync.guard_columns(regclass, name[])', 'execute') then
    grant execute on function sync.merge_lines(regclass, name[]) to postgres;
  end if;
exception
  when undefined_object then null; -- no role of that name
end
$$;
