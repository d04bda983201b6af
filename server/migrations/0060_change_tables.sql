-- Owners and admins change the shape of the tables that their workspace made. Each change is previewed as SQL, run and recorded. A new kind of change is one
-- branch of table_change_sql and one function; a new kind of field is one branch of new_field_sql.

create schema if not exists holdfast_private; -- it stays when the schema holdfast is dropped and made again
comment on schema holdfast_private is 'Changes to tables, and what was deleted within the last 30 days. Never synced, and closed to the API.';
revoke all on schema holdfast_private from public;

create table if not exists holdfast_private.table_changes (
  id bigint generated always as identity primary key,
  workspace_id uuid not null,
  table_name text not null,
  kind text not null,
  change jsonb not null,
  statements text not null,
  made_by uuid,
  made_at timestamptz not null default now()
);
create index if not exists table_changes_table_idx on holdfast_private.table_changes (workspace_id, table_name, id);
comment on table holdfast_private.table_changes is 'The history of the shape of tables: who changed what, when, and with which statements.';

create table if not exists holdfast_private.deleted_fields (
  kept_as text primary key,
  workspace_id uuid not null,
  table_name text not null,
  field_name text not null,
  label text not null,
  restore text not null,
  deleted_by uuid,
  deleted_at timestamptz not null default now()
);
create index if not exists deleted_fields_table_idx on holdfast_private.deleted_fields (workspace_id, table_name);
comment on table holdfast_private.deleted_fields is 'Deleted fields. Their values are in the table kept_as of this schema for 30 days.';
comment on column holdfast_private.deleted_fields.restore is 'The statements that add the field again, before and after its values are copied.';

