-- Templates: tables, looks, views, checklists, transitions and sample records as one JSON document (docs/guides/templates.md). A template is untrusted input: it holds
-- names and values only, and every statement is built here from quoted identifiers and literals.

create table holdfast.template_loads (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null constraint template_loads_workspace references holdfast.workspaces (id) on delete cascade,
  name text not null,
  tables text[] not null,
  sample_records integer not null default 0,
  loaded_by uuid,
  created_at timestamptz not null default now()
);
create index template_loads_workspace_id_idx on holdfast.template_loads (workspace_id);
comment on table holdfast.template_loads is 'Template loads. Templates loaded into a workspace, until they are removed.';
comment on column holdfast.template_loads.workspace_id is 'Workspace.';
comment on column holdfast.template_loads.name is 'Name. The name of the template.';
comment on column holdfast.template_loads.tables is 'Tables. The tables that it created, in schema public.';
comment on column holdfast.template_loads.sample_records is 'Sample records. How many it added; 0 after they were removed.';
comment on column holdfast.template_loads.loaded_by is 'Loaded by. The user who loaded it.';

create table holdfast.template_records (
  load_id uuid not null constraint template_records_load references holdfast.template_loads (id) on delete cascade,
  table_name text not null,
  record_id uuid not null,
  primary key (load_id, table_name, record_id)
);
comment on table holdfast.template_records is 'Template records. The sample records of a loaded template. Only functions read them.';

alter table holdfast.template_loads enable row level security;
alter table holdfast.template_records enable row level security;
revoke all on holdfast.template_loads, holdfast.template_records from public, anon, authenticated;
grant select on holdfast.template_loads to authenticated;
grant all on holdfast.template_loads, holdfast.template_records to service_role;
create policy admins_read on holdfast.template_loads for select to authenticated
  using (workspace_id in (select holdfast.my_administered_workspace_ids()));

-- Checklists and transitions of a workspace's tables are for its members. Without a workspace they are the project's.
alter table holdfast.checklists add column if not exists workspace_id uuid
  constraint holdfast_checklists_workspace references holdfast.workspaces (id) on delete cascade;
alter table holdfast.transitions add column if not exists workspace_id uuid
  constraint holdfast_transitions_workspace references holdfast.workspaces (id) on delete cascade;
create index if not exists holdfast_checklists_workspace_id_idx on holdfast.checklists (workspace_id);
create index if not exists holdfast_transitions_workspace_id_idx on holdfast.transitions (workspace_id);
comment on column holdfast.checklists.workspace_id is 'Workspace. Whose members have the checklist; empty: everyone who is signed in.';
comment on column holdfast.transitions.workspace_id is 'Workspace. Whose members read the transition; empty: everyone who is signed in.';
alter policy everyone_reads on holdfast.checklists using (workspace_id is null or workspace_id in (select holdfast.my_workspace_ids()));
alter policy everyone_reads on holdfast.transitions using (workspace_id is null or workspace_id in (select holdfast.my_workspace_ids()));

create function holdfast.template_limit(name text) returns integer
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case name
    when 'bytes' then 1000000
    when 'tables' then 30
    when 'records' then 2000
    when 'views' then 200
    when 'transitions' then 500
    when 'checklists' then 10
    when 'templates of a workspace' then 50
  end
$$;
comment on function holdfast.template_limit(text) is 'Limits of a template; docs/guides/templates.md lists them.';

create function holdfast.refuse_template(code text, words text) returns void
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  raise exception '%', words using hint = 'template.' || code;
end
$$;
comment on function holdfast.refuse_template(text, text) is 'Raises an error about a template.';

-- An unknown part would be ignored in silence.
create function holdfast.require_template_parts(part jsonb, allowed text[], what text) returns void
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  unknown text;
begin
  if jsonb_typeof(part) is distinct from 'object' then
    perform holdfast.refuse_template('form', format('%s is not an object.', what));
  end if;
  select one.key into unknown from jsonb_object_keys(part) one (key) where one.key <> all (allowed) limit 1;
  if unknown is not null then
    perform holdfast.refuse_template('form', format('%s has a part "%s" that this version does not know.', what, left(unknown, 60)));
  end if;
