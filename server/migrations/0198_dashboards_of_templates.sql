-- Dashboards of templates: loaded with their tables, exported with them, and removed with them.

create function holdfast.template_dashboards_sql(workspace uuid, template jsonb, names jsonb, language text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  statements text := '';
  one jsonb;
  place integer;
  config jsonb;
  problem text;
begin
  for one, place in select d.value, d.place from jsonb_array_elements(coalesce(template -> 'dashboards', '[]')) with ordinality d (value, place) loop
    perform holdfast.require_template_parts(one, '{name,filters,tiles}', 'A dashboard');
    if exists (select from jsonb_array_elements(holdfast.template_list(one, 'tiles', 0, 24, 'a dashboard')) t
                where jsonb_typeof(t.value) <> 'object' or not coalesce(names ? (t.value ->> 'table'), false)) then
      perform holdfast.refuse_template('dashboard', 'A tile of a dashboard shows a table that is not in the template.');
    end if;
    select jsonb_build_object('version', 1, 'tiles', coalesce(jsonb_agg(t.value || jsonb_build_object('table', names -> (t.value ->> 'table'))
             || case when t.value ? 'title' then jsonb_build_object('title', holdfast.template_text(t.value -> 'title', language)) else '{}' end order by t.place), '[]'))
           || case when one ? 'filters' then jsonb_build_object('filters', one -> 'filters') else '{}' end
      into config from jsonb_array_elements(coalesce(one -> 'tiles', '[]')) with ordinality t (value, place);
    problem := holdfast.dashboard_problem(config);
    if problem is not null then
      perform holdfast.refuse_template('dashboard', problem);
    elsif coalesce(length(btrim(holdfast.template_text(one -> 'name', language))), 0) not between 1 and 80 then
      perform holdfast.refuse_template('dashboard', 'The name of a dashboard has 1 to 80 characters.');
    end if;
    statements := statements || format(E'insert into holdfast.dashboards (workspace_id, name, scope, config, position)\n  values (%L, %L, ''shared'', %L, %L);\n',
      workspace, holdfast.template_text(one -> 'name', language), config, place);
  end loop;
  return statements;
end
$$;
comment on function holdfast.template_dashboards_sql(uuid, jsonb, jsonb, text) is 'The statements for the dashboards of a template.';

-- Tiles of tables that go. A dashboard of nothing else goes with them.
create function holdfast.drop_tiles(gone text[]) returns void
  language plpgsql set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
begin
  with kept as (
    select d.id, (select coalesce(jsonb_agg(t.value order by t.place), '[]') from jsonb_array_elements(d.config -> 'tiles') with ordinality t (value, place)
                   where t.value ->> 'table' <> all (gone)) as tiles
      from holdfast.dashboards d
     where exists (select from jsonb_array_elements(d.config -> 'tiles') t where t.value ->> 'table' = any (gone))
  ), emptied as (
    delete from holdfast.dashboards d using kept where d.id = kept.id and kept.tiles = '[]'
  )
  update holdfast.dashboards d set config = jsonb_set(d.config, '{tiles}', kept.tiles) from kept where d.id = kept.id and kept.tiles <> '[]';
end
$$;
comment on function holdfast.drop_tiles(text[]) is 'Removes the tiles of tables from all dashboards.';

-- Shared dashboards whose tiles show only exported tables, and no record or user.
create function holdfast.export_template_dashboards(workspace uuid, exported jsonb) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  keys constant text[] := array(select t.value ->> 'key' from jsonb_array_elements(exported -> 'template' -> 'tables') t);
  dashboards jsonb;
  left_out jsonb;
begin
  perform holdfast.require_admin(workspace);
  select coalesce(jsonb_agg(jsonb_build_object('name', d.name) || (d.config - 'version') order by d.position, d.name, d.id) filter (where d.is_general), '[]'),
         coalesce(jsonb_agg(jsonb_build_object('dashboard', d.name, 'reason', 'dashboard') order by d.name) filter (where not d.is_general), '[]')
    into dashboards, left_out
    from (select one.*, one.config::text !~ '[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}' and one.config::text = holdfast.without_people(one.config::text)
                 and not exists (select from jsonb_array_elements(one.config -> 'tiles') t where t.value ->> 'table' <> all (keys)) as is_general
            from holdfast.dashboards one where one.scope <> 'personal' and one.workspace_id = workspace order by one.position, one.name, one.id limit 20) d;
  return case when dashboards = '[]' then exported else jsonb_set(exported, '{template,dashboards}', dashboards) end
         || jsonb_build_object('left_out', coalesce(exported -> 'left_out', '[]') || left_out);
end
$$;
comment on function holdfast.export_template_dashboards(uuid, jsonb) is 'An exported template with the shared dashboards of the workspace. For its owners and admins.';

create or replace function holdfast.check_template(template jsonb) returns void
  language plpgsql immutable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
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
  perform holdfast.require_template_parts(template, '{holdfast_template,name,description,icon,color,tables,checklists,dashboards}', 'The template');
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
  perform holdfast.template_list(template, 'dashboards', 0, 20, 'the template');
end
$$;

create or replace function holdfast.apply_template(workspace uuid, template jsonb, language text) returns jsonb
  language plpgsql set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
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
  statements := statements || holdfast.run_statement(holdfast.template_dashboards_sql(workspace, template, names, language));
  return jsonb_build_object('names', names, 'ids', ids, 'statements', statements);
end
$$;

create or replace function holdfast.remove_template(load uuid) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
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
  perform holdfast.drop_tiles(gone);
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

create or replace function holdfast.export_template(workspace uuid, with_records boolean default false) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
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
  return holdfast.export_template_dashboards(workspace, jsonb_set(exported, '{template,tables}', tables));
end
$$;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace and p.proname in ('template_dashboards_sql', 'drop_tiles', 'export_template_dashboards')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
grant execute on function holdfast.export_template_dashboards(uuid, jsonb) to authenticated;
