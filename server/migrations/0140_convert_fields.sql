-- Owners and admins change the type of a field. Values go by their text: from the text of the old value to the new type, without loss. The preview counts and lists the values
-- that do not convert; the change leaves these empty, and keeps their text in another field if the owner wants it.

-- A value converts if the new one reads the same: 007 is no number, because it would read 7.
create function holdfast.convert_text(value text, kind text, settings jsonb default '{}') returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  given constant text := btrim(value, E' \t\r\n');
  part text[];
begin
  case kind
  when 'text' then return value;
  when 'integer' then return case when given ~ '^-?[0-9]{1,19}$' then case when given::bigint::text = given then given end end;
  when 'number' then
    return case when length(given) <= 100 and given ~ '^-?[0-9]+(\.[0-9]+)?$' then case when given::numeric::text = given then given end end;
  when 'boolean' then
    return case when lower(given) in ('true', 'yes', '1', 'wahr', 'ja') then 'true' when lower(given) in ('false', 'no', '0', 'falsch', 'nein') then 'false' end;
  when 'date' then
    part := regexp_match(given, '^([0-9]{4})-([0-9]{2})-([0-9]{2})$');
    if part is null and settings ->> 'order' in ('dmy', 'mdy') then
      part := regexp_match(given, '^([0-9]{1,2})[./-]([0-9]{1,2})[./-]([0-9]{4})$');
      part := case settings ->> 'order' when 'dmy' then array[part[3], part[2], part[1]] else array[part[3], part[1], part[2]] end;
    end if;
    return make_date(part[1]::integer, part[2]::integer, part[3]::integer)::text;
  when 'choice' then return case when settings -> 'choices' ? given then given end;
  end case;
exception
  when numeric_value_out_of_range or datetime_field_overflow then
    return null; -- 99999999999999999999 and 2026-02-30
end
$$;
comment on function holdfast.convert_text(text, text, jsonb) is 'A text as a value of a kind, as Postgres writes it; null if it does not convert without loss.';

-- By their names, where exactly one record has it.
create function holdfast.linked_id(target regclass, by name, workspace uuid, value text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  found_id text;
begin
  execute format('select case when count(*) = 1 then min(t.id::text) end from %s t where btrim(t.%I::text) = btrim($1) and btrim($1) <> ''''%s', target, by,
                 case when target in ('holdfast.members'::regclass, 'holdfast.teams'::regclass) then ' and t.workspace_id = $2' end)
     into found_id using value, workspace;
  return found_id;
end
$$;
comment on function holdfast.linked_id(regclass, name, uuid, text) is 'The id of the only record with a name; null if there is none, or several.';

create function holdfast.linked_name(target regclass, by name, id uuid) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  name text;
begin
  if id is not null then
    execute format('select coalesce(nullif(btrim(t.%1$I::text), ''''), t.id::text) from %2$s t where t.id = $1', by, target) into name using id;
  end if;
  return name;
end
$$;
comment on function holdfast.linked_name(regclass, name, uuid) is 'The name of a record, or its id if it has none.';

-- The table that a link leads to, with the column of its names. Tables of the project are not read past their policies.
create function holdfast.require_named_table(workspace uuid, target regclass, by text) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if target is null or not (target in ('holdfast.members'::regclass, 'holdfast.teams'::regclass)
       or exists (select from holdfast.tables t join pg_class c on c.oid = target and c.relname = t.table_name and c.relnamespace = 'public'::regnamespace
                   where t.schema_name = 'public' and t.workspace_id = workspace))
     or not exists (select from pg_attribute a where a.attrelid = target and a.attname = by and a.attnum > 0 and not a.attisdropped)
     or (target in ('holdfast.members'::regclass, 'holdfast.teams'::regclass) and by <> 'name') then
    raise exception 'Records of this table cannot be found by their name.' using hint = 'change_table.convert';
  end if;
end
$$;
comment on function holdfast.require_named_table(uuid, regclass, text) is 'Refuses links whose names an owner may not read.';

-- {"text": the SQL of the old value as a text, "value": the SQL of the new one as a text, "type": its type}
create function holdfast.conversion_of(workspace uuid, of_table regclass, change jsonb) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  field constant name := holdfast.field_of(of_table, change ->> 'field');
  wanted constant jsonb := change -> 'to';
  target constant regclass := (
    select c.confrelid from pg_constraint c join pg_attribute a on a.attrelid = of_table and a.attname = field
     where c.conrelid = of_table and c.contype = 'f' and c.conkey = array[a.attnum] limit 1);
  column_ pg_attribute;
  given text;
  of_link regclass;
begin
  select * into column_ from pg_attribute a where a.attrelid = of_table and a.attname = field;
  if column_.attidentity <> '' or column_.attgenerated <> '' then
    raise exception 'The database fills in this field.' using hint = 'change_table.no_field';
  end if;
  given := case
    when target is not null then format('holdfast.linked_name(%L, %L, %I)', target, change ->> 'by', field)
    when column_.atttypid in ('text'::regtype, 'varchar'::regtype) then format('%I::text', field)
    when column_.atttypid = 'numeric'::regtype and wanted ->> 'kind' = 'integer' then format('trim_scale(%I)::text', field)
    when column_.atttypid in ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'numeric'::regtype, 'bool'::regtype, 'date'::regtype) then format('%I::text', field)
  end;
  if target is not null then
    perform holdfast.require_named_table(workspace, target, change ->> 'by');
  end if;
  if given is null or wanted ->> 'kind' is null or wanted ->> 'kind' not in ('text', 'integer', 'number', 'boolean', 'date', 'choice', 'link')
     or coalesce(wanted ->> 'order', 'iso') not in ('iso', 'dmy', 'mdy') then
    raise exception 'The field cannot get this type.' using hint = 'change_table.convert';
  end if;
  if wanted ->> 'kind' = 'link' then
    perform holdfast.new_link_sql(wanted ->> 'table');
    of_link := case wanted ->> 'table' when 'hf_teams' then 'holdfast.teams' when 'hf_members' then 'holdfast.members' else format('public.%I', wanted ->> 'table') end;
    perform holdfast.require_named_table(workspace, of_link, wanted ->> 'by');
    return jsonb_build_object('text', given, 'type', 'uuid', 'value', format('holdfast.linked_id(%L, %L, %L, %s)', of_link, wanted ->> 'by', workspace, given));
  end if;
  return jsonb_build_object('text', given,
    'type', case wanted ->> 'kind' when 'integer' then 'bigint' when 'number' then 'numeric' when 'boolean' then 'boolean' when 'date' then 'date' else 'text' end,
    'value', format('holdfast.convert_text(%s, %L, %L)', given, wanted ->> 'kind', wanted - array['kind', 'table', 'by']));