end
$$;
comment on function holdfast.require_template_parts(jsonb, text[], text) is 'Refuses what is not an object of known parts.';

create function holdfast.template_list(part jsonb, name text, fewest integer, most integer, what text) returns jsonb
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  list constant jsonb := coalesce(part -> name, '[]');
begin
  if jsonb_typeof(list) <> 'array' or jsonb_array_length(list) < fewest or jsonb_array_length(list) > most then
    perform holdfast.refuse_template(name, format('"%s" of %s must be a list of %s to %s.', name, what, fewest, most));
  end if;
  return list;
end
$$;
comment on function holdfast.template_list(jsonb, text, integer, integer, text) is 'A part of a template that is a list, with its limits.';

create function holdfast.is_text_by_language(value jsonb) returns boolean
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select jsonb_typeof(value) = 'object' and value <> '{}' and not exists (
    select from jsonb_each(case when jsonb_typeof(value) = 'object' then value else '{}' end) one
     where one.key !~ '^[a-z]{2}$' or jsonb_typeof(one.value) <> 'string')
$$;
comment on function holdfast.is_text_by_language(jsonb) is 'Whether a value is a text in languages, such as {"en": "Open", "de": "Offen"}.';

create function holdfast.template_text(value jsonb, language text) returns text
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case when holdfast.is_text_by_language(value)
              then coalesce(value ->> language, value ->> 'en', (select min(one.value) from jsonb_each_text(value) one))
              else value #>> '{}' end
$$;
comment on function holdfast.template_text(jsonb, text) is 'A text of a template in a language, or else in English.';

create function holdfast.check_template(template jsonb) returns void
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  tables jsonb;
  one jsonb;
  records integer := 0;
  views integer := 0;
  transitions integer := 0;
  what text;
begin
  if jsonb_typeof(template) is distinct from 'object' or not template ? 'holdfast_template' then
    perform holdfast.refuse_template('form', 'This is not a template of Holdfast.');
  elsif template -> 'holdfast_template' <> '1' then
    perform holdfast.refuse_template('version', 'The template was written by another version of Holdfast. Update this server, or export the template again.');
  elsif octet_length(template::text) > holdfast.template_limit('bytes') then
    perform holdfast.refuse_template('size', 'A template has at most 1,000,000 bytes.');
  end if;
  perform holdfast.require_template_parts(template, '{holdfast_template,name,description,icon,color,tables,checklists}', 'The template');
  if coalesce(length(btrim(holdfast.template_text(template -> 'name', 'en'))), 0) not between 1 and 80 then
    perform holdfast.refuse_template('form', 'The name of a template has 1 to 80 characters.');
  end if;
  tables := holdfast.template_list(template, 'tables', 1, holdfast.template_limit('tables'), 'the template');
  for one in select t.value from jsonb_array_elements(tables) t loop
    perform holdfast.require_template_parts(one, '{key,label,looks,fields,access,transitions,views,records}', 'A table');
    perform holdfast.require_new_name(one ->> 'key', 'table of a template');
    what := format('the table %s', one ->> 'key');
    records := records + jsonb_array_length(holdfast.template_list(one, 'records', 0, holdfast.template_limit('records'), what));
    views := views + jsonb_array_length(holdfast.template_list(one, 'views', 0, holdfast.template_limit('views'), what));
    transitions := transitions + jsonb_array_length(holdfast.template_list(one, 'transitions', 0, holdfast.template_limit('transitions'), what));
    if exists (select from jsonb_array_elements(holdfast.template_list(one, 'fields', 1, holdfast.new_table_limit('fields'), what)) f where jsonb_typeof(f.value) <> 'object') then
      perform holdfast.refuse_template('form', format('A field of %s is not an object.', what));
    end if;
    if exists (select from jsonb_array_elements(coalesce(one -> 'records', '[]')) r
                where jsonb_typeof(r.value) <> 'object' or coalesce(r.value ->> 'id', '') !~ '^[A-Za-z0-9_-]{1,60}$')
       or (select count(distinct r.value ->> 'id') from jsonb_array_elements(coalesce(one -> 'records', '[]')) r) < jsonb_array_length(coalesce(one -> 'records', '[]')) then
      perform holdfast.refuse_template('record', format('Each record of %s needs an "id" of its own: 1 to 60 letters, digits, "_" or "-".', what));
    end if;
  end loop;
  if (select count(distinct t.value ->> 'key') from jsonb_array_elements(tables) t) < jsonb_array_length(tables) then
    perform holdfast.refuse_template('tables', 'Two tables of the template have the same key.');
  end if;
  if records > holdfast.template_limit('records') or views > holdfast.template_limit('views') or transitions > holdfast.template_limit('transitions') then
    perform holdfast.refuse_template('limit', 'A template has at most 2,000 records, 200 views and 500 transitions.');
  end if;
  perform holdfast.template_list(template, 'checklists', 0, holdfast.template_limit('checklists'), 'the template');
