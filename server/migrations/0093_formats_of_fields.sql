-- Formats of fields: how the app shows and edits a column beyond its type. Columns keep plain types, so the API is unaffected, and apps that do not know a format show the
-- plain value.

alter table holdfast.fields add column format jsonb constraint holdfast_fields_format_form check (format is null or coalesce(case format ->> 'kind'
  when 'rating' then format - '{kind,max}'::text[] = '{}' and format -> 'max' in ('5', '10')
  when 'currency' then format - '{kind,code}'::text[] = '{}' and format ->> 'code' ~ '^[A-Z]{3}$'
  when 'percent' then format - 'kind' = '{}'
  when 'duration' then format - '{kind,unit}'::text[] = '{}' and format ->> 'unit' in ('seconds', 'minutes')
  when 'barcode' then format - 'kind' = '{}'
  when 'location' then format - 'kind' = '{}'
end, false));
comment on column holdfast.fields.format is 'Format. How values are shown and edited, such as {"kind": "currency", "code": "EUR"}; empty: by the type.';
comment on constraint holdfast_fields_format_form on holdfast.fields is 'A format is rating, currency, percent, duration, barcode or location, with its settings.';

create function holdfast.new_field_format(field jsonb) returns jsonb
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  format constant jsonb := case field ->> 'kind'
    when 'rating' then jsonb_build_object('kind', 'rating', 'max', coalesce(nullif(field -> 'max', 'null'), '5'))
    when 'currency' then jsonb_build_object('kind', 'currency', 'code', coalesce(field ->> 'code', 'EUR'))
    when 'percent' then '{"kind": "percent"}'
    when 'duration' then jsonb_build_object('kind', 'duration', 'unit', coalesce(field ->> 'unit', 'minutes'))
    when 'barcode' then '{"kind": "barcode"}'
    when 'location' then '{"kind": "location"}'
  end;
begin
  if format ->> 'kind' = 'rating' and format -> 'max' not in ('5', '10') or format ->> 'kind' = 'currency' and format ->> 'code' !~ '^[A-Z]{3}$'
     or format ->> 'kind' = 'duration' and format ->> 'unit' not in ('seconds', 'minutes') then
    raise exception 'A rating goes to 5 or 10, a currency has a code of three letters, and a duration counts seconds or minutes.' using hint = 'new_table.format';
  end if;
  return format;
end
$$;
comment on function holdfast.new_field_format(jsonb) is 'The format of a new field, by its kind; null for plain ones.';

