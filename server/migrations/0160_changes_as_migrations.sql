-- Everything that owners and admins change in the shape of tables is recorded as statements that change a fresh database in the same way: "holdfast migration pull-app" writes
-- them as migrations. The setting holdfast.recorded is on while a change runs that is recorded as a whole, so that its parts are not recorded again.

alter table holdfast_private.table_changes add column if not exists pulled_as text;
comment on column holdfast_private.table_changes.pulled_as is 'The version of the migration that has the change.';

create function holdfast.is_recorded() returns boolean
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(current_setting('holdfast.recorded', true), '') = 'on'
$$;
comment on function holdfast.is_recorded() is 'Whether the current change is recorded as a whole.';

create function holdfast.record_change(workspace uuid, of_table text, kind text, change jsonb, statements text) returns void
  language sql set search_path = pg_catalog, pg_temp as $$
  insert into holdfast_private.table_changes (workspace_id, table_name, kind, change, statements, made_by)
    select workspace, of_table, record_change.kind, record_change.change, record_change.statements, holdfast.user_id() where not holdfast.is_recorded()
$$;
comment on function holdfast.record_change(uuid, text, text, jsonb, text) is 'Adds a change to the history of a table, unless it is a part of another.';

-- Runs statements that are recorded as a whole.
create function holdfast.run_recorded(statements text) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  was constant text := coalesce(current_setting('holdfast.recorded', true), '');
begin
  perform set_config('holdfast.recorded', 'on', true);
  execute statements;
  perform set_config('holdfast.recorded', was, true);
end
$$;
comment on function holdfast.run_recorded(text) is 'Runs the statements of a change whose parts are not recorded.';

-- Migrations of the project have no user. The role that owns everything here may do everything anyway.
create or replace function holdfast.require_admin(of_workspace uuid) returns holdfast.workspace_role
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  mine constant holdfast.workspace_role := case
    when session_user = (select pg_get_userbyid(c.relowner) from pg_class c where c.oid = 'holdfast.comments'::regclass)
         and coalesce(current_setting('request.jwt.claims', true), '') = '' then 'owner'
    else holdfast.role_in(of_workspace)
  end;
begin
  if mine is null or mine < 'admin' then
    raise exception 'Only owners and admins of the workspace do this.' using errcode = 'insufficient_privilege', hint = 'people.not_admin';
  end if;
  return mine;
end
$$;

create or replace function holdfast.record_computed_field() returns trigger
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
  perform holdfast.record_change(one.workspace_id, one.table_name, case tg_op when 'DELETE' then 'remove_computed_field' else 'set_computed_field' end, given,
    case tg_op when 'DELETE' then format('select holdfast.remove_computed_field(%L, %L, %L);', one.workspace_id, one.table_name, one.field_name)
               else format('select holdfast.set_computed_field(%L, %L, %L);', one.workspace_id, one.table_name, given) end);
  return null;
end
$$;

create or replace function holdfast.record_rules() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  before constant jsonb := case tg_op when 'UPDATE' then old.required_when else '{}' end;
  field text;
begin
  if new.access is not null and (tg_op = 'INSERT' or new.access is distinct from old.access) then
    perform holdfast.record_change(new.workspace_id, new.table_name, 'set_access', new.access,
      format('select holdfast.set_access(%L, %L, %L, true);', new.workspace_id, new.table_name, new.access));
  end if;
  for field in select jsonb_object_keys(before || new.required_when) loop
    continue when before -> field is not distinct from new.required_when -> field;
    perform holdfast.record_change(new.workspace_id, new.table_name, 'set_required_when', jsonb_build_object('field', field, 'when', new.required_when -> field),
      format('select holdfast.set_required_when(%L, %L, %L, %L);', new.workspace_id, new.table_name, field, new.required_when -> field));
  end loop;
  return null;
end
$$;

-- Steps are set row by row: all of a field are recorded once, when the transaction ends.
create function holdfast.record_transitions() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  one constant holdfast.transitions := case tg_op when 'DELETE' then old else new end;
  workspace constant uuid := (select t.workspace_id from holdfast.tables t where t.schema_name = 'public' and t.table_name = one.table_name);
  steps jsonb;
