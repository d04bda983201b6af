-- Templates have computed fields, access rules and links to members too, and a checklist is exported with its questions.

-- A definition names the table of a rollup: by its key in a template.
create function holdfast.computed_part(definition jsonb, names jsonb) returns jsonb
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select definition || case when definition ->> 'kind' = 'rollup' and names ? (definition ->> 'table')
                            then jsonb_build_object('table', names -> (definition ->> 'table')) else '{}' end
$$;
comment on function holdfast.computed_part(jsonb, jsonb) is 'The definition of a computed field with the name of another table.';

-- A field may be computed from others of any table, so it is tried again once others are there.
create function holdfast.add_template_computed(workspace uuid, template jsonb, names jsonb) returns text
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  waiting jsonb := (select coalesce(jsonb_agg(jsonb_build_object('table', t.value -> 'key', 'field', c.value) order by t.place, c.place), '[]')
                      from jsonb_array_elements(template -> 'tables') with ordinality t (value, place),
                           jsonb_array_elements(coalesce(t.value -> 'computed', '[]')) with ordinality c (value, place));
  later jsonb;
  part jsonb;
  statements text := '';
  refusal text;
  code text;
begin
  while jsonb_array_length(waiting) > 0 loop
    later := '[]';
    for part in select w.value from jsonb_array_elements(waiting) w loop
      perform holdfast.require_template_parts(part -> 'field', '{name,label,kind,formula,link,field,table,function,only,looks}', 'A computed field');
      begin
        if part -> 'field' ->> 'kind' = 'rollup' and not names ? coalesce(part -> 'field' ->> 'table', '') then
          perform holdfast.refuse_template('link', 'A rollup names a table that is not in the template.');
        end if;
        statements := statements || holdfast.run_statement(format('select holdfast.set_computed_field(%L, %L, %L);', workspace, names ->> (part ->> 'table'),
                                                                  holdfast.computed_part((part -> 'field') - 'looks', names)));
      exception
        when raise_exception then
          get stacked diagnostics refusal = message_text, code = pg_exception_hint;
          later := later || jsonb_build_array(part);
      end;
    end loop;
    if later = waiting then
      raise exception 'The computed field % of the table % does not fit: %', waiting -> 0 -> 'field' ->> 'name', waiting -> 0 ->> 'table', refusal using hint = code;
    end if;
    waiting := later;
  end loop;
  return statements;
end
$$;
comment on function holdfast.add_template_computed(uuid, jsonb, jsonb) is 'Adds the computed fields of a template and returns the statements.';

create or replace function holdfast.check_template(template jsonb) returns void
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
    perform holdfast.require_template_parts(one, '{key,label,looks,fields,computed,access,transitions,views,records}', 'A table');
    perform holdfast.require_new_name(one ->> 'key', 'table of a template');
    what := format('the table %s', one ->> 'key');
    records := records + jsonb_array_length(holdfast.template_list(one, 'records', 0, holdfast.template_limit('records'), what));
    views := views + jsonb_array_length(holdfast.template_list(one, 'views', 0, holdfast.template_limit('views'), what));
    transitions := transitions + jsonb_array_length(holdfast.template_list(one, 'transitions', 0, holdfast.template_limit('transitions'), what));
    perform holdfast.template_list(one, 'computed', 0, 50, what);
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

create or replace function holdfast.template_definition(part jsonb, names jsonb, without text[]) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  target text;
  fields jsonb;
begin
  select f.value ->> 'table' into target from jsonb_array_elements(part -> 'fields') f
   where f.value ->> 'kind' = 'link' and coalesce(f.value ->> 'table', '') not in ('hf_teams', 'hf_members') and not coalesce(names ? (f.value ->> 'table'), false) limit 1;
  if found then
    perform holdfast.refuse_template('link', format('A field of the table %s links to "%s", which is not a table of the template.', part ->> 'key', target));
  end if;
  select jsonb_agg(f.value - 'looks' || case when f.value ->> 'kind' = 'link' and names ? (f.value ->> 'table')
                                             then jsonb_build_object('table', names -> (f.value ->> 'table')) else '{}' end order by f.place) into fields
    from jsonb_array_elements(part -> 'fields') with ordinality f (value, place) where coalesce(f.value ->> 'name', '') <> all (without);
  return jsonb_build_object('name', names -> (part ->> 'key'), 'label', part -> 'label', 'fields', coalesce(fields, '[]'), 'access', part -> 'access');
end
$$;

create or replace function holdfast.template_looks_sql(workspace uuid, part jsonb, name text, place double precision) returns text
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
  for field in select f.value from jsonb_array_elements((part -> 'fields') || coalesce(part -> 'computed', '[]')) f where f.value ? 'looks' loop
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

create or replace function holdfast.apply_template(workspace uuid, template jsonb, language text) returns jsonb
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
  statements := statements || holdfast.add_template_computed(workspace, template, names);
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

create or replace function holdfast.remove_template(load uuid) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  loaded constant holdfast.template_loads := holdfast.require_load(load);
  kept jsonb;
  gone text[];
  name text;
  functions text;