create or replace function holdfast.new_field_sql(field jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  name constant text := holdfast.require_new_name(field ->> 'name', 'field');
  kind constant text := field ->> 'kind';
  format constant jsonb := holdfast.new_field_format(field);
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
    when 'rating' then format('bigint check (%I between 1 and %s)', name, format ->> 'max')
    when 'currency' then 'numeric'
    when 'percent' then 'numeric'
    when 'duration' then 'bigint'
    when 'barcode' then 'text'
    when 'location' then format('point check (%I <@ box ''((-180,-90),(180,90))'')', name)
  end;
  if type is null then
    raise exception 'There is no kind of field %.', left(coalesce(kind, ''), 63) using hint = 'new_table.kind';
  end if;
  return format('  %I %s', name, type);
end
$$;

create function holdfast.new_field_index_sql(full_name text, field jsonb) returns text
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case field ->> 'kind' when 'link' then format('create index on %s (%I);', full_name, field ->> 'name')
                               when 'location' then format('create index on %s using gist (%I);', full_name, field ->> 'name') end
$$;
comment on function holdfast.new_field_index_sql(text, jsonb) is 'The index that a new field needs; null for most.';

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
  if (select count(distinct field.value ->> 'name') < count(field.value ->> 'name') from jsonb_array_elements(fields) field (value)) then
    raise exception 'Two fields have the same name.' using hint = 'new_table.twice';
  end if;
  select string_agg(holdfast.new_field_sql(field.value), E',\n' order by field.place),
         string_agg(format('comment on column public.%I.%I is %L;', name, field.value ->> 'name', holdfast.require_new_label(field.value ->> 'label') || '.'),
                    E'\n' order by field.place),
         string_agg(holdfast.new_field_index_sql(format('public.%I', name), field.value), E'\n' order by field.place)
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
  insert into holdfast.fields (workspace_id, table_name, field_name, choices, format)
    select workspace, definition ->> 'name', field.value ->> 'name', coalesce(looks.choices, '{}'), looks.format
      from jsonb_array_elements(definition -> 'fields') field (value),
           lateral (select case when field.value ->> 'kind' = 'choice' then holdfast.new_choice_words(field.value -> 'choices') end as choices,
                           holdfast.new_field_format(field.value) as format) looks
     where looks.choices is not null or looks.format is not null;
  return definition ->> 'name';
exception
  when lock_not_available then
    raise exception 'Somebody writes to a table that the new one leads to. Try again.' using errcode = 'lock_not_available', hint = 'new_table.busy';
end
$$;

create or replace function holdfast.add_field_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  field constant jsonb := change -> 'field' || jsonb_build_object('name', holdfast.free_field_name(of_table, change #>> '{field,name}'));
  name constant text := field ->> 'name';
  label constant text := holdfast.require_new_label(field ->> 'label');
  column_sql constant text := btrim(holdfast.new_field_sql(field));
  words constant jsonb := case when field ->> 'kind' = 'choice' then holdfast.new_choice_words(field -> 'choices') end;
  format constant jsonb := holdfast.new_field_format(field);
begin
  if (select count(*) from pg_attribute a where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped) >= holdfast.new_table_limit('fields') then
    raise exception 'A table has between 1 and 200 fields.' using hint = 'new_table.fields';
  end if;
  return format(E'alter table %1$s add column %2$s;\ncomment on column %1$s.%3$I is %4$L;\n', holdfast.full_name(of_table), column_sql, name, label || '.')
    || coalesce(holdfast.new_field_index_sql(holdfast.full_name(of_table), field) || E'\n', '')
    || case when coalesce(words, format) is not null then
         format(E'insert into holdfast.fields (workspace_id, table_name, field_name, choices, format)\n  select w.id, %L, %L, %L, %L from holdfast.workspaces w where w.id = %L\n'
                '  on conflict on constraint holdfast_fields_once do update set choices = excluded.choices, format = excluded.format;' || E'\n',
                (select c.relname from pg_class c where c.oid = of_table), name, coalesce(words, '{}'), format, workspace) else '' end;
end
$$;

-- The format of an existing field, by its type.
create function holdfast.set_format_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  field constant name := holdfast.field_of(of_table, change ->> 'field');
  type constant text := (select format_type(a.atttypid, null) from pg_attribute a where a.attrelid = of_table and a.attname = field);
  wanted constant jsonb := nullif(change -> 'format', 'null');
  format constant jsonb := holdfast.new_field_format(wanted);
  fits constant text[] := case format ->> 'kind'
    when 'currency' then '{numeric,bigint,integer,smallint,double precision,real}' when 'percent' then '{numeric,bigint,integer,smallint,double precision,real}'
    when 'duration' then '{bigint,integer,smallint}' when 'barcode' then '{text,character varying}' end::text[];
begin
  if wanted is not null and (format is null or type <> all (coalesce(fits, '{}'))) then
    raise exception 'A field of type % cannot have this format.', type using hint = 'change_table.format';
  end if;
  return format(E'insert into holdfast.fields (workspace_id, table_name, field_name, format)\n  values (%L, %L, %L, %L)\n'
    '  on conflict on constraint holdfast_fields_once do update set format = excluded.format;' || E'\n',
    workspace, (select c.relname from pg_class c where c.oid = of_table), field, format);
end
$$;
comment on function holdfast.set_format_sql(uuid, regclass, jsonb) is 'Statements of the part "format" of the change edit_field; null makes the field plain.';

create or replace function holdfast.table_change_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  case change ->> 'kind'
  when 'add_field' then return holdfast.add_field_sql(workspace, of_table, change);
  when 'edit_field' then
    return holdfast.edit_field_sql(workspace, of_table, change) || case when change ? 'format' then holdfast.set_format_sql(workspace, of_table, change) else '' end;
  when 'delete_field' then return holdfast.delete_field_sql(workspace, of_table, change);
  when 'restore_field' then return holdfast.restore_field_sql(workspace, of_table, change);
  else
    raise exception 'There is no kind of change %.', left(coalesce(change ->> 'kind', ''), 63) using hint = 'change_table.kind';
  end case;
end
$$;

-- Templates keep formats: as the kind of the field where there is one, otherwise among its looks.
create or replace function holdfast.field_definition(of_table regclass, field name, keys jsonb) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  type constant text := (select format_type(a.atttypid, a.atttypmod) from pg_attribute a where a.attrelid = of_table and a.attname = field and a.attgenerated = '');
  place constant smallint := (select a.attnum from pg_attribute a where a.attrelid = of_table and a.attname = field);
  target constant regclass := (select c.confrelid from pg_constraint c where c.conrelid = of_table and c.contype = 'f' and c.conkey = array[place] order by c.oid limit 1);
  format constant jsonb := (select f.format from holdfast.fields f join pg_class c on c.oid = of_table and c.relname = f.table_name
                             where f.schema_name = 'public' and f.field_name = field and f.format is not null order by f.workspace_id nulls last limit 1);
  listed text;
  top text;
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
  elsif type = 'bigint' then
    select bound into top from unnest('{5,10}'::text[]) bound
     where exists (select from pg_constraint c where c.conrelid = of_table and c.contype = 'c' and c.conkey = array[place]
                      and pg_get_constraintdef(c.oid) = format('CHECK (((%1$I >= 1) AND (%1$I <= %2$s)))', field, bound));
    if top is not null then
      return jsonb_build_object('kind', 'rating', 'max', top::integer);
    end if;
  end if;
  if (type, format ->> 'kind') in (('numeric', 'currency'), ('numeric', 'percent'), ('bigint', 'duration'), ('text', 'barcode')) then
    return format;
  end if;
  return case type
    when 'text' then '{"kind": "text"}'::jsonb
    when 'bigint' then '{"kind": "integer"}'
    when 'numeric' then '{"kind": "number"}'
    when 'boolean' then '{"kind": "boolean"}'
    when 'date' then '{"kind": "date"}'
    when 'timestamp with time zone' then '{"kind": "datetime"}'
    when 'point' then '{"kind": "location"}'
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
             and not (r.contype = 'c' and holdfast.field_definition(of_table, a.attname, keys) ->> 'kind' in ('choice', 'rating', 'location') and r.conkey = array[a.attnum])) as has_rules,
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

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('new_field_format', 'new_field_index_sql', 'set_format_sql')
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
