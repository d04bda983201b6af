-- Rules are changes to a table too: they are in holdfast.table_changes, as calls that set them again.

create function holdfast.record_rules() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  before constant jsonb := case tg_op when 'UPDATE' then old.required_when else '{}' end;
  field text;
begin
  if new.access is not null and (tg_op = 'INSERT' or new.access is distinct from old.access) then
    insert into holdfast_private.table_changes (workspace_id, table_name, kind, change, statements, made_by)
      values (new.workspace_id, new.table_name, 'set_access', new.access,
              format('select holdfast.set_access(%L, %L, %L);', new.workspace_id, new.table_name, new.access), holdfast.user_id());
  end if;
  for field in select jsonb_object_keys(before || new.required_when) loop
    continue when before -> field is not distinct from new.required_when -> field;
    insert into holdfast_private.table_changes (workspace_id, table_name, kind, change, statements, made_by)
      values (new.workspace_id, new.table_name, 'set_required_when', jsonb_build_object('field', field, 'when', new.required_when -> field),
              format('select holdfast.set_required_when(%L, %L, %L, %L);', new.workspace_id, new.table_name, field, new.required_when -> field), holdfast.user_id());
  end loop;
  return null;
end
$$;
comment on function holdfast.record_rules() is 'Records changes of rules with those of the table.';
create trigger record_change after insert or update on holdfast.table_rules for each row execute function holdfast.record_rules();

revoke all on function holdfast.record_rules() from public;
do $$
begin
  execute format('alter function holdfast.record_rules() owner to %I',
                 (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass));
end
$$;