end
$$;
comment on function holdfast.check_template(jsonb) is 'Refuses a template that is malformed or too large.';

-- A name that no table, type or looks have, whatever the case of letters.
create function holdfast.free_table_name(key text, taken text[]) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  tried integer := 1;
  name text := key;
begin
  while name = any (taken)
     or exists (select from pg_class c where c.relnamespace = 'public'::regnamespace and lower(c.relname collate "C") = name)
     or exists (select from pg_type t where t.typnamespace = 'public'::regnamespace and lower(t.typname collate "C") = name)
     or exists (select from holdfast.tables t where t.schema_name = 'public' and t.table_name = name) loop
    tried := tried + 1;
    name := left(key, 50 - length(tried::text)) || '_' || tried;
  end loop;
  return name;
end
$$;
comment on function holdfast.free_table_name(text, text[]) is 'The key of a table, with a number where the name is taken.';

create function holdfast.run_statement(statement text) returns text
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  execute statement;
  return btrim(statement, E'\n') || E'\n';
end
$$;
comment on function holdfast.run_statement(text) is 'Runs a statement and returns its text.';

-- The definition for create_table, with the names that the tables get here.
create function holdfast.template_definition(part jsonb, names jsonb, without text[]) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  target text;
  fields jsonb;
begin
  select f.value ->> 'table' into target from jsonb_array_elements(part -> 'fields') f
   where f.value ->> 'kind' = 'link' and f.value ->> 'table' is distinct from 'hf_teams' and not coalesce(names ? (f.value ->> 'table'), false) limit 1;
  if found then
    perform holdfast.refuse_template('link', format('A field of the table %s links to "%s", which is not a table of the template.', part ->> 'key', target));
  end if;
  select jsonb_agg(f.value - 'looks' || case when f.value ->> 'kind' = 'link' and names ? (f.value ->> 'table')
                                             then jsonb_build_object('table', names -> (f.value ->> 'table')) else '{}' end order by f.place) into fields
    from jsonb_array_elements(part -> 'fields') with ordinality f (value, place) where coalesce(f.value ->> 'name', '') <> all (without);
  return jsonb_build_object('name', names -> (part ->> 'key'), 'label', part -> 'label', 'fields', coalesce(fields, '[]'), 'access', part -> 'access');
end
$$;
comment on function holdfast.template_definition(jsonb, jsonb, text[]) is 'The argument of create_table for a table of a template.';

-- Creates a table after those that it links to. Links that form a cycle, and links of a table to itself, are added at the end.
create function holdfast.create_template_tables(workspace uuid, template jsonb, names jsonb) returns jsonb
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  waiting jsonb := template -> 'tables';
  made text[] := '{}';
  late jsonb := '[]';
  statements text := '';
  part jsonb;
  place integer;
  missing text[];
  definition jsonb;
  field jsonb;
  statement text;