begin
  if workspace is null or to_regclass(format('public.%I', one.table_name)) is null
     or exists (select from holdfast_private.table_changes c
                 where c.table_name = one.table_name and c.kind = 'set_transitions' and c.made_at = now() and c.change ->> 'field' = one.field) then
    return null;
  end if;
  select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('from', t.from_value, 'to', t.to_value, 'role', t.least_role)) order by t.from_value, t.to_value), '[]') into steps
    from holdfast.transitions t where t.schema_name = 'public' and t.table_name = one.table_name and t.field = one.field;
  perform holdfast.record_change(workspace, one.table_name, 'set_transitions', jsonb_build_object('field', one.field, 'steps', steps),
    format('select holdfast.set_transitions(%L, %L, %L, %L);', workspace, one.table_name, one.field, steps));
  return null;
end
$$;
comment on function holdfast.record_transitions() is 'Records the steps of a field with the changes of its table.';
create constraint trigger record_change after insert or delete or update on holdfast.transitions deferrable initially deferred
  for each row execute function holdfast.record_transitions();

-- Of an empty table or a template that is removed, and of what is purged.
create function holdfast.record_removed_table() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if to_regclass(format('public.%I', old.table_name)) is null and not exists (select from holdfast_private.deleted_tables d where d.table_name = old.table_name)
     and exists (select from holdfast_private.table_changes c where c.table_name = old.table_name) then
    perform holdfast.record_change(old.workspace_id, old.table_name, 'remove_table', '{"kind": "remove_table"}',
      format('select holdfast.forget_table(%L);', old.table_name));
  end if;
  return null;
end
$$;
comment on function holdfast.record_removed_table() is 'Records that a table of a workspace is gone.';
create constraint trigger record_removal after delete on holdfast.tables deferrable initially deferred
  for each row when (old.workspace_id is not null and old.schema_name = 'public') execute function holdfast.record_removed_table();

create function holdfast.forget_table(name text) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute format('drop table if exists public.%I cascade', name);
  delete from holdfast.computed_fields f where f.table_name = name;
  delete from holdfast.transitions t where t.schema_name = 'public' and t.table_name = name;
  delete from holdfast.tables t where t.schema_name = 'public' and t.table_name = name;
  delete from holdfast.fields f where f.schema_name = 'public' and f.table_name = name;
end
$$;
comment on function holdfast.forget_table(text) is 'Drops a table that a workspace removed, in a database made from migrations.';

-- As in 0093, recorded.
create or replace function holdfast.create_table(workspace uuid, definition jsonb) returns text
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  statements text;
  looks text;
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
  perform holdfast.run_recorded(statements);
  insert into holdfast.fields (workspace_id, table_name, field_name, choices, format)
    select workspace, definition ->> 'name', field.value ->> 'name', coalesce(looks.choices, '{}'), looks.format
      from jsonb_array_elements(definition -> 'fields') field (value),
           lateral (select case when field.value ->> 'kind' = 'choice' then holdfast.new_choice_words(field.value -> 'choices') end as choices,
                           holdfast.new_field_format(field.value) as format) looks
     where looks.choices is not null or looks.format is not null;
  select string_agg(format(E'insert into holdfast.fields (workspace_id, table_name, field_name, choices, format) values (%L, %L, %L, %L, %L);\n',
                           workspace, f.table_name, f.field_name, f.choices, f.format), '' order by f.field_name) into looks
    from holdfast.fields f where f.schema_name = 'public' and f.table_name = definition ->> 'name' and f.workspace_id = workspace;
  perform holdfast.record_change(workspace, definition ->> 'name', 'create_table', definition, statements || coalesce(looks, ''));
  return definition ->> 'name';
exception
  when lock_not_available then
    raise exception 'Somebody writes to a table that the new one leads to. Try again.' using errcode = 'lock_not_available', hint = 'new_table.busy';
end
$$;

-- As before, recorded as a whole.
create or replace function holdfast.change_table(workspace uuid, table_name text, change jsonb) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table regclass;
  statements text;
  copy text;
  used text;
