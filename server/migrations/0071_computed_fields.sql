-- Owners and admins add, change and remove computed fields of the tables that their workspace made.

create function holdfast.require_own_table(workspace uuid, name text) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  perform holdfast.require_admin(workspace);
  if to_regclass(format('public.%I', name)) is null
     or not exists (select from holdfast.tables t where t.workspace_id = workspace and t.schema_name = 'public' and t.table_name = name) then
    raise exception 'The workspace has made no table %.', coalesce(name, '') using hint = 'new_table.not_made_here';
  end if;
end
$$;
comment on function holdfast.require_own_table(uuid, text) is 'Refuses who is no admin of the workspace, and tables that it did not make.';

-- Only what formulas have, so that nothing else reaches devices.
create function holdfast.computed_definition(definition jsonb) returns jsonb
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select jsonb_strip_nulls(case definition ->> 'kind'
    when 'formula' then jsonb_build_object('kind', 'formula', 'formula', definition -> 'formula')
    when 'lookup' then jsonb_build_object('kind', 'lookup', 'link', definition ->> 'link', 'field', definition ->> 'field')
    else jsonb_build_object('kind', definition ->> 'kind', 'table', definition ->> 'table', 'link', definition ->> 'link', 'function', definition ->> 'function',
                            'field', case when definition ->> 'function' <> 'count' then definition ->> 'field' end, 'only', definition -> 'only')
  end)
$$;
comment on function holdfast.computed_definition(jsonb) is 'The stored part of the definition of a computed field.';

create function holdfast.refuse_computed_circle(of_table text, name text, definition jsonb) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  between_ text;
begin
  with recursive reached (table_name, field_name) as (
    select r.table_name, r.field_name from holdfast.computed_reads(of_table, definition) r
    union
    select r.table_name, r.field_name from reached
      join holdfast.computed_fields f on f.table_name = reached.table_name and f.field_name = reached.field_name and (f.table_name, f.field_name) <> (of_table, name)
      cross join lateral holdfast.computed_reads(f.table_name, f.definition) r)
  select string_agg(f.label, ', ' order by f.label) into between_
    from reached join holdfast.computed_fields f using (table_name, field_name)
   where exists (select from reached r where (r.table_name, r.field_name) = (of_table, name));
  if between_ is not null or exists (select from holdfast.computed_reads(of_table, definition) r where (r.table_name, r.field_name) = (of_table, name)) then
    raise exception 'A field cannot be computed from itself: %.', coalesce(between_, name) using hint = 'computed_field.circle';
  end if;
end
$$;
comment on function holdfast.refuse_computed_circle(text, text, jsonb) is 'Refuses a computed field that would read itself, through others or not.';

-- The type of an expression over rows of a table, as formulas name types.
create function holdfast.computed_result(definition jsonb, of_table text, workspace uuid) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  type text;
begin
  execute format('select pg_typeof(%s)::text from (select null::public.%I as row) one', holdfast.computed_sql(definition, '(one.row)', of_table, workspace), of_table)
    into type;
  return case type when 'text' then 'text' when 'double precision' then 'number' when 'boolean' then 'boolean' when 'date' then 'date'
                   when 'timestamp with time zone' then 'datetime' else holdfast.refuse_formula(type) end;
exception
  when undefined_function or ambiguous_function or datatype_mismatch or indeterminate_datatype or invalid_text_representation or invalid_datetime_format
       or numeric_value_out_of_range or undefined_column or cannot_coerce then
    raise exception 'The values of the field do not fit: %', sqlerrm using hint = 'computed_field.types';
end
$$;
comment on function holdfast.computed_result(jsonb, text, uuid) is 'The type of the values of a computed field.';

create function holdfast.computed_field_sql(workspace uuid, name text, definition jsonb) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  field constant text := holdfast.require_new_name(definition ->> 'name', 'field');
  stored constant jsonb := holdfast.computed_definition(definition);
  result text;
begin
  perform holdfast.require_own_table(workspace, name);
  perform holdfast.refuse_computed_circle(name, field, stored);
  result := holdfast.computed_result(stored, name, workspace);
  return format(E'create or replace function public.%1$I(public.%2$I) returns %3$s language sql stable\n  return %4$s;\n'
    'comment on function public.%1$I(public.%2$I) is %5$L;' || E'\n'
    'revoke all on function public.%1$I(public.%2$I) from public;' || E'\n'
    'grant execute on function public.%1$I(public.%2$I) to authenticated, service_role;' || E'\n',
    field, name, case result when 'number' then 'double precision' when 'datetime' then 'timestamptz' else result end,
    holdfast.computed_sql(stored, '$1', name, workspace), holdfast.require_new_label(definition ->> 'label') || '.');
end
$$;
comment on function holdfast.computed_field_sql(uuid, text, jsonb) is 'The statements that set_computed_field runs. For owners and admins of the workspace.';

create function holdfast.set_computed_field(workspace uuid, name text, definition jsonb) returns text
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  field constant text := holdfast.require_new_name(definition ->> 'name', 'field');
  stored constant jsonb := holdfast.computed_definition(definition);
  statements text;
  known holdfast.computed_fields;
  result text;