begin
  while jsonb_array_length(waiting) > 0 loop
    select coalesce(min(w.place) filter (where not exists (
             select from jsonb_array_elements(w.value -> 'fields') f
              where f.value ->> 'kind' = 'link' and names ? (f.value ->> 'table') and f.value ->> 'table' <> all (made || (w.value ->> 'key')))), 1) into place
      from jsonb_array_elements(waiting) with ordinality w (value, place);
    part := waiting -> (place - 1);
    waiting := waiting - (place - 1);
    missing := array(select f.value ->> 'name' from jsonb_array_elements(part -> 'fields') f
                      where f.value ->> 'kind' = 'link' and names ? (f.value ->> 'table') and f.value ->> 'table' <> all (made));
    definition := holdfast.template_definition(part, names, missing);
    statements := statements || holdfast.new_table_sql(workspace, definition) || E'\n';
    perform holdfast.create_table(workspace, definition);
    made := made || (part ->> 'key');
    late := late || coalesce((select jsonb_agg(jsonb_build_object('key', part ->> 'key', 'field', f.value)) from jsonb_array_elements(part -> 'fields') f
                               where f.value ->> 'name' = any (missing)), '[]');
  end loop;
  for part in select l.value from jsonb_array_elements(late) l loop
    field := part -> 'field' || jsonb_build_object('table', names -> (part -> 'field' ->> 'table'));
    statement := format(E'alter table public.%1$I add column %2$s;\ncomment on column public.%1$I.%3$I is %4$L;\ncreate index on public.%1$I (%3$I);',
                        names ->> (part ->> 'key'), btrim(holdfast.new_field_sql(field)), field ->> 'name', holdfast.require_new_label(field ->> 'label') || '.');
    statements := statements || holdfast.run_statement(statement) || E'\n';
  end loop;
  return jsonb_build_object('statements', statements, 'made', to_jsonb(made), 'late', late);
end
$$;
comment on function holdfast.create_template_tables(uuid, jsonb, jsonb) is 'Creates the tables of a template; returns the statements, the order, and the links that were added at the end.';

create function holdfast.template_looks_sql(workspace uuid, part jsonb, name text, place double precision) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  looks constant jsonb := coalesce(part -> 'looks', '{}');
  known constant text[] := array(select a.attname from pg_attribute a where a.attrelid = 'holdfast.fields'::regclass and a.attnum > 0 and not a.attisdropped
                                    and a.attname <> all ('{id,workspace_id,schema_name,table_name,field_name,created_at,updated_at}'));
  statements text;
  field jsonb;
begin
  perform holdfast.require_template_parts(looks, '{icon,color,section,is_supporting,translations}', format('"looks" of the table %s', part ->> 'key'));
  statements := format(E'update holdfast.tables set icon = %L, color = %L, section = %L, is_supporting = %L, translations = %L, position = %L\n'
    '  where schema_name = ''public'' and table_name = %L;' || E'\n', looks ->> 'icon', looks ->> 'color', looks ->> 'section',
    coalesce(looks ->> 'is_supporting', 'false'), coalesce(looks ->> 'translations', '{}'), place, name);
  for field in select f.value from jsonb_array_elements(part -> 'fields') f where f.value ? 'looks' loop
    perform holdfast.require_template_parts(field -> 'looks', known, format('"looks" of the field %s', field ->> 'name'));
    continue when field -> 'looks' = '{}';
    statements := statements || (
      select format(E'insert into holdfast.fields (workspace_id, table_name, field_name, %s)\n  values (%L, %L, %L, %s)\n'
               '  on conflict (schema_name, table_name, field_name, workspace_id) do update set %s;' || E'\n',
               string_agg(format('%I', l.key), ', ' order by l.key), workspace, name, field ->> 'name', string_agg(format('%L', l.value), ', ' order by l.key),
               string_agg(format('%1$I = excluded.%1$I', l.key), ', ' order by l.key))
        from jsonb_each_text(field -> 'looks') l);
  end loop;
  return statements;
end
$$;
comment on function holdfast.template_looks_sql(uuid, jsonb, text, double precision) is 'The statements for the looks of a table and its fields.';