begin
  foreach name in array loaded.tables loop
    if to_regclass(format('public.%I', name)) is not null then
      execute format('lock table public.%I in access exclusive mode', name);
    end if;
  end loop;
  perform holdfast.remove_sample_records(load);
  kept := holdfast.kept_template_tables(loaded);
  gone := array(select t.name from unnest(loaded.tables) t (name) where not kept ? t.name and to_regclass(format('public.%I', t.name)) is not null);
  delete from holdfast.views v where v.table_name = any (gone);
  delete from holdfast.transitions t where t.schema_name = 'public' and t.table_name = any (gone);
  delete from holdfast.checklists c where c.schema_name = 'public' and array[c.table_name, c.item_table, c.answer_table] && gone;
  update holdfast.checklists c set finding_table = null where c.schema_name = 'public' and c.finding_table = any (gone);
  delete from holdfast.tables t where t.schema_name = 'public' and t.table_name = any (gone);
  delete from holdfast.fields f where f.schema_name = 'public' and f.table_name = any (gone);
  select string_agg(format('public.%I(public.%I)', f.field_name, f.table_name), ', ') into functions from holdfast.computed_fields f
   where f.table_name = any (gone) and to_regprocedure(format('public.%I(public.%I)', f.field_name, f.table_name)) is not null;
  if functions is not null then
    execute 'drop function ' || functions;
  end if;
  delete from holdfast.computed_fields f where f.table_name = any (gone);
  foreach name in array gone loop
    perform holdfast.untrack(format('public.%I', name)::regclass);
  end loop;
  if gone <> '{}' then
    execute 'drop table ' || (select string_agg(format('public.%I', g.name), ', ') from unnest(gone) g (name));
  end if;
  delete from holdfast.template_loads l where l.id = load;
  return jsonb_build_object('removed', to_jsonb(gone), 'kept', kept);
exception
  when lock_not_available then
    raise exception 'Somebody is writing to one of the tables. Try again.' using errcode = 'lock_not_available', hint = 'new_table.busy';
  when dependent_objects_still_exist then
    perform holdfast.refuse_template('used', format('Something else in the database uses these tables: %s', sqlerrm));
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

-- In PL/pgSQL, because computed fields come with a later migration.
create function holdfast.export_template_computed(workspace uuid, of_name text, keys jsonb) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (select jsonb_build_object(
    'fields', coalesce(jsonb_agg(one.part || case when one.looks = '{}' then '{}' else jsonb_build_object('looks', one.looks) end order by one.created_at, one.name) filter (where one.is_general), '[]'),
    'left_out', coalesce(jsonb_agg(jsonb_build_object('table', keys -> of_name, 'field', one.name, 'reason', 'field') order by one.name) filter (where not one.is_general), '[]'))
  from (
    select f.field_name as name, f.created_at, jsonb_build_object('name', f.field_name, 'label', f.label) || holdfast.computed_part(f.definition, keys) as part,
           -- Not of a record or a user, and only of tables that are exported.
           f.definition::text !~ '[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}' and (f.definition ->> 'kind' <> 'rollup' or keys ? (f.definition ->> 'table')) as is_general,
           coalesce((select jsonb_object_agg(l.key, l.value) from holdfast.fields o, jsonb_each(to_jsonb(o)) l
                      where o.schema_name = 'public' and o.table_name = of_name and o.field_name = f.field_name and o.workspace_id = workspace
                        and l.key <> all ('{id,workspace_id,schema_name,table_name,field_name,created_at,updated_at}')
                        and l.value <> all (array['null', '{}', 'false']::jsonb[])), '{}') as looks
      from holdfast.computed_fields f where f.table_name = of_name and f.workspace_id = workspace
  ) one);
end
$$;
comment on function holdfast.export_template_computed(uuid, text, jsonb) is 'The computed fields of a table for a template, and those that it leaves out.';

-- The rules of a table, unless they name a record or a user.
create function holdfast.template_access(workspace uuid, of_name text) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  rules constant jsonb := holdfast.access_of(workspace, of_name) - 'policies';
begin
  return coalesce(holdfast.table_access(format('public.%I', of_name)::regclass),
                  case when rules ->> 'kind' = 'rules' and rules::text !~ '[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}' then rules end);
end
$$;
comment on function holdfast.template_access(uuid, text) is 'Who sees the records of a table, as create_table takes it; NULL where a template cannot have it.';

create or replace function holdfast.export_template_table(workspace uuid, of_name text, keys jsonb) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := format('public.%I', of_name)::regclass;
  fields constant jsonb := holdfast.export_template_fields(workspace, of_table, keys);
  access constant jsonb := holdfast.template_access(workspace, of_name);
  computed constant jsonb := holdfast.export_template_computed(workspace, of_name, keys);
  left_out jsonb := (fields -> 'left_out') || (computed -> 'left_out');
  part jsonb;
