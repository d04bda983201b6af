-- The default of a field can be computed when a record is created: today, now, or the member who creates it.

create function holdfast.my_member_id(workspace uuid) returns uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select m.id from holdfast.members m where m.workspace_id = workspace and m.user_id = (select holdfast.user_id()) and m.status = 'active'
$$;
comment on function holdfast.my_member_id(uuid) is 'The caller''s membership of a workspace; null for others.';

create function holdfast.computed_default(of_table regclass, field name) returns text
  language sql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select case substring(holdfast.default_text(of_table, field) from '^holdfast\.(formula_today|formula_now|my_member_id)\(')
           when 'formula_today' then 'today' when 'formula_now' then 'now' when 'my_member_id' then 'me' end
$$;
comment on function holdfast.computed_default(regclass, name) is 'What the default of a column is computed from: today, now or me; null for other defaults.';

-- As in 0180. A default {"computed": "today" | "now" | "me"} is a call that Postgres evaluates for each new record.
create or replace function holdfast.set_default_sql(of_table regclass, field name, given jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  column_ pg_attribute;
  full_name constant text := holdfast.full_name(of_table);
  workspace constant uuid := (select t.workspace_id from holdfast.tables t join pg_class c on c.oid = of_table where (t.schema_name, t.table_name) = ('public', c.relname::text));
  value text;
begin
  select * into column_ from pg_attribute a where a.attrelid = of_table and a.attname = field;
  if column_.attidentity <> '' or column_.attgenerated <> '' then
    raise exception 'The database fills in this field.' using hint = 'change_table.no_field';
  end if;
  if given in ('null', '""') then
    return case when column_.atthasdef then format(E'alter table %s alter column %I drop default;\n', full_name, field) else '' end;
  end if;
  if jsonb_typeof(given) = 'object' then
    value := case when given = '{"computed": "today"}' and column_.atttypid = 'date'::regtype then format('holdfast.formula_today(%L)', workspace)
                  when given = '{"computed": "now"}' and column_.atttypid = 'timestamptz'::regtype then 'holdfast.formula_now()'
                  when given = '{"computed": "me"}' and exists (
                    select from pg_constraint c where c.conrelid = of_table and c.contype = 'f' and c.conkey = array[column_.attnum] and c.confrelid = 'holdfast.members'::regclass)
                  then format('holdfast.my_member_id(%L)', workspace) end;
    if value is null then
      raise exception 'This is no value of such a field: %.', left(given ->> 'computed', 60) using hint = 'change_table.default_value';
    end if;
    return format(E'alter table %s alter column %I set default %s;\n', full_name, field, value);
  end if;
  value := case when column_.atttypid in ('text'::regtype, 'varchar'::regtype) then given #>> '{}'
                when column_.atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype) then holdfast.convert_text(given #>> '{}', 'integer')
                when column_.atttypid = 'numeric'::regtype then holdfast.convert_text(given #>> '{}', 'number')
                when column_.atttypid = 'bool'::regtype then holdfast.convert_text(given #>> '{}', 'boolean')
                when column_.atttypid = 'date'::regtype then holdfast.convert_text(given #>> '{}', 'date') end;
  if value is null or length(value) > 1000 then
    raise exception 'This is no value of such a field: %.', left(given #>> '{}', 60) using hint = 'change_table.default_value';
  end if;
  return format(E'alter table %s alter column %I set default %L;\n', full_name, field, value);
end
$$;

create or replace function holdfast.field_settings(workspace uuid, table_name text, field text) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := holdfast.require_changeable_table(workspace, table_name);
  name constant name := holdfast.field_of(of_table, field);
  checked constant text := (select pg_get_constraintdef(c.oid) from pg_constraint c where c.conrelid = of_table and c.conname = 'limits_' || name);
  computed constant text := holdfast.computed_default(of_table, name);
begin
  return jsonb_build_object('default', case when computed is null then holdfast.default_text(of_table, name) end, 'computed', computed,
    'unique', holdfast.unique_constraint(of_table, name) is not null,
    'min', substring(checked from '>= \(*''?(-?[0-9.-]+)'), 'max', substring(checked from '<= \(*''?(-?[0-9.-]+)'));
end
$$;

-- As in 0362, with computed defaults.
create or replace function holdfast.field_rules(of_table regclass, field name) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'required', case when a.attnotnull and a.attidentity = '' and a.attgenerated = '' then true end,
    'unique', case when holdfast.unique_constraint(of_table, field) is not null then true end,
    'default', case when holdfast.is_plain_default(of_table, field) then to_jsonb(regexp_replace(holdfast.default_text(of_table, field), '^\(?(-?[0-9.]+)\)?(::[a-z ]+)?$', '\1'))
                    when holdfast.computed_default(of_table, field) is not null then jsonb_build_object('computed', holdfast.computed_default(of_table, field)) end,
    'min', substring(l.checked from '>= \(*''?(-?[0-9.-]+)'), 'max', substring(l.checked from '<= \(*''?(-?[0-9.-]+)'),
    'required_when', case when not exists (
      select from holdfast.flat_conditions(r.required_when -> field::text) one, jsonb_array_elements_text(one.value -> 'values') v (value)
       where v.value ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$') then r.required_when -> field::text end))
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    left join holdfast.table_rules r on r.table_name = c.relname
    left join lateral (select pg_get_constraintdef(o.oid) as checked from pg_constraint o where o.conrelid = of_table and o.conname = 'limits_' || field) l on true
   where a.attrelid = of_table and a.attname = field
$$;

create or replace function holdfast.has_other_rules(of_table regclass, field name, keys jsonb) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select (a.atthasdef and a.attgenerated = '' and not holdfast.is_plain_default(of_table, field) and holdfast.computed_default(of_table, field) is null)
      or exists (
        select from pg_constraint r
         where r.conrelid = of_table and r.conkey @> array[a.attnum] and r.contype in ('c', 'u')
           and not (r.contype = 'u' and r.conname = holdfast.unique_constraint(of_table, field))
           and not (r.contype = 'c' and r.conname = 'limits_' || field)
           and not (r.contype = 'c' and exists (
             select from jsonb_object_keys((select t.required_when from holdfast.table_rules t join pg_class c on c.oid = of_table where t.table_name = c.relname)) one (name)
              where r.conname = 'required_' || one.name and (one.name <> field or holdfast.field_rules(of_table, field) ? 'required_when')))
           and not (r.contype = 'c' and r.conkey = array[a.attnum] and holdfast.field_definition(of_table, field, keys) ->> 'kind' in ('choice', 'rating', 'location')))
    from pg_attribute a where a.attrelid = of_table and a.attname = field
$$;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function, p.proname as name from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('my_member_id', 'computed_default', 'set_default_sql', 'field_settings', 'field_rules', 'has_other_rules')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name = 'my_member_id' then
      execute format('grant execute on function %s to anon, authenticated, service_role', one.function);
    elsif one.name = 'field_settings' then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
  -- As in 0051: functions whose text has a backslash say how it is written.
  for one in
    select p.oid::regprocedure as function from pg_proc p join pg_language l on l.oid = p.prolang
     where p.pronamespace = 'holdfast'::regnamespace and l.lanname in ('plpgsql', 'sql') and p.prosqlbody is null
       and strpos(p.prosrc, chr(92)) > 0 and pg_has_role(p.proowner, 'usage')
       and not exists (select from unnest(p.proconfig) setting where setting like 'standard_conforming_strings=%')
  loop
    execute format('alter routine %s set standard_conforming_strings = on', one.function);
  end loop;
end
$$;
