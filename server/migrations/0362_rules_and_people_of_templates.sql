-- Templates carry the rules of fields, and their sample records can be assigned to whoever loads them.
--
-- A field's "rules" are {"required": true, "unique": true, "default", "min", "max", "required_when"}, as the app sets them. They are set after the sample records.

create function holdfast.is_plain_default(of_table regclass, field name) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select coalesce((select pg_get_expr(d.adbin, d.adrelid) ~ '^(''([^'']|'''')*''::[a-z ]+|-?[0-9.]+|\(-[0-9.]+\)::[a-z ]+|true|false)$'
                     from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
                    where d.adrelid = of_table and a.attname = field and a.attgenerated = ''), false)
$$;
comment on function holdfast.is_plain_default(regclass, name) is 'Whether the default of a column is a constant.';

-- A condition that compares a link names a record.
create function holdfast.field_rules(of_table regclass, field name) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'required', case when a.attnotnull and a.attidentity = '' and a.attgenerated = '' then true end,
    'unique', case when holdfast.unique_constraint(of_table, field) is not null then true end,
    'default', case when holdfast.is_plain_default(of_table, field) then regexp_replace(holdfast.default_text(of_table, field), '^\(?(-?[0-9.]+)\)?(::[a-z ]+)?$', '\1') end,
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
comment on function holdfast.field_rules(regclass, name) is 'The rules of a field as a template carries them.';

create function holdfast.has_other_rules(of_table regclass, field name, keys jsonb) returns boolean
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select (a.atthasdef and a.attgenerated = '' and not holdfast.is_plain_default(of_table, field))
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
comment on function holdfast.has_other_rules(regclass, name, jsonb) is 'Whether a field has rules that a template cannot describe.';

-- As in 0289, with rules.
create or replace function holdfast.export_template_fields(workspace uuid, of_table regclass, keys jsonb) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object(
    'fields', coalesce(jsonb_agg(jsonb_build_object('name', one.name, 'label', one.label) || one.definition
                || case when one.rules = '{}' then '{}' else jsonb_build_object('rules', one.rules) end
                || case when one.looks = '{}' then '{}' else jsonb_build_object('looks', one.looks) end order by one.place) filter (where one.definition is not null), '[]'),
    'left_out', coalesce(jsonb_agg(jsonb_build_object('table', keys ->> one.of_name, 'field', one.name, 'reason', case when one.definition is null then 'field' else 'rule' end) order by one.place)
                filter (where one.definition is null or one.has_other_rules), '[]'))
  from (
    select a.attname::text as name, a.attnum as place, c.relname::text as of_name, holdfast.field_words(of_table, a.attname) as label,
           holdfast.field_definition(of_table, a.attname, keys) as definition,
           holdfast.field_rules(of_table, a.attname) as rules, holdfast.has_other_rules(of_table, a.attname, keys) as has_other_rules,
           coalesce((select jsonb_object_agg(l.key, l.value) from holdfast.fields f, jsonb_each(to_jsonb(f)) l
                      where f.schema_name = 'public' and f.table_name = c.relname and f.field_name = a.attname and f.workspace_id = workspace
                        and l.key <> all ('{id,workspace_id,schema_name,table_name,field_name,created_at,updated_at}')
                        and l.value <> all (array['null', '{}', 'false']::jsonb[])
                        -- Looks that create_table writes itself.
                        and not (l.key = 'choices' and l.value = coalesce(holdfast.new_choice_words(holdfast.field_definition(of_table, a.attname, keys) -> 'choices'), '{}'))
                        and not (l.key = 'format' and l.value = coalesce(holdfast.new_field_format(holdfast.field_definition(of_table, a.attname, keys)), 'null'))), '{}') as looks
      from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped and a.attname <> all ('{id,created_by,created_at,updated_at}')
  ) one
$$;

-- As in 0180, without a name of its own: the index of a constraint is in the schema, so two tables could not both have a unique title.
create or replace function holdfast.set_unique_sql(of_table regclass, field name, is_unique boolean) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  full_name constant text := holdfast.full_name(of_table);
  known constant name := holdfast.unique_constraint(of_table, field);
  twice text;
begin
  if is_unique = (known is not null) then
    return '';
  end if;
  if not is_unique then
    return format(E'alter table %s drop constraint %I;\n', full_name, known);
  end if;
  execute format('select string_agg(format(''%%s (%%s)'', left(d.value, 60), d.records), '', '' order by d.records desc, d.value) from (
                    select %1$I::text as value, count(*) as records from %2$s where %1$I is not null group by %1$I having count(*) > 1
                     order by count(*) desc, 1 limit 100) d', field, full_name) into twice;
  if twice is not null then
    raise exception 'Several records have these values: %', twice using hint = 'change_table.duplicates';
  end if;
  return format(E'alter table %s add unique (%I);\n', full_name, field);
end
$$;

create function holdfast.template_rules_sql(workspace uuid, part jsonb, name text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := format('public.%I', name)::regclass;
  statements text := '';
  field jsonb;
  rules jsonb;
  change jsonb;
  edits text;
begin
  for field in select f.value from jsonb_array_elements(part -> 'fields') f where f.value ? 'rules' loop
    rules := field -> 'rules';
    perform holdfast.require_template_parts(rules, '{required,unique,default,min,max,required_when}', format('"rules" of the field %s', field ->> 'name'));
    change := jsonb_strip_nulls(jsonb_build_object(
      'kind', 'edit_field', 'field', field ->> 'name', 'required', rules -> 'required', 'unique', rules -> 'unique', 'default', rules -> 'default',
      'limits', case when rules ?| '{min,max}' then jsonb_build_object('min', rules -> 'min', 'max', rules -> 'max') end));
    edits := holdfast.any_change_sql(workspace, of_table, change);
    statements := statements || edits
      || case when edits = '' then '' else format(E'select holdfast.record_change(%L, %L, %L, %L, %L);\n', workspace, name, 'edit_field', change, edits) end
      || case when rules ? 'required_when' then
           holdfast.required_when_sql(workspace, name, field ->> 'name', rules -> 'required_when') || format(
             E'\ninsert into holdfast.table_rules as r (workspace_id, table_name, required_when) values (%L, %L, %L)\n'
             '  on conflict on constraint holdfast_table_rules_once do update set required_when = r.required_when || excluded.required_when;' || E'\n',
             workspace, name, jsonb_build_object(field ->> 'name', rules -> 'required_when')) else '' end;
  end loop;
  return statements;
exception
  when raise_exception then
    perform holdfast.refuse_template('rule', format('The rules of the field %s of %s do not fit: %s', field ->> 'name', part ->> 'key', sqlerrm));
    return null; -- never reached
end
$$;
comment on function holdfast.template_rules_sql(uuid, jsonb, text) is 'The statements for the rules of the fields of a table.';

-- As in 0053. Rules of fields are set with the steps between their values, after the records.
create or replace function holdfast.template_transitions_sql(workspace uuid, part jsonb, name text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  statements text := '';
  step jsonb;
begin
  for step in select s.value from jsonb_array_elements(coalesce(part -> 'transitions', '[]')) s loop
    perform holdfast.require_template_parts(step, '{field,from,to,words}', format('A transition of the table %s', part ->> 'key'));
    statements := statements || format(E'insert into holdfast.transitions (workspace_id, table_name, field, from_value, to_value, words) values (%L, %L, %L, %L, %L, %L);\n',
                                       workspace, name, step ->> 'field', step ->> 'from', step ->> 'to', step ->> 'words');
  end loop;
  return statements || coalesce((
    select string_agg(format('select holdfast.enforce_transitions(%L, %L);', format('public.%I', name), s.field), E'\n' order by s.field) || E'\n'
      from (select distinct s.value ->> 'field' as field from jsonb_array_elements(coalesce(part -> 'transitions', '[]')) s) s), '')
    || holdfast.template_rules_sql(workspace, part, name);
end
$$;

-- As in 0056. "me" is the member who loads the template.
create or replace function holdfast.template_record_sql(part jsonb, record jsonb, place integer, of_table regclass, context jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  columns text[] := '{id,created_at}';
  literals text[] := array[format('%L', context -> 'ids' -> (part ->> 'key') ->> (record ->> 'id')), format('now() - %s * interval ''1 microsecond''', place)];
  late text[] := '{}';
  given record;
  field jsonb;
  type oid;
  literal text;