begin
  perform holdfast.require_own_table(workspace, name);
  perform set_config('lock_timeout', '3s', true);
  perform from holdfast.workspaces w where w.id = workspace for no key update; -- one change at a time, so that two make no circle
  select * into known from holdfast.computed_fields f where f.table_name = name and f.field_name = field;
  if known.id is null then
    if exists (select from pg_attribute a where a.attrelid = to_regclass(format('public.%I', name)) and a.attname = field and not a.attisdropped) then
      raise exception 'The table has a field % already.', field using hint = 'computed_field.exists';
    end if;
    if (select count(*) from holdfast.computed_fields f where f.table_name = name) >= 50 then
      raise exception 'A table has 50 computed fields at most.' using hint = 'computed_field.limit';
    end if;
  end if;
  statements := holdfast.computed_field_sql(workspace, name, definition);
  result := holdfast.computed_result(stored, name, workspace);
  if known.id is not null and known.result <> result then
    execute format('drop function public.%I(public.%I)', field, name);
  end if;
  execute statements;
  insert into holdfast.computed_fields (workspace_id, table_name, field_name, label, kind, definition, result, made_by)
    values (workspace, name, field, holdfast.require_new_label(definition ->> 'label'), stored ->> 'kind', stored, result, holdfast.user_id())
    on conflict (table_name, field_name) do update set label = excluded.label, kind = excluded.kind, definition = excluded.definition, result = excluded.result;
  return field;
exception
  when dependent_objects_still_exist then
    raise exception 'The type of the field cannot change, because these fields read it: %.', holdfast.computed_fields_reading(name, field)
      using hint = 'computed_field.used';
  when lock_not_available then
    raise exception 'Somebody changes the workspace. Try again.' using errcode = 'lock_not_available', hint = 'new_table.busy';
end
$$;
comment on function holdfast.set_computed_field(uuid, text, jsonb) is 'Adds or changes a computed field. For owners and admins of the workspace.';

create function holdfast.remove_computed_field(workspace uuid, name text, field text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  readers constant text := holdfast.computed_fields_reading(name, field);
begin
  perform holdfast.require_own_table(workspace, name);
  if readers is not null then
    raise exception 'The field cannot be removed, because these fields read it: %.', readers using hint = 'computed_field.used';
  end if;
  delete from holdfast.computed_fields f where f.workspace_id = workspace and f.table_name = name and f.field_name = field;
  if not found then
    raise exception 'The table has no computed field %.', coalesce(field, '') using hint = 'computed_field.no_field';
  end if;
  execute format('drop function public.%I(public.%I)', field, name);
  delete from holdfast.fields f where f.schema_name = 'public' and f.table_name = name and f.field_name = field;
end
$$;
comment on function holdfast.remove_computed_field(uuid, text, text) is 'Removes a computed field. For owners and admins of the workspace.';

-- All computed fields of a table, before the table goes.
create function holdfast.drop_computed_fields(name text) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  readers constant text := holdfast.computed_fields_reading(name, null);
  functions text;
begin
  if readers is not null then
    raise exception 'The table cannot be removed, because these fields read it: %.', readers using hint = 'computed_field.used';
  end if;
  select string_agg(format('public.%I(public.%I)', f.field_name, name), ', ') into functions from holdfast.computed_fields f
   where f.table_name = name and to_regprocedure(format('public.%I(public.%I)', f.field_name, name)) is not null;
  if functions is not null then
    execute format('drop function %s', functions);
  end if;
  delete from holdfast.computed_fields f where f.table_name = name;
end
$$;
comment on function holdfast.drop_computed_fields(text) is 'Removes the computed fields of a table, unless fields of other tables read it.';

-- As in 0041, with the computed fields.
create or replace function holdfast.remove_empty_table(workspace uuid, name text) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  has_rows boolean;
begin
  perform holdfast.require_admin(workspace);
  if not exists (select from holdfast.tables t where t.workspace_id = workspace and t.schema_name = 'public' and t.table_name = name) then
    raise exception 'The workspace has made no table %.', name using hint = 'new_table.not_made_here';
  end if;
  perform set_config('lock_timeout', '3s', true);
  if to_regclass(format('public.%I', name)) is not null then
    execute format('lock table public.%I in access exclusive mode', name);
    execute format('select exists (select from public.%I)', name) into has_rows;
    if has_rows then
      raise exception 'The table % has records.', name using hint = 'new_table.has_records';
    end if;
    perform holdfast.drop_computed_fields(name);
    perform holdfast.untrack(format('public.%I', name)::regclass);
    execute format('drop table public.%I', name);
  end if;
  delete from holdfast.computed_fields f where f.table_name = name;
  delete from holdfast.tables t where t.schema_name = 'public' and t.table_name = name;
  delete from holdfast.fields f where f.schema_name = 'public' and f.table_name = name;
end
$$;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  execute format('alter table holdfast.computed_fields owner to %I', project);
  for one in
    select p.oid::regprocedure as function, p.proname as name from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace
       and (p.proname ~ '^formula_' or p.proname in ('refuse_formula', 'linked_table', 'rollup_sql', 'computed_sql', 'computed_reads', 'computed_fields_reading',
              'require_own_table', 'computed_definition', 'refuse_computed_circle', 'computed_result', 'computed_field_sql', 'set_computed_field',
              'remove_computed_field', 'drop_computed_fields'))
  loop
    execute format('revoke all on function %s from public', one.function);
    -- What computed fields call, they call with the rights of whoever reads the rows.
    if one.name in ('computed_field_sql', 'set_computed_field', 'remove_computed_field')
       or (one.name ~ '^formula_' and one.name not in ('formula_sql', 'formula_field_sql')) then
      execute format('grant execute on function %s to authenticated, service_role', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