end
$$;
comment on function holdfast.conversion_of(uuid, regclass, jsonb) is 'The SQL of the old and new values of a field whose type changes.';

create function holdfast.field_conversion(workspace uuid, table_name text, change jsonb) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := holdfast.require_changeable_table(workspace, table_name);
  wanted jsonb := change -> 'to';
  conversion jsonb := holdfast.conversion_of(workspace, of_table, change);
  choices jsonb;
  result jsonb;
begin
  if wanted ->> 'kind' = 'choice' and wanted -> 'choices' is null then
    execute format('select coalesce(jsonb_agg(v.text order by v.text), ''[]'') from (select distinct left(btrim(%1$s, E'' \t\r\n''), 101) as text from %2$s limit 1000) v
                     where v.text <> '''' and length(v.text) <= 100 and v.text !~ ''[[:cntrl:]\\]''', conversion ->> 'text', of_table) into choices;
    select coalesce(jsonb_agg(c.value order by c.place), '[]') into choices from jsonb_array_elements(choices) with ordinality c (value, place)
     where c.place <= holdfast.new_table_limit('choices of a field');
    conversion := holdfast.conversion_of(workspace, of_table, jsonb_set(change, '{to,choices}', choices));
  end if;
  execute format('with value as (select %1$s as text, count(*) as records from %2$s group by 1),
                       lost as (select v.text, v.records from value v, lateral (select %3$s as converted) one where btrim(v.text, E'' \t\r\n'') <> '''' and one.converted is null)
                  select jsonb_build_object(''total'', coalesce((select sum(v.records) from value v where btrim(v.text, E'' \t\r\n'') <> ''''), 0),
                    ''lost'', coalesce((select sum(l.records) from lost l), 0),
                    ''values'', coalesce((select jsonb_agg(jsonb_build_object(''text'', left(l.text, 200), ''records'', l.records)) from (
                      select * from lost order by records desc, text limit 100) l), ''[]''))',
                 conversion ->> 'text', of_table, replace(conversion ->> 'value', conversion ->> 'text', 'v.text')) into result;
  return result || case when choices is null then '{}' else jsonb_build_object('choices', choices) end;
end
$$;
comment on function holdfast.field_conversion(uuid, text, jsonb) is
  'What a new type would do to the values of a field: how many there are, how many do not convert, and up to 100 of those. For owners and admins.';