begin
  if access is null then
    left_out := left_out || jsonb_build_array(jsonb_build_object('table', keys -> of_name, 'reason', 'access'));
  end if;
  select jsonb_build_object('key', keys -> of_name, 'label', coalesce(t.label, holdfast.value_words(of_name)), 'fields', fields -> 'fields', 'access', coalesce(access, '{"kind": "own"}'),
           'looks', (select coalesce(jsonb_object_agg(l.key, l.value), '{}') from jsonb_each(to_jsonb(t)) l
                      where l.key = any ('{icon,color,section,is_supporting,translations}') and l.value <> all (array['null', '{}', 'false']::jsonb[])))
    into part from holdfast.tables t where t.schema_name = 'public' and t.table_name = of_name;
  if computed -> 'fields' <> '[]' then
    part := part || jsonb_build_object('computed', computed -> 'fields');
  end if;
  select left_out || coalesce(jsonb_agg(jsonb_build_object('table', keys -> of_name, 'view', v.name, 'reason', 'view')) filter (where v.is_personal), '[]'),
         part || jsonb_build_object('views', coalesce(jsonb_agg(jsonb_build_object('name', v.name, 'type', v.type, 'config', v.config)
           || case when v.is_default then '{"is_default": true}' else '{}'::jsonb end order by v.position, v.name, v.id) filter (where not v.is_personal), '[]'))
    into left_out, part
    -- A view that filters by a record or a user.
    from (select *, one.config::text ~ '[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}' or one.config::text <> holdfast.without_people(one.config::text) as is_personal
            from holdfast.views one where one.table_name = of_name and one.scope <> 'personal' and one.workspace_id = workspace) v;
  select left_out || coalesce(jsonb_agg(distinct jsonb_build_object('table', keys -> of_name, 'field', t.field, 'reason', 'transition')) filter (where t.allowed_if is not null), '[]'),
         part || jsonb_build_object('transitions', coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('field', t.field, 'from', t.from_value, 'to', t.to_value, 'words', t.words))
           order by t.field, t.from_value nulls first, t.to_value) filter (where t.allowed_if is null), '[]'))
    into left_out, part from holdfast.transitions t where t.schema_name = 'public' and t.table_name = of_name;
  return jsonb_build_object('part', part, 'left_out', left_out);
end
$$;

-- The tables with the questions of checklists, and those with the checklists that they are of.
create function holdfast.checklist_content(template jsonb) returns setof text
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select content.key from jsonb_array_elements(template -> 'checklists') c
    join jsonb_array_elements(template -> 'tables') items on items.value ->> 'key' = c.value ->> 'items'
    join jsonb_array_elements(template -> 'tables') records on records.value ->> 'key' = c.value ->> 'table'
    cross join lateral (
      select c.value ->> 'items' as key
      union
      select f.value ->> 'table' from jsonb_array_elements(items.value -> 'fields') f, jsonb_array_elements(records.value -> 'fields') r
       where f.value ->> 'kind' = 'link' and r.value ->> 'kind' = 'link' and f.value ->> 'table' = r.value ->> 'table' and f.value ->> 'table' !~ '^hf_') content
$$;
comment on function holdfast.checklist_content(jsonb) is 'The keys of the tables of a template that hold questions and checklists.';

create or replace function holdfast.export_template(workspace uuid, with_records boolean default false) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  exported jsonb := holdfast.export_template_tables(workspace);
  zone constant text := (select w.time_zone from holdfast.workspaces w where w.id = workspace);
  ids jsonb := '{}';
  count integer := 0;
  key text;
  kept text[];
  found_ids jsonb;
  tables jsonb;
begin
  -- A checklist is what its questions ask: they are exported with it.
  kept := array(select t.value ->> 'key' from jsonb_array_elements(exported -> 'template' -> 'tables') t
                 where with_records or t.value ->> 'key' in (select holdfast.checklist_content(exported -> 'template')));
  foreach key in array kept loop
    execute format('select coalesce(jsonb_object_agg(r.id, ''r'' || r.place), ''{}'') from (select id, row_number() over (order by created_at, id) as place from public.%I limit %s) r',
                   key, holdfast.template_limit('records') + 1) into found_ids;
    ids := ids || jsonb_build_object(key, found_ids);
    count := count + (select count(*) from jsonb_object_keys(found_ids));
    if count > holdfast.template_limit('records') then
      perform holdfast.refuse_template('too_many_records', 'A template has at most 2,000 records. Export it without records.');
    end if;
  end loop;
  select jsonb_agg(t.value || case when t.value ->> 'key' <> all (kept) then '{}' else jsonb_build_object('records', holdfast.export_template_records(format('public.%I', t.value ->> 'key')::regclass, t.value -> 'fields', ids, zone)) end order by t.place)
    into tables from jsonb_array_elements(exported -> 'template' -> 'tables') with ordinality t (value, place);
  return jsonb_set(exported, '{template,tables}', tables);
end
$$;

do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  for one in
    select p.oid::pg_catalog.regprocedure as function from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('computed_part', 'add_template_computed', 'export_template_computed', 'template_access', 'checklist_content')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
grant execute on function holdfast.checklist_content(jsonb) to authenticated;
