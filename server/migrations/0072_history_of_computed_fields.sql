-- Computed fields are changes to the shape of a table too: they are in holdfast.table_changes, and take no name that a deleted field gets back when it is restored.

create function holdfast.record_computed_field() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  one constant holdfast.computed_fields := case tg_op when 'DELETE' then old else new end;
  given constant jsonb := one.definition || jsonb_build_object('name', one.field_name, 'label', one.label);
begin
  if tg_op = 'INSERT' and exists (
       select from holdfast_private.deleted_fields d
        where d.table_name = one.table_name and d.field_name = one.field_name and d.deleted_at >= now() - interval '30 days') then
    raise exception 'A deleted field that can be restored has the name %.', one.field_name using hint = 'computed_field.exists';
  end if;
  insert into holdfast_private.table_changes (workspace_id, table_name, kind, change, statements, made_by)
    values (one.workspace_id, one.table_name, case tg_op when 'DELETE' then 'remove_computed_field' else 'set_computed_field' end, given,
            case tg_op when 'DELETE' then format('select holdfast.remove_computed_field(%L, %L, %L);', one.workspace_id, one.table_name, one.field_name)
                       else format('select holdfast.set_computed_field(%L, %L, %L);', one.workspace_id, one.table_name, given) end,
            holdfast.user_id());
  return null;
end
$$;
comment on function holdfast.record_computed_field() is 'Records changes of computed fields with those of the table.';
create trigger record_change after insert or delete or update of label, kind, definition, result on holdfast.computed_fields
  for each row execute function holdfast.record_computed_field();

revoke all on function holdfast.record_computed_field() from public;
do $$
begin
  execute format('alter function holdfast.record_computed_field() owner to %I',
                 (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass));
end
$$;
