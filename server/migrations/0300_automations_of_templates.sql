-- Automations of templates: loaded switched off, as the user who loads them; exported without what is secret or about people; removed with their tables.

-- The config of an automation of a template, with the names that its tables get here and its texts in one language.
create function holdfast.template_automation(automation jsonb, names jsonb, language text) returns jsonb
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object('when', (automation -> 'when') || jsonb_build_object('table', names -> (automation #>> '{when,table}')),
           'do', (select coalesce(jsonb_agg(case jsonb_typeof(s.value) when 'object' then s.value
                    || case when s.value ? 'table' then jsonb_build_object('table', names -> (s.value ->> 'table')) else '{}' end
                    || case when s.value ? 'text' then jsonb_build_object('text', holdfast.template_text(s.value -> 'text', language)) else '{}' end
                    || case when s.value ? 'subject' then jsonb_build_object('subject', holdfast.template_text(s.value -> 'subject', language)) else '{}' end
                    else s.value end order by s.place), '[]')
                    from jsonb_array_elements(automation -> 'do') with ordinality s (value, place)))
         || case when automation ? 'if' then jsonb_build_object('if', automation -> 'if') else '{}' end
$$;
comment on function holdfast.template_automation(jsonb, jsonb, text) is 'An automation of a template as holdfast.save_automation takes it.';

create function holdfast.template_automations_sql(workspace uuid, template jsonb, names jsonb, language text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  statements text := '';
  one jsonb;
  title text;
  config jsonb;
begin
  if jsonb_array_length(coalesce(template -> 'automations', '[]')) + (select count(*) from holdfast.automations a where a.workspace_id = workspace)
     > holdfast.automation_limit('automations of a workspace') then
    perform holdfast.refuse_template('automation', 'The workspace would have more than 50 automations. Delete some first.');
  end if;
  for one in select a.value from jsonb_array_elements(coalesce(template -> 'automations', '[]')) with ordinality a (value, place) order by a.place loop
    perform holdfast.require_template_parts(one, '{name,when,if,do}', 'An automation');
    title := btrim(holdfast.template_text(one -> 'name', language));
    if coalesce(length(title), 0) not between 1 and 80 then
      perform holdfast.refuse_template('automation', 'The name of an automation has 1 to 80 characters.');
    elsif jsonb_typeof(one -> 'when') is distinct from 'object' or jsonb_typeof(one -> 'do') is distinct from 'array' or not coalesce(names ? (one #>> '{when,table}'), false)
          or exists (select from jsonb_array_elements(one -> 'do') s where s.value ? 'table' and not coalesce(names ? (s.value ->> 'table'), false)) then
      perform holdfast.refuse_template('automation', format('The automation "%s" is not about tables of the template.', title));
    end if;
    config := holdfast.template_automation(one, names, language);
    begin
      perform holdfast.require_automation(workspace, config);
      perform holdfast.require_owner_for_addresses(workspace, config);
    exception
      when raise_exception or insufficient_privilege or data_exception then
        perform holdfast.refuse_template('automation', format('The automation "%s" does not fit: %s', title, sqlerrm));
    end;
    statements := statements || format(E'insert into holdfast.automations (workspace_id, name, table_name, config, runs_as, created_by)\n  values (%L, %L, %L, %L, %L, %L);\n',
      workspace, title, config #>> '{when,table}', config, holdfast.user_id(), holdfast.user_id());
  end loop;
  return statements;
end
$$;
comment on function holdfast.template_automations_sql(uuid, jsonb, jsonb, text) is 'The statements for the automations of a template.';

-- An address often contains a secret, as those of chat services do.
create function holdfast.without_web_addresses(config jsonb) returns jsonb
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select jsonb_set(config, '{do}', (select coalesce(jsonb_agg(case when s.value ->> 'kind' = 'webhook' then s.value || '{"url": "https://example.com/"}' else s.value end order by s.place), '[]')
                                      from jsonb_array_elements(config -> 'do') with ordinality s (value, place)))
$$;
comment on function holdfast.without_web_addresses(jsonb) is 'An automation whose webhooks go to example.com.';

-- Automations about exported tables and fields that name no record, user or address.
create function holdfast.export_template_automations(workspace uuid, exported jsonb) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  written jsonb;
  left_out jsonb;
begin
  perform holdfast.require_admin(workspace);
  with fields as (
    select t.value ->> 'key' as table_name, f.value ->> 'name' as field
      from jsonb_array_elements(exported #> '{template,tables}') t (value),
           jsonb_array_elements((t.value -> 'fields') || '[{"name": null}, {"name": "id"}, {"name": "created_by"}, {"name": "created_at"}, {"name": "updated_at"}]') f (value)
  ), automations as (
    select a.id, a.name, c.config, c.config <> a.config as has_address,
           c.config::text !~ '[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}' and c.config::text = holdfast.without_people(c.config::text)
           and not exists (select from holdfast.automation_used(c.config) u
                            where not exists (select from fields f where f.table_name = u.table_name and f.field is not distinct from u.field)) as is_general
      from holdfast.automations a, lateral (select holdfast.without_web_addresses(a.config) as config) c
     where a.workspace_id = workspace
  )
  select coalesce(jsonb_agg(jsonb_build_object('name', a.name) || a.config order by a.name, a.id) filter (where a.is_general), '[]'),
         coalesce(jsonb_agg(jsonb_build_object('automation', a.name, 'reason', case when a.is_general then 'webhook' else 'automation' end) order by a.name, a.id)
                  filter (where a.has_address or not a.is_general), '[]')
    into written, left_out from automations a;
  return case when written = '[]' then exported else jsonb_set(exported, '{template,automations}', written) end
         || jsonb_build_object('left_out', coalesce(exported -> 'left_out', '[]') || left_out);
end
$$;
comment on function holdfast.export_template_automations(uuid, jsonb) is 'An exported template with the automations of the workspace. For its owners and admins.';

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
  perform holdfast.require_template_parts(template, '{holdfast_template,name,description,icon,color,tables,checklists,dashboards,automations}', 'The template');
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
  perform holdfast.template_list(template, 'automations', 0, 50, 'the template');
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
  statements := statements || holdfast.run_statement(holdfast.template_automations_sql(workspace, template, names, language));
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
  delete from holdfast.automations a where a.workspace_id = loaded.workspace_id and a.table_name = any (gone);
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
  perform holdfast.recheck_automations(loaded.workspace_id);
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
  exported := jsonb_set(exported, '{template,tables}', tables);
  return holdfast.export_template_automations(workspace, holdfast.export_template_dashboards(workspace, exported));
end
$$;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  for one in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace
       and p.proname in ('template_automation', 'template_automations_sql', 'without_web_addresses', 'export_template_automations')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
grant execute on function holdfast.export_template_automations(uuid, jsonb) to authenticated;