-- Policies, views, functions, triggers, indexes, constraints, rules and forms that go by the type of a column.
create function holdfast.users_of_type(of_table regclass, field name) returns text
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
           or (c.contype = 'c' and c.conname is distinct from holdfast.choice_constraint(of_table, field)
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
comment on function holdfast.users_of_type(regclass, name) is 'What goes by the type of a column; null if nothing does.';

create function holdfast.convert_field_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  conversion constant jsonb := holdfast.conversion_of(workspace, of_table, change);
  field constant name := change ->> 'field';
  wanted constant jsonb := change -> 'to';
  full_name constant text := holdfast.full_name(of_table);
  of_name constant text := (select c.relname from pg_class c where c.oid = of_table);
  lost_sql constant text := format('btrim(%s, E'' \t\r\n'') <> '''' and %s is null', conversion ->> 'text', conversion ->> 'value');
  used constant text := holdfast.users_of_type(of_table, field);
  column_ pg_attribute;
  kept text;
  dropped text;
  lost bigint;
  gaps bigint;
begin
  select * into column_ from pg_attribute a where a.attrelid = of_table and a.attname = field;
  if used is not null then
    raise exception 'Something uses the field: %', used using hint = 'change_table.used';
  end if;
  if column_.atthasdef then
    raise exception 'The field has a default value. Remove it first.' using hint = 'change_table.default';
  end if;
  if wanted ->> 'kind' = 'choice' then
    perform holdfast.new_choice_sql(field, wanted -> 'choices');
  end if;
  execute format('select count(*) filter (where %1$s), count(*) filter (where %2$s is null) from %3$s', lost_sql, conversion ->> 'value', full_name) into lost, gaps;
  if column_.attnotnull and gaps > 0 then
    raise exception '% records would have no value, and the field is required.', gaps using hint = 'change_table.gaps', detail = gaps::text;
  end if;
  if lost > 0 and change ->> 'rest' is distinct from 'empty' and change ->> 'rest' is distinct from 'keep' then
    raise exception '% records have a value that does not convert.', lost using hint = 'change_table.lost', detail = lost::text;
  end if;
  if lost > 0 and change ->> 'rest' = 'keep' then
    if (select count(*) from pg_attribute a where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped) >= holdfast.new_table_limit('fields') then
      raise exception 'A table has between 1 and 200 fields.' using hint = 'new_table.fields';
    end if;
    kept := holdfast.free_field_name(of_table, left(field, 40) || '_text');
  end if;
  select string_agg(format(E'alter table %s drop constraint %I;\n', full_name, c.conname), '' order by c.oid) into dropped
    from pg_constraint c where c.conrelid = of_table and c.contype in ('c', 'f') and c.conkey = array[column_.attnum];
  dropped := concat(dropped, (
    select string_agg(format(E'drop index %s;\n', i.indexrelid::regclass), '' order by i.indexrelid) from pg_index i
     where i.indrelid = of_table and i.indkey[0] = column_.attnum and i.indnatts = 1 and column_.atttypid = 'uuid'::regtype
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)));
  return case when kept is null then '' else format(
      E'alter table %1$s add column %2$I text;\ncomment on column %1$s.%2$I is %3$L;\nalter table %1$s disable trigger user;\nupdate %1$s set %2$I = %4$s where %5$s;\n'
      'alter table %1$s enable trigger user;' || E'\n', full_name, kept, holdfast.require_new_label(coalesce(change ->> 'keep_label', left(holdfast.field_label(of_table, field), 33) || ' before')) || '.',
      conversion ->> 'text', lost_sql) end
    || coalesce(dropped, '')
    -- Rows that a new type rewrites are sent to devices again; those of the same type only if they are updated.
    || case when column_.atttypid = (conversion ->> 'type')::regtype then
         case when wanted ->> 'kind' = 'text' then '' else format(
           E'alter table %1$s disable trigger user;\nupdate %1$s set %2$I = %3$s where %2$I is not null and %2$I is distinct from %3$s;\nalter table %1$s enable trigger user;\n',
           full_name, field, conversion ->> 'value') end
       else format(E'alter table %1$s alter column %2$I type %3$s using (%4$s)::%3$s;\n', full_name, field, conversion ->> 'type', conversion ->> 'value') end
    || case wanted ->> 'kind'
         when 'choice' then format(E'alter table %s add %s;\nselect holdfast.keep_choice_words(%L, %L, %L, ''{}'');\n', full_name,
                                   substring(holdfast.new_choice_sql(field, wanted -> 'choices') from '^text (check .*)$'), of_name, field, wanted -> 'choices')
         when 'link' then format(E'alter table %1$s add foreign key (%2$I) %3$s;\ncreate index on %1$s (%2$I);\n', full_name, field,
                                 substring(holdfast.new_link_sql(wanted ->> 'table') from '^uuid (.*)$'))
         else '' end
    || format(E'update holdfast.fields set format = null%s where schema_name = ''public'' and table_name = %L and field_name = %L;\n',
              case when wanted ->> 'kind' <> 'choice' then ', choices = ''{}''' else '' end, of_name, field);
end
$$;
comment on function holdfast.convert_field_sql(uuid, regclass, jsonb) is
  'Statements of the change {"kind": "convert_field", "field", "by", "to": {"kind", "choices", "table", "by", "order"}, "rest": "empty" or "keep", "keep_label"}.';

create or replace function holdfast.any_change_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select case change ->> 'kind'
    when 'rename_table' then holdfast.rename_table_sql(workspace, of_table, change)
    when 'duplicate_table' then holdfast.duplicate_table_sql(workspace, of_table, change)
    when 'delete_table' then holdfast.delete_table_sql(workspace, of_table, change)
    when 'convert_field' then holdfast.convert_field_sql(workspace, of_table, change)
    else holdfast.table_change_sql(workspace, of_table, change)
  end
$$;

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
  execute statements;
  insert into holdfast_private.table_changes (workspace_id, table_name, kind, change, statements, made_by)
    values (workspace, table_name, change ->> 'kind', change, statements, holdfast.user_id());
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
       and p.proname in ('convert_text', 'linked_id', 'linked_name', 'require_named_table', 'conversion_of', 'users_of_type', 'convert_field_sql', 'field_conversion')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('field_conversion') then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