create function holdfast.template_views_sql(workspace uuid, part jsonb, name text, language text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  statements text := '';
  view jsonb;
  place integer;
begin
  for view, place in select v.value, v.place from jsonb_array_elements(coalesce(part -> 'views', '[]')) with ordinality v (value, place) loop
    perform holdfast.require_template_parts(view, '{name,type,is_default,config}', format('A view of the table %s', part ->> 'key'));
    if jsonb_typeof(coalesce(view -> 'config', '{}')) <> 'object'
       or jsonb_path_exists(coalesce(view -> 'config', '{}'), '$.* ? (@.type() != "string")') then
      perform holdfast.refuse_template('view', format('The "config" of the view %s must hold texts only.', left(holdfast.template_text(view -> 'name', language), 80)));
    end if;
    statements := statements || format(
      E'insert into holdfast.views (workspace_id, table_name, name, type, scope, config, is_default, position)\n  values (%L, %L, %L, %L, ''shared'', %L, %L, %L);\n',
      workspace, name, holdfast.template_text(view -> 'name', language), coalesce(view ->> 'type', 'grid'), coalesce(view -> 'config', '{}'),
      coalesce(view ->> 'is_default', 'false'), place);
  end loop;
  return statements;
end
$$;
comment on function holdfast.template_views_sql(uuid, jsonb, text, text) is 'The statements for the views of a table.';

create function holdfast.template_transitions_sql(workspace uuid, part jsonb, name text) returns text
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
      from (select distinct s.value ->> 'field' as field from jsonb_array_elements(coalesce(part -> 'transitions', '[]')) s) s), '');
end
$$;
comment on function holdfast.template_transitions_sql(uuid, jsonb, text) is 'The statements for the transitions of a table.';

