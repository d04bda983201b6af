-- Owners and admins set the default, the limits and the uniqueness of a field; renamed options are renamed in the filters of views and dashboards too.

create function holdfast.limit_words(of_table regclass, field name, type oid, lowest text, highest text) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select holdfast.field_label(of_table, field) || case
    when type in ('text'::regtype, 'varchar'::regtype) then format(' has at most %s characters.', highest)
    when type = 'date'::regtype then case when highest is null then format(' is not before %s.', lowest) when lowest is null then format(' is not after %s.', highest)
                                          else format(' is from %s to %s.', lowest, highest) end
    else case when highest is null then format(' is at least %s.', lowest) when lowest is null then format(' is at most %s.', highest)
              else format(' is from %s to %s.', lowest, highest) end
  end
$$;
comment on function holdfast.limit_words(regclass, name, oid, text, text) is 'What a user reads whose value is out of the limits.';

create function holdfast.limit_value(type oid, given jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  kind constant text := case when type = 'date'::regtype then 'date' when type in ('text'::regtype, 'varchar'::regtype, 'int2'::regtype, 'int4'::regtype, 'int8'::regtype) then 'integer'
                             when type = 'numeric'::regtype then 'number' end;
  value constant text := case when kind is not null then holdfast.convert_text(given #>> '{}', kind) end;
begin
  if given is null or given in ('null', '""') then
    return null;
  end if;
  if value is null or (type in ('text'::regtype, 'varchar'::regtype) and value::bigint not between 1 and 1000000) then
    raise exception 'This is no limit of such a field: %.', left(given #>> '{}', 60) using hint = 'change_table.limit';
  end if;
  return value;
end
$$;
comment on function holdfast.limit_value(oid, jsonb) is 'A limit as Postgres writes it; null without one.';

-- {"min", "max"}, or {"max"} characters of a text.
create function holdfast.set_limits_sql(of_table regclass, field name, limits jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  type constant oid := (select a.atttypid from pg_attribute a where a.attrelid = of_table and a.attname = field);
  is_text constant boolean := type in ('text'::regtype, 'varchar'::regtype);
  lowest constant text := case when not is_text then holdfast.limit_value(type, limits -> 'min') end;
  highest constant text := holdfast.limit_value(type, limits -> 'max');
  name constant text := 'limits_' || field;
  full_name constant text := holdfast.full_name(of_table);
  condition constant text := concat_ws(' and ', case when lowest is not null then format('%I >= %L::%s', field, lowest, format_type(type, null)) end,
    case when highest is not null and is_text then format('char_length(%I) <= %s', field, highest)
         when highest is not null then format('%I <= %L::%s', field, highest, format_type(type, null)) end);
  dropped constant text := (select format(E'alter table %s drop constraint %I;\n', full_name, c.conname) from pg_constraint c where c.conrelid = of_table and c.conname = name);
  beyond bigint;
begin
  if condition = '' then
    return coalesce(dropped, '');
  end if;
  if lowest is not null and highest is not null and (case when type = 'date'::regtype then lowest > highest else lowest::numeric > highest::numeric end) then
    raise exception 'The lower limit is above the upper one.' using hint = 'change_table.limit';
  end if;
  execute format('select count(*) from %s where not (%s)', full_name, condition) into beyond;
  if beyond > 0 then
    raise exception '% records have a value beyond these limits.', beyond using hint = 'change_table.beyond', detail = beyond::text;
  end if;
  return coalesce(dropped, '') || format(E'alter table %1$s add constraint %2$I check (%3$s);\ncomment on constraint %2$I on %1$s is %4$L;\n', full_name, name, condition,
    holdfast.limit_words(of_table, field, type, lowest, highest));
end
$$;
comment on function holdfast.set_limits_sql(regclass, name, jsonb) is 'Statements of the part "limits" of the change edit_field.';

create function holdfast.set_default_sql(of_table regclass, field name, given jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  column_ pg_attribute;
  full_name constant text := holdfast.full_name(of_table);
  value text;
begin
  select * into column_ from pg_attribute a where a.attrelid = of_table and a.attname = field;
  if column_.attidentity <> '' or column_.attgenerated <> '' then
    raise exception 'The database fills in this field.' using hint = 'change_table.no_field';
  end if;
  if given in ('null', '""') then
    return case when column_.atthasdef then format(E'alter table %s alter column %I drop default;\n', full_name, field) else '' end;
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
comment on function holdfast.set_default_sql(regclass, name, jsonb) is 'Statements of the part "default" of the change edit_field; null removes it.';

create function holdfast.default_text(of_table regclass, field name) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select case when one.given ~ '^''(?:[^'']|'''')*''::[a-z ]+$' then replace(substring(one.given from '^''(.*)''::[a-z ]+$'), '''''', '''') else one.given end
    from (select pg_get_expr(d.adbin, d.adrelid) as given from pg_attrdef d join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
           where d.adrelid = of_table and a.attname = field and a.attgenerated = '') one
$$;
comment on function holdfast.default_text(regclass, name) is 'The default of a column: a constant as text, otherwise its expression.';

-- A default that is one of the options is renamed with it, and goes with it.
create function holdfast.keep_default_sql(of_table regclass, field name, options jsonb, renamed jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(max(case when renamed ? one.text then format(E'alter table %s alter column %I set default %L;\n', holdfast.full_name(of_table), field, renamed ->> one.text)
                           when not options ? one.text then format(E'alter table %s alter column %I drop default;\n', holdfast.full_name(of_table), field) end), '')
    from (select holdfast.default_text(of_table, field) as text) one where one.text is not null
$$;
comment on function holdfast.keep_default_sql(regclass, name, jsonb, jsonb) is 'Statements that keep the default of a choice one of its options.';

create function holdfast.unique_constraint(of_table regclass, field name) returns name
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select c.conname from pg_constraint c join pg_attribute a on a.attrelid = of_table and a.attname = field
   where c.conrelid = of_table and c.contype = 'u' and c.conkey = array[a.attnum] order by c.oid limit 1
$$;
comment on function holdfast.unique_constraint(regclass, name) is 'The name of the constraint that makes a field unique; null without one.';

create function holdfast.set_unique_sql(of_table regclass, field name, is_unique boolean) returns text
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
  return format(E'alter table %s add constraint %I unique (%I);\n', full_name, 'unique_' || field, field);
end
$$;
comment on function holdfast.set_unique_sql(regclass, name, boolean) is 'Statements of the part "unique" of the change edit_field.';

-- What the dialog of a field shows.
create function holdfast.field_settings(workspace uuid, table_name text, field text) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := holdfast.require_changeable_table(workspace, table_name);
  name constant name := holdfast.field_of(of_table, field);
  checked constant text := (select pg_get_constraintdef(c.oid) from pg_constraint c where c.conrelid = of_table and c.conname = 'limits_' || name);
begin
  return jsonb_build_object('default', holdfast.default_text(of_table, name), 'unique', holdfast.unique_constraint(of_table, name) is not null,
    'min', substring(checked from '>= \(*''?(-?[0-9.-]+)'), 'max', substring(checked from '<= \(*''?(-?[0-9.-]+)'));
end
$$;
comment on function holdfast.field_settings(uuid, text, text) is 'Default, limits and uniqueness of a field. For owners and admins of the workspace.';

-- Parts of a filter are divided by dots, commas and parentheses, which "!" escapes: state.in.open.doing
create function holdfast.rename_in_filter(filter text, field text, renamed jsonb) returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  result text := '';
  part record;
  place integer := 0;
  condition_field text;
  plain text;
begin
  for part in select m.found[1] as text, coalesce(m.found[2], '') as mark from regexp_matches(filter, '((?:![\s\S]|[^!.,()])*)([.,()]|$)', 'g') m (found) loop
    plain := regexp_replace(part.text, '!([\s\S])', '\1', 'g');
    if place = 0 then
      condition_field := plain;
    elsif place >= 2 and condition_field = field and renamed ? plain then
      part.text := regexp_replace(renamed ->> plain, '([!.,()])', '!\1', 'g');
    end if;
    result := result || part.text || part.mark;
    place := case when part.mark = '.' then place + 1 else 0 end;
  end loop;
  return result;
end
$$;
comment on function holdfast.rename_in_filter(text, text, jsonb) is 'A filter whose values of a field are renamed.';

create function holdfast.rename_in_views(of_name text, field text, renamed jsonb) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if renamed = '{}' then
    return;
  end if;
  update holdfast.views v set config = v.config || one.changed
    from (select o.id, jsonb_object_agg(s.key, holdfast.rename_in_filter(s.value #>> '{}', rename_in_views.field, renamed)) as changed
            from holdfast.views o, jsonb_each(o.config) s
           where o.table_name = of_name and s.key in ('filter', 'color') and jsonb_typeof(s.value) = 'string' group by o.id) one
   where v.id = one.id and v.config is distinct from v.config || one.changed;
  update holdfast.dashboards d set config = jsonb_set(d.config, '{tiles}', (
      select jsonb_agg(case when t.value ->> 'table' = of_name and t.value ? 'filter'
                            then jsonb_set(t.value, '{filter}', to_jsonb(holdfast.rename_in_filter(t.value ->> 'filter', rename_in_views.field, renamed))) else t.value end order by t.place)
        from jsonb_array_elements(d.config -> 'tiles') with ordinality t (value, place)))
   where jsonb_path_exists(d.config, '$.tiles[*] ? (@.table == $name && exists (@.filter))', jsonb_build_object('name', of_name));
end
$$;
comment on function holdfast.rename_in_views(text, text, jsonb) is 'Renames options in the filters of views and dashboards.';

-- Parts of edit_field beside those of table_change_sql.
create function holdfast.edit_more_sql(of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  field constant name := holdfast.field_of(of_table, change ->> 'field');
  of_name constant text := (select c.relname from pg_class c where c.oid = of_table);
  renamed constant jsonb := coalesce(nullif(change -> 'renamed', 'null'), '{}');
begin
  if jsonb_typeof(change -> 'unique') not in ('boolean', 'null') or jsonb_typeof(change -> 'limits') not in ('object', 'null') then
    raise exception 'A field is unique or not, and limits are an object.' using hint = 'change_table.kind';
  end if;
  return case when renamed = '{}' then '' else format(E'select holdfast.rename_in_views(%L, %L, %L);\n', of_name, field, renamed) end
    || case when coalesce(jsonb_typeof(change -> 'limits'), 'null') = 'null' then '' else holdfast.set_limits_sql(of_table, field, change -> 'limits') end
    || case when change ? 'default' then holdfast.set_default_sql(of_table, field, change -> 'default')
            when change ? 'choices' then holdfast.keep_default_sql(of_table, field, change -> 'choices', renamed) else '' end
    || case when (change ->> 'unique') is null then '' else holdfast.set_unique_sql(of_table, field, (change ->> 'unique')::boolean) end;
end
$$;
comment on function holdfast.edit_more_sql(regclass, jsonb) is 'Statements of the parts "limits", "default" and "unique" of the change edit_field, and of renamed options in views.';

-- As in 0121; limits go with the type.
create or replace function holdfast.users_of_type(of_table regclass, field name) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select string_agg(used.by, ', ' order by used.by) from (
    select pg_describe_object(d.classid, d.objid, 0) as by
      from pg_attribute a join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = of_table and d.refobjsubid = a.attnum
     where a.attrelid = of_table and a.attname = field and d.classid in ('pg_policy'::regclass, 'pg_rewrite'::regclass, 'pg_proc'::regclass, 'pg_trigger'::regclass)
       and not exists (select from pg_trigger t where d.classid = 'pg_trigger'::regclass and t.oid = d.objid and t.tgisinternal)
    union
    select format('index %s', i.indexrelid::regclass) from pg_attribute a
      join pg_depend d on d.refclassid = 'pg_class'::regclass and d.refobjid = of_table and d.refobjsubid = a.attnum and d.classid = 'pg_class'::regclass
      join pg_index i on i.indexrelid = d.objid join pg_class c on c.oid = i.indexrelid join pg_am m on m.oid = c.relam
     where a.attrelid = of_table and a.attname = field and (i.indnatts > 1 or i.indpred is not null or i.indexprs is not null or m.amname <> 'btree')
    union
    select format('rule %s', c.conname) from pg_constraint c join pg_attribute a on a.attrelid = of_table and a.attname = field
     where c.conrelid = of_table and a.attnum = any (c.conkey) and (cardinality(c.conkey) > 1 or c.contype = 'x'
           or (c.contype = 'c' and c.conname is distinct from holdfast.choice_constraint(of_table, field) and c.conname <> 'limits_' || field
               and pg_get_constraintdef(c.oid) !~ format('^CHECK \(\(\(%1$s >= 1\) AND \(%1$s <= [0-9]+\)\)\)$', quote_ident(field))))
    union
    select holdfast.computed_fields_reading(c.relname, field) from pg_class c where c.oid = of_table
    union
    select 'steps between options' from holdfast.transitions t join pg_class c on c.oid = of_table where t.table_name = c.relname and t.field = users_of_type.field
    union
    select 'a rule of when a field is required' from holdfast.table_rules r join pg_class c on c.oid = of_table, jsonb_each(r.required_when) rule (required, conditions)
     where r.table_name = c.relname and (rule.required = field or rule.conditions @> jsonb_build_array(jsonb_build_object('field', field)))
    union
    select 'public form ' || (f.definition ->> 'title') from holdfast.public_forms f join pg_class c on c.oid = of_table
     where f.table_name = c.relname and f.is_open and f.definition -> 'questions' @> jsonb_build_array(jsonb_build_object('field', field))
  ) used (by) where used.by is not null
$$;

create or replace function holdfast.any_change_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select case change ->> 'kind'
    when 'rename_table' then holdfast.rename_table_sql(workspace, of_table, change)
    when 'duplicate_table' then holdfast.duplicate_table_sql(workspace, of_table, change)
    when 'delete_table' then holdfast.delete_table_sql(workspace, of_table, change)
    when 'convert_field' then holdfast.convert_field_sql(workspace, of_table, change)
    when 'edit_field' then holdfast.table_change_sql(workspace, of_table, change) || holdfast.edit_more_sql(of_table, change)
    else holdfast.table_change_sql(workspace, of_table, change)
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
    select p.oid::regprocedure as function, p.proname as name from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace
       and p.proname in ('limit_words', 'limit_value', 'set_limits_sql', 'set_default_sql', 'set_unique_sql', 'unique_constraint', 'rename_in_filter', 'rename_in_views', 'edit_more_sql', 'keep_default_sql', 'default_text', 'field_settings')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('field_settings') then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