-- Kinds of fields beside those of 0041.
create or replace function holdfast.new_field_sql(field jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  name constant text := holdfast.require_new_name(field ->> 'name', 'field');
  kind constant text := field ->> 'kind';
  type text;
begin
  if name in ('id', 'created_by', 'created_at', 'updated_at', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid') then
    raise exception 'Every table has a field % already, or cannot have one.', name using hint = 'new_table.name';
  end if;
  type := case kind
    when 'text' then 'text'
    when 'integer' then 'bigint'
    when 'number' then 'numeric'
    when 'boolean' then 'boolean'
    when 'date' then 'date'
    when 'datetime' then 'timestamptz'
    when 'choice' then holdfast.new_choice_sql(name, field -> 'choices')
    when 'link' then holdfast.new_link_sql(field ->> 'table')
    when 'autonumber' then 'bigint generated always as identity'
    when 'rating' then format('bigint check (%I between 1 and 5)', name)
  end;
  if type is null then
    raise exception 'There is no kind of field %.', left(coalesce(kind, ''), 63) using hint = 'new_table.kind';
  end if;
  return format('  %I %s', name, type);
end
$$;

create function holdfast.field_of(of_table regclass, field text) returns name
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if field is null or field in ('id', 'created_by', 'created_at', 'updated_at')
     or not exists (select from pg_attribute a where a.attrelid = of_table and a.attname = field and a.attnum > 0 and not a.attisdropped) then
    raise exception 'The table has no field % that can change.', left(coalesce(field, ''), 63) using hint = 'change_table.no_field';
  end if;
  return field;
end
$$;
comment on function holdfast.field_of(regclass, text) is 'The name of a field that its workspace may change.';

create function holdfast.field_label(of_table regclass, field name) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(substring(col_description(of_table, a.attnum) from '^([^.\n]{1,40})\.(?:\s|$)'), field)
    from pg_attribute a where a.attrelid = of_table and a.attname = field
$$;
comment on function holdfast.field_label(regclass, name) is 'The label in the comment of a column.';

-- A device may still hold edits of a deleted field, so its name is not given to another one while it can be restored.
create function holdfast.free_field_name(of_table regclass, wanted text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  base constant text := holdfast.require_new_name(wanted, 'field');
  name text := base;
  number integer := 1;
begin
  while exists (select from pg_attribute a where a.attrelid = of_table and a.attname = name and not a.attisdropped)
     or exists (select from pg_proc p where p.proname = name and p.pronamespace = 'public'::regnamespace and p.pronargs = 1
                   and p.proargtypes[0] = (select c.reltype from pg_class c where c.oid = of_table))
     or exists (select from holdfast_private.deleted_fields d join pg_class c on c.oid = of_table and c.relname = d.table_name where d.field_name = name) loop
    number := number + 1;
    name := format('f%s_%s', number, left(base, 45)); -- In front, because the app reads the kind of a text from the end of its name.
  end loop;
  return name;
end
$$;
comment on function holdfast.free_field_name(regclass, text) is 'A name that no field of a table has or had within 30 days.';

create function holdfast.add_field_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  field constant jsonb := change -> 'field' || jsonb_build_object('name', holdfast.free_field_name(of_table, change #>> '{field,name}'));
  name constant text := field ->> 'name';
  label constant text := holdfast.require_new_label(field ->> 'label');
  column_sql constant text := btrim(holdfast.new_field_sql(field));
  words constant jsonb := case when field ->> 'kind' = 'choice' then holdfast.new_choice_words(field -> 'choices') end;
begin
  if (select count(*) from pg_attribute a where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped) >= holdfast.new_table_limit('fields') then
    raise exception 'A table has between 1 and 200 fields.' using hint = 'new_table.fields';
  end if;
  return format(E'alter table %1$s add column %2$s;\ncomment on column %1$s.%3$I is %4$L;\n', holdfast.full_name(of_table), column_sql, name, label || '.')
    || case when field ->> 'kind' = 'link' then format(E'create index on %s (%I);\n', holdfast.full_name(of_table), name) else '' end
    || case when words is not null then
         format(E'insert into holdfast.fields (workspace_id, table_name, field_name, choices)\n  select w.id, %L, %L, %L from holdfast.workspaces w where w.id = %L;\n',
                (select c.relname from pg_class c where c.oid = of_table), name, words, workspace) else '' end;
end
$$;
comment on function holdfast.add_field_sql(uuid, regclass, jsonb) is 'Statements of the change {"kind": "add_field", "field": {"name", "label", "kind", …}}.';

create function holdfast.full_name(of_table regclass) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select format('%I.%I', n.nspname, c.relname) from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.oid = of_table
$$;
comment on function holdfast.full_name(regclass) is 'The quoted name of a table, with its schema.';

-- The column keeps its name, so that queued work of offline devices, views and API clients go on.
create function holdfast.rename_field_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  field constant name := holdfast.field_of(of_table, change ->> 'field');
  label constant text := holdfast.require_new_label(change ->> 'label');
  comment constant text := (select col_description(of_table, a.attnum) from pg_attribute a where a.attrelid = of_table and a.attname = field);
  help constant text := coalesce(substring(comment from '^[^.\n]{1,40}\.\s+(.*)$'), case when comment !~ '^[^.\n]{1,40}\.\s*$' then comment end);
begin
  return format(E'comment on column %s.%I is %L;\n', holdfast.full_name(of_table), field, concat_ws(' ', label || '.', help))
    || format(E'update holdfast.fields set label = null where schema_name = ''public'' and table_name = %L and field_name = %L and workspace_id = %L and label is not null;\n',
              (select c.relname from pg_class c where c.oid = of_table), field, workspace);
end
$$;
comment on function holdfast.rename_field_sql(uuid, regclass, jsonb) is 'Statements that change the label of a field: "field", "label".';

-- Adds the column again, then its constraints and indexes. Rows written since have no value, so it is not required again.
create function holdfast.field_again_sql(of_table regclass, field name, kept_as text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  column_ pg_attribute;
  target constant regclass := (
    select c.confrelid from pg_constraint c join pg_attribute a on a.attrelid = of_table and a.attname = field
     where c.conrelid = of_table and c.contype = 'f' and c.conkey = array[a.attnum] limit 1);
  constraints text;
  indexes text;
  full_name constant text := holdfast.full_name(of_table);
begin
  select * into column_ from pg_attribute a where a.attrelid = of_table and a.attname = field;
  select string_agg(format(E'alter table %s add constraint %I %s;\n', full_name, c.conname, pg_get_constraintdef(c.oid)), '' order by c.oid) into constraints
    from pg_constraint c where c.conrelid = of_table and c.contype in ('c', 'f', 'u') and c.conkey = array[column_.attnum];
  select string_agg(pg_get_indexdef(i.indexrelid) || E';\n', '' order by i.indexrelid) into indexes
    from pg_index i where i.indrelid = of_table and i.indnkeyatts = 1 and i.indkey[0] = column_.attnum
     and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.conrelid = of_table);
  return format(E'alter table %1$s add column %2$I %3$s%4$s;\nalter table %1$s disable trigger user;\n'
    'update %1$s r set %2$I = k.value from holdfast_private.%5$I k where k.id = r.id%6$s;' || E'\nalter table %1$s enable trigger user;\n',
    full_name, field, format_type(column_.atttypid, column_.atttypmod),
    (select ' default ' || pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d where d.adrelid = of_table and d.adnum = column_.attnum and column_.attidentity = ''),
    kept_as, case when target is not null then format(' and exists (select from %s t where t.id = k.value)', holdfast.full_name(target)) else '' end)
    || case when column_.attidentity <> '' then
         format(E'alter table %1$s alter column %2$I set default 0;\nupdate %1$s set %2$I = default where %2$I is null;\n'
           'alter table %1$s alter column %2$I drop default, alter column %2$I set not null, alter column %2$I add generated always as identity;' || E'\n'
           'select setval(pg_get_serial_sequence(%3$L, %4$L), coalesce((select max(%2$I) from %1$s), 0) + 1, false);' || E'\n', full_name, field, full_name, field) else '' end
    || coalesce(constraints, '') || coalesce(indexes, '')
    || format(E'comment on column %s.%I is %L;\n', full_name, field, col_description(of_table, column_.attnum));
end
$$;
comment on function holdfast.field_again_sql(regclass, name, text) is 'The statements that restore a field after it was deleted.';

create function holdfast.delete_field_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  field constant name := holdfast.field_of(of_table, change ->> 'field');
  of_name constant name := (select c.relname from pg_class c where c.oid = of_table);
  -- A column's number is never given again.
  kept_as constant text := format('f%s_%s', of_table::oid, (select a.attnum from pg_attribute a where a.attrelid = of_table and a.attname = field));
  readers constant text := holdfast.computed_fields_reading(of_name, field);
begin
  if readers is not null then
    raise exception 'These fields use the field: %. Change or delete them first.', readers using hint = 'change_table.used';
  end if;
  if exists (select from holdfast.transitions t where (t.table_name, t.field) = (of_name::text, change ->> 'field')) then
    raise exception 'The field has rules of which value follows which. Remove them first.' using hint = 'change_table.used';
  end if;
  if exists (select from holdfast.table_rules r, jsonb_each(r.required_when) rule (required, conditions)
              where r.table_name = of_name and (rule.required = field or rule.conditions @> jsonb_build_array(jsonb_build_object('field', field)))) then
    raise exception 'A rule of when a field is required uses the field. Remove it first.' using hint = 'change_table.used';
  end if;
  return format(E'create table holdfast_private.%1$I as select id, %2$I as value from %3$s where %2$I is not null;\n'
    'insert into holdfast_private.deleted_fields (kept_as, workspace_id, table_name, field_name, label, restore, deleted_by)' || E'\n'
    '  values (%1$L, %4$L, %5$L, %2$L, %6$L, %7$L, (select holdfast.user_id()));' || E'\nalter table %3$s drop column %2$I;\n',
    kept_as, field, holdfast.full_name(of_table), workspace, of_name, holdfast.field_label(of_table, field),
    holdfast.field_again_sql(of_table, field, kept_as));
end
$$;
comment on function holdfast.delete_field_sql(uuid, regclass, jsonb) is 'Statements of the change {"kind": "delete_field", "field"}.';

create function holdfast.restore_field_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  deleted holdfast_private.deleted_fields;
begin
  select d.* into deleted from holdfast_private.deleted_fields d join pg_class c on c.oid = of_table and c.relname = d.table_name
   where d.workspace_id = workspace and d.field_name = change ->> 'field';
  if deleted.kept_as is null then
    raise exception 'The table has no deleted field %.', left(coalesce(change ->> 'field', ''), 63) using hint = 'change_table.no_field';
  end if;
  return deleted.restore || format(E'drop table holdfast_private.%1$I;\ndelete from holdfast_private.deleted_fields where kept_as = %1$L;\n', deleted.kept_as);
end
$$;
comment on function holdfast.restore_field_sql(uuid, regclass, jsonb) is 'Statements of the change {"kind": "restore_field", "field"}.';

-- A table of the project changes with its migrations.
create function holdfast.require_changeable_table(workspace uuid, table_name text) returns regclass
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := to_regclass(format('public.%I', table_name));
begin
  perform holdfast.require_admin(workspace);
  if of_table is null or not exists (
       select from holdfast.tables t where t.schema_name = 'public' and t.table_name = require_changeable_table.table_name and t.workspace_id = workspace) then
    raise exception 'The table belongs to the project. A developer changes it with a migration.' using hint = 'change_table.of_project';
  end if;
  return of_table;
end
$$;
comment on function holdfast.require_changeable_table(uuid, text) is 'A table that the workspace made, for its owners and admins.';

create function holdfast.table_change_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  case change ->> 'kind'
  when 'add_field' then return holdfast.add_field_sql(workspace, of_table, change);
  when 'rename_field' then return holdfast.rename_field_sql(workspace, of_table, change);
  when 'delete_field' then return holdfast.delete_field_sql(workspace, of_table, change);
  when 'restore_field' then return holdfast.restore_field_sql(workspace, of_table, change);
  else
    raise exception 'There is no kind of change %.', left(coalesce(change ->> 'kind', ''), 63) using hint = 'change_table.kind';
  end case;
end
$$;
comment on function holdfast.table_change_sql(uuid, regclass, jsonb) is 'The statements of a change, by its kind.';

create function holdfast.change_table_sql(workspace uuid, table_name text, change jsonb) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return holdfast.table_change_sql(workspace, holdfast.require_changeable_table(workspace, table_name), change);
end
$$;
comment on function holdfast.change_table_sql(uuid, text, jsonb) is 'The statements that change_table runs. For owners and admins of the workspace.';

create function holdfast.purge_deleted_fields() returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  purged integer := 0;
  kept text;
begin
  for kept in delete from holdfast_private.deleted_fields d where d.deleted_at < now() - interval '30 days' returning d.kept_as loop
    execute format('drop table if exists holdfast_private.%I', kept);
    purged := purged + 1;
  end loop;
  return purged;
end
$$;
comment on function holdfast.purge_deleted_fields() is 'Drops the values of fields that were deleted more than 30 days ago; returns their number.';

create function holdfast.change_table(workspace uuid, table_name text, change jsonb) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table regclass;
  statements text;
  used text;
begin
  perform holdfast.require_admin(workspace);
  perform set_config('lock_timeout', '3s', true);
  perform from holdfast.workspaces w where w.id = workspace for no key update; -- one change at a time
  of_table := holdfast.require_changeable_table(workspace, table_name);
  perform holdfast.purge_deleted_fields();
  statements := holdfast.table_change_sql(workspace, of_table, change);
  execute statements;
  insert into holdfast_private.table_changes (workspace_id, table_name, kind, change, statements, made_by)
    values (workspace, table_name, change ->> 'kind', change, statements, holdfast.user_id());
  return jsonb_build_object('statements', statements);
exception
  when dependent_objects_still_exist then
    get stacked diagnostics used = pg_exception_detail;
    raise exception 'Something uses the field: %', used using errcode = 'dependent_objects_still_exist', hint = 'change_table.used';
  when lock_not_available then
    raise exception 'Somebody writes to the table. Try again.' using errcode = 'lock_not_available', hint = 'change_table.busy';
end
$$;
comment on function holdfast.change_table(uuid, text, jsonb) is 'Changes a table and records the change. For owners and admins of the workspace.';

create function holdfast.deleted_fields(workspace uuid, table_name text)
  returns table (field_name text, label text, deleted_by uuid, deleted_at timestamptz, restorable_until timestamptz)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform holdfast.require_changeable_table(workspace, table_name);
  return query select d.field_name, d.label, d.deleted_by, d.deleted_at, d.deleted_at + interval '30 days' from holdfast_private.deleted_fields d
    where d.workspace_id = workspace and d.table_name = deleted_fields.table_name and d.deleted_at >= now() - interval '30 days' order by d.deleted_at desc;
end
$$;
comment on function holdfast.deleted_fields(uuid, text) is 'The fields of a table that can be restored. For owners and admins of the workspace.';

create function holdfast.table_changes(workspace uuid, table_name text)
  returns table (id bigint, kind text, change jsonb, statements text, made_by uuid, made_at timestamptz)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform holdfast.require_changeable_table(workspace, table_name);
  return query select c.id, c.kind, c.change, c.statements, c.made_by, c.made_at from holdfast_private.table_changes c
    where c.workspace_id = workspace and c.table_name = table_changes.table_name order by c.id desc limit 200;
end
$$;
comment on function holdfast.table_changes(uuid, text) is 'The last 200 changes to a table. For owners and admins of the workspace.';

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  execute format('alter schema holdfast_private owner to %I', project);
  execute format('alter table holdfast_private.table_changes owner to %I', project);
  execute format('alter table holdfast_private.deleted_fields owner to %I', project);
  for one in
    select p.oid::regprocedure as function, p.proname as name from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace
       and p.proname in ('field_of', 'field_label', 'free_field_name', 'add_field_sql', 'full_name', 'rename_field_sql', 'field_again_sql', 'delete_field_sql',
                         'restore_field_sql', 'require_changeable_table', 'table_change_sql', 'change_table_sql', 'purge_deleted_fields', 'change_table',
                         'deleted_fields', 'table_changes')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('change_table_sql', 'change_table', 'deleted_fields', 'table_changes') then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
