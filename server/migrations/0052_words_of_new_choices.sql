-- The app shows a choice such as in_store as "In store". The choices of a table created in the app are shown as they were written: "m3" is not "M3".

create function holdfast.new_choice_words(choices jsonb) returns jsonb
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select jsonb_object_agg(one.word, one.word)
    from (select distinct word from jsonb_array_elements_text(choices) word) one
   where one.word !~ '^[A-Z0-9][^_]*$' -- these the app shows as they are
  having octet_length(jsonb_object_agg(one.word, one.word)::text) <= 4000
$$;
comment on function holdfast.new_choice_words(jsonb) is 'Words for choices that the app would show otherwise than they are written; NULL when there are none or too many for one field.';

create or replace function holdfast.create_table(workspace uuid, definition jsonb) returns text
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  statements text;
begin
  perform holdfast.require_admin(workspace);
  perform pg_catalog.set_config('lock_timeout', '3s', true); -- a foreign key waits for whoever writes to the table that it leads to
  perform from holdfast.workspaces w where w.id = workspace for no key update;
  if (select count(*) from holdfast.tables t where t.workspace_id = workspace) >= holdfast.new_table_limit('tables of a workspace') then
    raise exception 'A workspace makes 100 tables at most.' using hint = 'new_table.limit';
  end if;
  statements := holdfast.new_table_sql(workspace, definition);
  delete from holdfast.tables t where t.schema_name = 'public' and t.table_name = definition ->> 'name'; -- looks of a table that is no more
  delete from holdfast.fields f where f.schema_name = 'public' and f.table_name = definition ->> 'name';
  execute statements;
  insert into holdfast.fields (workspace_id, table_name, field_name, choices)
    select workspace, definition ->> 'name', field.value ->> 'name', holdfast.new_choice_words(field.value -> 'choices')
      from jsonb_array_elements(definition -> 'fields') field (value)
     where field.value ->> 'kind' = 'choice' and holdfast.new_choice_words(field.value -> 'choices') is not null;
  return definition ->> 'name';
exception
  when lock_not_available then
    raise exception 'Somebody writes to a table that the new one leads to. Try again.' using errcode = 'lock_not_available', hint = 'new_table.busy';
end
$$;

revoke all on function holdfast.new_choice_words(jsonb) from public;
do $$
begin
  execute format('alter function holdfast.new_choice_words(jsonb) owner to %I',
                 (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass));
end
$$;