begin
  perform holdfast.require_admin(workspace);
  perform set_config('lock_timeout', '3s', true);
  perform from holdfast.workspaces w where w.id = workspace for no key update; -- one change at a time
  of_table := holdfast.require_changeable_table(workspace, table_name);
  statements := holdfast.any_change_sql(workspace, of_table, change);
  if change ->> 'kind' = 'duplicate_table' then
    copy := holdfast.free_table_name(of_table);
  end if;
  perform holdfast.run_recorded(statements);
  perform holdfast.record_change(workspace, table_name, change ->> 'kind', change, statements);
  return jsonb_strip_nulls(jsonb_build_object('statements', statements, 'table', copy));
exception
  when dependent_objects_still_exist then
    get stacked diagnostics used = pg_exception_detail;
    raise exception 'Something uses the field: %', used using errcode = 'dependent_objects_still_exist', hint = 'change_table.used';
  when unique_violation then
    get stacked diagnostics used = pg_exception_detail;
    raise exception 'Two records would have the same value: %', used using errcode = 'unique_violation', hint = 'change_table.duplicates';
  when lock_not_available then
    raise exception 'Somebody writes to the table. Try again.' using errcode = 'lock_not_available', hint = 'change_table.busy';
end
$$;

create or replace function holdfast.restore_table(workspace uuid, table_name text) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  deleted holdfast_private.deleted_tables;
  field holdfast_private.deleted_fields;
  left_out jsonb := '[]';
  statements text;
begin
  perform holdfast.require_admin(workspace);
  perform set_config('lock_timeout', '3s', true);
  perform from holdfast.workspaces w where w.id = workspace for no key update;
  select d.* into deleted from holdfast_private.deleted_tables d
   where d.workspace_id = workspace and d.table_name = restore_table.table_name and d.deleted_at >= now() - interval '30 days';
  if deleted.table_name is null then
    raise exception 'There is no deleted table %.', left(coalesce(table_name, ''), 63) using hint = 'change_table.no_table';
  end if;
  if to_regclass(format('public.%I', deleted.table_name)) is not null or to_regtype(format('public.%I', deleted.table_name)) is not null then
    raise exception 'There is something called % in the database already.', deleted.table_name using hint = 'new_table.exists';
  end if;
  statements := format(E'select holdfast.move_table(''holdfast_deleted.%1$I'', ''public'');\nselect holdfast.admit_to_history(''public.%1$I'', ''id'');\n', deleted.table_name);
  for field in select * from holdfast_private.deleted_fields d where d.with_table = deleted.table_name order by d.kept_as loop
    if to_regclass(format('public.%I', field.table_name)) is not null then
      statements := statements || field.restore
        || format(E'drop table holdfast_private.%1$I;\ndelete from holdfast_private.deleted_fields where kept_as = %1$L;\n', field.kept_as);
    else
      left_out := left_out || to_jsonb(field.label); -- Its table was deleted later; the field can be restored there.
    end if;
  end loop;
  statements := statements || format(E'delete from holdfast_private.deleted_tables where table_name = %L;\n', deleted.table_name);
  perform holdfast.run_recorded(statements);
  perform holdfast.record_change(workspace, deleted.table_name, 'restore_table', '{"kind": "restore_table"}', statements);
  left_out := left_out || holdfast.add_computed_fields(workspace, deleted.table_name, deleted.computed);
  return jsonb_build_object('statements', statements, 'left_out', left_out);
exception
  when lock_not_available then
    raise exception 'Somebody writes to the table. Try again.' using errcode = 'lock_not_available', hint = 'change_table.busy';
end
$$;

create or replace function holdfast.purge_deleted(at timestamptz default now()) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  field record;
  deleted holdfast_private.deleted_tables;
  fields integer := 0;
  tables integer := 0;
  busy integer := 0;
