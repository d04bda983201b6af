-- New tables and templates have automatic numbers and ratings.

create or replace function holdfast.new_table_sql(workspace uuid, definition jsonb) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  name constant text := holdfast.require_new_name(definition ->> 'name', 'table');
  label constant text := holdfast.require_new_label(definition ->> 'label');
  fields constant jsonb := definition -> 'fields';
  columns text;
  comments text;
  indexes text;
begin
  perform holdfast.require_admin(workspace);
  if pg_catalog.to_regclass(format('public.%I', name)) is not null or pg_catalog.to_regtype(format('public.%I', name)) is not null then
    raise exception 'There is something called % in the database already.', name using hint = 'new_table.exists';
  end if;
  if jsonb_typeof(fields) is distinct from 'array' or jsonb_array_length(fields) not between 1 and holdfast.new_table_limit('fields') then
    raise exception 'A table has between 1 and 200 fields.' using hint = 'new_table.fields';
  end if;
  if exists (select from jsonb_array_elements(fields) field (value)
              where coalesce(field.value ->> 'kind', '') not in ('text', 'integer', 'number', 'boolean', 'date', 'datetime', 'choice', 'link', 'autonumber', 'rating')) then
    raise exception 'A field is a text, integer, number, boolean, date, datetime, choice, link, autonumber or rating.' using hint = 'new_table.kind';
  end if;
  if (select count(distinct field.value ->> 'name') from jsonb_array_elements(fields) field (value)) < jsonb_array_length(fields) then
    raise exception 'Two fields have the same name.' using hint = 'new_table.twice';
  end if;
  select string_agg(holdfast.new_field_sql(field.value), E',\n' order by field.place),
         string_agg(format('comment on column public.%I.%I is %L;', name, field.value ->> 'name', holdfast.require_new_label(field.value ->> 'label') || '.'),
                    E'\n' order by field.place),
         string_agg(format('create index on public.%I (%I);', name, field.value ->> 'name'), E'\n' order by field.place)
           filter (where field.value ->> 'kind' = 'link')
    into columns, comments, indexes
    from jsonb_array_elements(fields) with ordinality field (value, place);
  return format(E'create table public.%1$I (\n  id uuid primary key default gen_random_uuid(),\n%2$s,\n'
    '  created_by uuid,' || E'\n  created_at timestamptz not null default now(),\n  updated_at timestamptz not null default now()\n);\n'
    'comment on table public.%1$I is %3$L;' || E'\n%4$s\n%5$s'
    'create index on public.%1$I (created_by);' || E'\n\n'
    'alter table public.%1$I enable row level security;' || E'\n'
    'grant select, insert, update, delete on public.%1$I to authenticated, service_role;' || E'\n%6$s\n\n'
    'create trigger touch before update on public.%1$I for each row execute function holdfast.touch();' || E'\n'
    'create trigger set_created_by before insert or update on public.%1$I for each row execute function holdfast.set_created_by();' || E'\n'
    'select holdfast.follow_records(%7$L), holdfast.track(%7$L);' || E'\n'
    'insert into holdfast.tables (table_name, label, workspace_id, made_by)' || E'\n  values (%8$L, %9$L, %10$L, (select holdfast.user_id()));\n',
    name, columns, label || '.', comments, coalesce(indexes || E'\n', ''),
    holdfast.new_policies_sql(workspace, name, definition -> 'access', fields), format('public.%I', name), name, label, workspace);
end
$$;

create or replace function holdfast.field_definition(of_table regclass, field name, keys jsonb) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  type constant text := (select format_type(a.atttypid, a.atttypmod) from pg_attribute a where a.attrelid = of_table and a.attname = field and a.attgenerated = '');
  place constant smallint := (select a.attnum from pg_attribute a where a.attrelid = of_table and a.attname = field);
  target constant regclass := (select c.confrelid from pg_constraint c where c.conrelid = of_table and c.contype = 'f' and c.conkey = array[place] order by c.oid limit 1);
  listed text;
  choices jsonb;