begin
  for given in select r.key, r.value from jsonb_each(record) r where r.key <> 'id' order by r.key loop
    select f.value into field from jsonb_array_elements(part -> 'fields') f where f.value ->> 'name' = given.key;
    select a.atttypid into type from pg_attribute a where a.attrelid = of_table and a.attname = given.key and a.attnum > 0 and a.attgenerated = '' and a.attidentity = '';
    if field is null or type is null then
      perform holdfast.refuse_template('record', format('The record %s of the table %s has a value for "%s", which is not one of its fields.',
        record ->> 'id', part ->> 'key', left(given.key, 60)));
    end if;
    continue when given.value = 'null';
    if field ->> 'kind' = 'link' and field ->> 'table' = 'hf_members' and given.value = '"me"' then
      -- In a database made from migrations, nobody loads the template.
      columns := columns || given.key;
      literals := literals || format('(select m.id from holdfast.members m where m.workspace_id = %L and m.user_id = holdfast.user_id())',
        (select t.workspace_id from holdfast.tables t join pg_class c on c.oid = of_table where t.schema_name = 'public' and t.table_name = c.relname));
      continue;
    end if;
    if field ->> 'kind' = 'link' then
      literal := context -> 'ids' -> (field ->> 'table') ->> (given.value #>> '{}');
      if literal is null then
        perform holdfast.refuse_template('record', format('The record %s of the table %s links to a record "%s" that the template does not have.',
          record ->> 'id', part ->> 'key', left(given.value #>> '{}', 60)));
      end if;
    else
      literal := holdfast.template_value(given.value, type, context ->> 'language', context ->> 'zone');
    end if;
    if context -> 'late' @> jsonb_build_array(jsonb_build_object('key', part -> 'key', 'field', jsonb_build_object('name', given.key))) then
      late := late || format('%I = %L', given.key, literal);
    else
      columns := columns || given.key;
      literals := literals || format('%L', literal);
    end if;
  end loop;
  if context ->> 'step' = 'late' then
    return case when late <> '{}' then format(E'update %s set %s where id = %s;\n', of_table, array_to_string(late, ', '), literals[1]) end;
  end if;
  return format(E'insert into %s (%s) values (%s);\n', of_table,
                (select string_agg(format('%I', c.name), ', ' order by c.place) from unnest(columns) with ordinality c (name, place)), array_to_string(literals, ', '));
end
$$;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('is_plain_default', 'field_rules', 'has_other_rules', 'template_rules_sql')
  loop
    execute format('revoke all on function %s from public', one.function);
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