create function holdfast.template_checklist_sql(workspace uuid, checklist jsonb, names jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  role text;
begin
  perform holdfast.require_template_parts(checklist, '{table,items,answers,findings,place_fields,names,begin,finish}', 'A checklist');
  foreach role in array '{table,items,answers,findings}'::text[] loop
    if (checklist ->> role is null and role <> 'findings') or (checklist ->> role is not null and not names ? (checklist ->> role)) then
      perform holdfast.refuse_template('checklist', format('"%s" of a checklist must be the key of a table of the template.', role));
    end if;
  end loop;
  if exists (select from jsonb_array_elements(holdfast.template_list(checklist, 'place_fields', 0, 8, 'a checklist')) p where jsonb_typeof(p.value) <> 'string') then
    perform holdfast.refuse_template('checklist', '"place_fields" of a checklist must be names of fields.');
  end if;
  return format(
    E'insert into holdfast.checklists (workspace_id, table_name, item_table, answer_table, finding_table, place_fields, names, begin_values, finish_values)\n'
    '  values (%L, %L, %L, %L, %L, %L, %L, %L, %L);' || E'\n', workspace, names ->> (checklist ->> 'table'), names ->> (checklist ->> 'items'),
    names ->> (checklist ->> 'answers'), names ->> (checklist ->> 'findings'),
    array(select jsonb_array_elements_text(coalesce(checklist -> 'place_fields', '[]'))), coalesce(checklist -> 'names', '{}'), coalesce(checklist -> 'begin', '{}'),
    coalesce(checklist -> 'finish', '{}'));
end
$$;
comment on function holdfast.template_checklist_sql(uuid, jsonb, jsonb) is 'The statement for a checklist.';

-- "today+3" is a date, "today+3 09:30" a time, in the time zone of the workspace.
create function holdfast.template_value(value jsonb, type oid, language text, zone text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  parts constant text[] := case when type in ('date'::regtype, 'timestamptz'::regtype)
    then regexp_match(value #>> '{}', '^today([+-][0-9]{1,5})?(?: ([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,6})?)?))?$') end;
  day date;
begin
  if parts is null then
    return case when jsonb_typeof(value) = 'object' and type not in ('json'::regtype, 'jsonb'::regtype) then holdfast.template_text(value, language) else value #>> '{}' end;
  end if;
  day := (now() at time zone zone)::date + coalesce(parts[1], '0')::integer;
  return case when type = 'date'::regtype then day::text else ((day + coalesce(parts[2], '00:00')::time) at time zone zone)::text end;
end
$$;
comment on function holdfast.template_value(jsonb, oid, text, text) is 'A value of a sample record as a literal.';

-- The statements that add the records of a table. ids: the id of each record by table and local id. late: fields that are set at the end.
create function holdfast.template_record_sql(part jsonb, record jsonb, place integer, of_table regclass, context jsonb) returns text
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
    select a.atttypid into type from pg_attribute a where a.attrelid = of_table and a.attname = given.key and a.attnum > 0 and a.attgenerated = '';
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
comment on function holdfast.template_record_sql(jsonb, jsonb, integer, regclass, jsonb) is 'The statement that adds a sample record, or with the step "late" sets links that form a cycle.';

create function holdfast.add_template_records(template jsonb, names jsonb, context jsonb) returns text
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  statements text := '';
  statement text;
  step text;
  part jsonb;
  given record;
begin
  foreach step in array case when context -> 'late' = '[]' then '{first}' else '{first,late}' end::text[] loop
    for part in
      select t.value from jsonb_array_elements_text(context -> 'made') with ordinality m (key, place)
        join jsonb_array_elements(template -> 'tables') t on t.value ->> 'key' = m.key order by m.place
    loop
      for given in select r.value, r.place from jsonb_array_elements(coalesce(part -> 'records', '[]')) with ordinality r (value, place) order by r.place loop
        statement := holdfast.template_record_sql(part, given.value, jsonb_array_length(part -> 'records') - given.place::integer,
                                                  format('public.%I', names ->> (part ->> 'key'))::regclass, context || jsonb_build_object('step', step));
        continue when statement is null;
        begin
          statements := statements || holdfast.run_statement(statement);
        exception
          when data_exception or integrity_constraint_violation or datatype_mismatch then
            perform holdfast.refuse_template('record', format('The record %s of the table %s does not fit: %s', given.value ->> 'id', part ->> 'key', sqlerrm));
        end;
      end loop;
    end loop;
  end loop;
  return statements;
end
$$;
comment on function holdfast.add_template_records(jsonb, jsonb, jsonb) is 'Adds the sample records of a template and returns the statements.';

create function holdfast.apply_template(workspace uuid, template jsonb, language text) returns jsonb
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  names jsonb := '{}';
  ids jsonb;
  made jsonb;
  statements text;
  part jsonb;
  place integer;
  first_position double precision;
begin
  perform holdfast.check_template(template);
  for part in select t.value from jsonb_array_elements(template -> 'tables') t loop
    names := names || jsonb_build_object(part ->> 'key', holdfast.free_table_name(part ->> 'key', array(select n.value from jsonb_each_text(names) n)));
  end loop;
  select coalesce(max(t.position) filter (where t.position < 1e9), 0) into first_position from holdfast.tables t where t.workspace_id = workspace;
  made := holdfast.create_template_tables(workspace, template, names);
  statements := made ->> 'statements';
  select jsonb_object_agg(t.value ->> 'key', (select coalesce(jsonb_object_agg(r.value ->> 'id', gen_random_uuid()), '{}')
                                               from jsonb_array_elements(coalesce(t.value -> 'records', '[]')) r)) into ids
    from jsonb_array_elements(template -> 'tables') t;
  begin
    for part, place in select t.value, t.place from jsonb_array_elements(template -> 'tables') with ordinality t (value, place) loop
      statements := statements || holdfast.run_statement(holdfast.template_looks_sql(workspace, part, names ->> (part ->> 'key'), first_position + place));
      statements := statements || holdfast.run_statement(holdfast.template_views_sql(workspace, part, names ->> (part ->> 'key'), language));
    end loop;
  exception
    when data_exception or integrity_constraint_violation then
      perform holdfast.refuse_template('look', format('The looks or views of the table %s do not fit: %s', part ->> 'key', sqlerrm));
  end;
  statements := statements || holdfast.add_template_records(template, names, made || jsonb_build_object(
    'ids', ids, 'language', language, 'zone', (select w.time_zone from holdfast.workspaces w where w.id = workspace)));
  begin
    for part in select t.value from jsonb_array_elements(template -> 'tables') t loop
      statements := statements || holdfast.run_statement(holdfast.template_transitions_sql(workspace, part, names ->> (part ->> 'key')));
    end loop;
    for part in select c.value from jsonb_array_elements(coalesce(template -> 'checklists', '[]')) c loop
      statements := statements || holdfast.run_statement(holdfast.template_checklist_sql(workspace, part, names));
    end loop;
  exception
    when data_exception or integrity_constraint_violation or wrong_object_type then
      perform holdfast.refuse_template('rule', format('A transition or checklist does not fit: %s', sqlerrm));
  end;
  return jsonb_build_object('names', names, 'ids', ids, 'statements', statements);
end
$$;
comment on function holdfast.apply_template(uuid, jsonb, text) is 'Creates everything that a template describes; returns names, ids and the statements.';

create function holdfast.load_template(workspace uuid, template jsonb, language text default 'en') returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  applied jsonb;
  names text[];
  load uuid;
  records integer;
begin
  perform holdfast.require_admin(workspace);
  perform set_config('lock_timeout', '3s', true);
  perform pg_advisory_xact_lock(hashtext('holdfast.load_template')); -- two loads would choose the same names
  if (select count(*) from holdfast.template_loads l where l.workspace_id = workspace) >= holdfast.template_limit('templates of a workspace') then
    perform holdfast.refuse_template('limit', 'A workspace has at most 50 loaded templates. Remove one first.');
  end if;
  applied := holdfast.apply_template(workspace, template, language);
  select array_agg(applied -> 'names' ->> (t.value ->> 'key') order by t.place) into names
    from jsonb_array_elements(template -> 'tables') with ordinality t (value, place);
  insert into holdfast.template_loads (workspace_id, name, tables, loaded_by)
    values (workspace, holdfast.template_text(template -> 'name', language), names, holdfast.user_id()) returning id into load;
  insert into holdfast.template_records (load_id, table_name, record_id)
    select load, applied -> 'names' ->> t.key, r.value::uuid from jsonb_each(applied -> 'ids') t, jsonb_each_text(t.value) r;
  get diagnostics records = row_count;
  update holdfast.template_loads l set sample_records = records where l.id = load;
  return jsonb_build_object('id', load, 'tables', to_jsonb(names), 'records', records);
exception
  when lock_not_available then
    raise exception 'Another template is being loaded, or a table is being written to. Try again.' using errcode = 'lock_not_available', hint = 'new_table.busy';
end
$$;
comment on function holdfast.load_template(uuid, jsonb, text) is 'Loads a template into a workspace. For its owners and admins.';

create function holdfast.template_sql(workspace uuid, template jsonb, language text default 'en') returns text
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  statements text;
begin
  perform holdfast.require_admin(workspace);
  perform set_config('lock_timeout', '3s', true);
  begin
    statements := holdfast.apply_template(workspace, template, language) ->> 'statements';
    raise exception 'undone' using errcode = 'HFT01';
  exception
    when sqlstate 'HFT01' then null; -- only the text is wanted
  end;
  return statements;
exception
  when lock_not_available then
    raise exception 'A table is being written to. Try again.' using errcode = 'lock_not_available', hint = 'new_table.busy';
end
$$;
comment on function holdfast.template_sql(uuid, jsonb, text) is 'The statements that load_template runs. For owners and admins of the workspace.';

do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  execute format('alter table holdfast.template_loads owner to %I', project);
  execute format('alter table holdfast.template_records owner to %I', project);
  for one in
    select p.oid::pg_catalog.regprocedure as function, p.proname as name from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('template_limit', 'refuse_template', 'require_template_parts', 'template_list', 'is_text_by_language', 'template_text', 'check_template',
                         'free_table_name', 'run_statement', 'template_definition', 'create_template_tables', 'template_looks_sql', 'template_views_sql',
                         'template_transitions_sql', 'template_checklist_sql', 'template_value', 'template_record_sql', 'add_template_records', 'apply_template',
                         'load_template', 'template_sql')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('load_template', 'template_sql') then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