begin
  if target is not null then
    return case when target = 'holdfast.teams'::regclass then '{"kind": "link", "table": "hf_teams"}'::jsonb
                when target = 'holdfast.members'::regclass then '{"kind": "link", "table": "hf_members"}'
                when keys ? (select c.relname::text from pg_class c where c.oid = target and c.relnamespace = 'public'::regnamespace)
                then jsonb_build_object('kind', 'link', 'table', keys -> (select c.relname::text from pg_class c where c.oid = target)) end;
  end if;
  select pg_get_constraintdef(c.oid) into listed from pg_constraint c
   where c.conrelid = of_table and c.contype = 'c' and c.conkey = array[place] and pg_get_constraintdef(c.oid) ~ '^CHECK \(\([a-z0-9_"]+ = (ANY \(ARRAY\[)?''' order by c.oid limit 1;
  if type = 'text' and listed is not null then
    select jsonb_agg(replace(m.part[1], '''''', '''') order by m.place) into choices
      from regexp_matches(listed, '''((?:[^'']|'''')*)''::text', 'g') with ordinality m (part, place);
    return jsonb_build_object('kind', 'choice', 'choices', choices);
  end if;
  if type = 'bigint' and (select a.attidentity from pg_attribute a where a.attrelid = of_table and a.attname = field) = 'a' then
    return '{"kind": "autonumber"}';
  elsif type = 'bigint' and exists (select from pg_constraint c where c.conrelid = of_table and c.contype = 'c' and c.conkey = array[place]
                                       and pg_get_constraintdef(c.oid) = format('CHECK (((%1$I >= 1) AND (%1$I <= 5)))', field)) then
    return '{"kind": "rating"}';
  end if;
  return case type
    when 'text' then '{"kind": "text"}'::jsonb
    when 'bigint' then '{"kind": "integer"}'
    when 'numeric' then '{"kind": "number"}'
    when 'boolean' then '{"kind": "boolean"}'
    when 'date' then '{"kind": "date"}'
    when 'timestamp with time zone' then '{"kind": "datetime"}'
  end;
end
$$;

create or replace function holdfast.export_template_fields(workspace uuid, of_table regclass, keys jsonb) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object(
    'fields', coalesce(jsonb_agg(jsonb_build_object('name', one.name, 'label', one.label) || one.definition
                || case when one.looks = '{}' then '{}' else jsonb_build_object('looks', one.looks) end order by one.place) filter (where one.definition is not null), '[]'),
    'left_out', coalesce(jsonb_agg(jsonb_build_object('table', keys ->> one.of_name, 'field', one.name, 'reason', case when one.definition is null then 'field' else 'rule' end) order by one.place)
                filter (where one.definition is null or one.has_rules), '[]'))
  from (
    select a.attname::text as name, a.attnum as place, c.relname::text as of_name, holdfast.field_words(of_table, a.attname) as label,
           holdfast.field_definition(of_table, a.attname, keys) as definition,
           (a.attnotnull and a.attidentity = '') or a.atthasdef or exists (select from pg_constraint r where r.conrelid = of_table and r.conkey @> array[a.attnum] and r.contype in ('c', 'u')
             and not (r.contype = 'c' and holdfast.field_definition(of_table, a.attname, keys) ->> 'kind' in ('choice', 'rating') and r.conkey = array[a.attnum])) as has_rules,
           coalesce((select jsonb_object_agg(l.key, l.value) from holdfast.fields f, jsonb_each(to_jsonb(f)) l
                      where f.schema_name = 'public' and f.table_name = c.relname and f.field_name = a.attname and f.workspace_id = workspace
                        and l.key <> all ('{id,workspace_id,schema_name,table_name,field_name,created_at,updated_at}')
                        and l.value <> all (array['null', '{}', 'false']::jsonb[])
                        -- Words that create_table writes itself.
                        and not (l.key = 'choices' and l.value = coalesce(holdfast.new_choice_words(holdfast.field_definition(of_table, a.attname, keys) -> 'choices'), '{}'))), '{}') as looks
      from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped and a.attname <> all ('{id,created_by,created_at,updated_at}')
  ) one
$$;

-- The database gives automatic numbers.
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

create or replace function holdfast.export_template_records(of_table regclass, fields jsonb, ids jsonb, zone text) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  exported jsonb := '[]';
  record jsonb;
  place integer;
  given jsonb;
begin
  for record, place in execute format('select to_jsonb(r), row_number() over (order by r.created_at, r.id) from %s r order by 2', of_table) loop
    select coalesce(jsonb_object_agg(one.name, one.value) filter (where one.value <> 'null'), '{}') into given
      from (select f.value ->> 'name' as name,
                   case when f.value ->> 'kind' <> 'link' then holdfast.export_value(record -> (f.value ->> 'name'), f.value ->> 'kind', zone)
                        else ids -> (f.value ->> 'table') -> (record ->> (f.value ->> 'name')) end as value
              from jsonb_array_elements(fields) f where f.value ->> 'kind' <> 'autonumber' and record -> (f.value ->> 'name') <> 'null') one;
    exported := exported || jsonb_build_array(jsonb_build_object('id', 'r' || place) || given);
  end loop;
  return exported;
end
$$;