begin
  perform set_config('lock_timeout', '3s', true);
  perform set_config('holdfast.recorded', 'on', true); -- a database made from the migrations purges for itself
  for field in select d.kept_as from holdfast_private.deleted_fields d where d.deleted_at < at - interval '30 days' for update skip locked loop
    execute format('drop table if exists holdfast_private.%I', field.kept_as);
    delete from holdfast_private.deleted_fields d where d.kept_as = field.kept_as;
    fields := fields + 1;
  end loop;
  for deleted in select * from holdfast_private.deleted_tables d where d.deleted_at < at - interval '30 days' for update skip locked loop
    begin
      -- Links of other deleted tables keep their values without the constraint.
      execute format('drop table if exists holdfast_deleted.%I cascade', deleted.table_name);
      for field in delete from holdfast_private.deleted_fields d where d.table_name = deleted.table_name returning d.kept_as loop
        execute format('drop table if exists holdfast_private.%I', field.kept_as);
        fields := fields + 1;
      end loop;
      delete from holdfast.history h where h.table_name = deleted.table_name;
      delete from holdfast.shares s where s.table_name = deleted.table_name;
      delete from holdfast.comments c where c.table_name = deleted.table_name;
      delete from holdfast.views v where v.table_name = deleted.table_name;
      delete from holdfast.public_forms f where f.table_name = deleted.table_name;
      delete from holdfast.transitions t where t.schema_name = 'public' and t.table_name = deleted.table_name;
      delete from holdfast.tables t where t.schema_name = 'public' and t.table_name = deleted.table_name;
      delete from holdfast.fields f where f.schema_name = 'public' and f.table_name = deleted.table_name;
      delete from holdfast_private.deleted_tables d where d.table_name = deleted.table_name;
      tables := tables + 1;
    exception
      when lock_not_available then
        busy := busy + 1;
    end;
  end loop;
  return jsonb_build_object('fields', fields, 'tables', tables, 'busy', busy);
end
$$;

-- As in 0100, recorded as a whole, and without the names of deleted tables.
create or replace function holdfast.add_checklist(workspace uuid, table_name text, definition jsonb) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  statements text;
  added holdfast.checklists;
  first uuid;
begin
  perform holdfast.require_admin(workspace);
  perform set_config('lock_timeout', '3s', true);
  perform from holdfast.workspaces w where w.id = workspace for no key update;
  if (select count(*) from holdfast.tables t where t.workspace_id = workspace) > holdfast.new_table_limit('tables of a workspace') - 4 then
    raise exception 'A workspace has 100 tables at most.' using hint = 'new_table.limit';
  end if;
  statements := holdfast.add_checklist_sql(workspace, table_name, definition);
  perform holdfast.run_recorded(statements);
  select c.* into added from holdfast.checklists c where c.schema_name = 'public' and c.table_name = add_checklist.table_name;
  execute format('select t.id from %s t', (select c.confrelid::regclass from pg_constraint c
    where c.conrelid = to_regclass(format('public.%I', added.item_table)) and c.contype = 'f')) into first;
  perform holdfast.record_change(workspace, table_name, 'add_checklist', definition, statements);
  return jsonb_build_object('checklist', first, 'questions', added.item_table, 'answers', added.answer_table, 'findings', added.finding_table);
exception
  when lock_not_available then
    raise exception 'Somebody writes to the table. Try again.' using errcode = 'lock_not_available', hint = 'change_table.busy';
end
$$;

create or replace function holdfast.free_table_name(wanted text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  name text := holdfast.require_new_name(wanted, 'table');
  number integer := 1;
begin
  while to_regclass(format('public.%I', name)) is not null or to_regtype(format('public.%I', name)) is not null
     or exists (select from holdfast_private.deleted_tables d where d.table_name = name) loop
    number := number + 1;
    name := format('%s_%s', left(wanted, 46), number);
  end loop;
  return name;
end
$$;

-- As in 0051: functions whose text has a backslash say how it is written.
do $$
declare
  one record;
begin
  for one in
    select p.oid::pg_catalog.regprocedure as name from pg_catalog.pg_proc p join pg_catalog.pg_language l on l.oid = p.prolang
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace and l.lanname in ('plpgsql', 'sql') and p.prosqlbody is null
       and pg_catalog.strpos(p.prosrc, pg_catalog.chr(92)) > 0 and pg_catalog.pg_has_role(p.proowner, 'usage')
       and not exists (select from pg_catalog.unnest(p.proconfig) setting where setting like 'standard_conforming_strings=%')
  loop
    execute pg_catalog.format('alter routine %s set standard_conforming_strings = on', one.name);
  end loop;
end
$$;
do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace
       and p.proname in ('is_recorded', 'record_change', 'run_recorded', 'record_transitions', 'record_removed_table', 'forget_table')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
