-- Removing what a template added, and writing the tables of a workspace as a template.

create function holdfast.require_load(load uuid) returns holdfast.template_loads
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  found_load holdfast.template_loads;
begin
  select * into found_load from holdfast.template_loads l where l.id = load for update;
  if found_load.id is null or holdfast.role_in(found_load.workspace_id) is null then
    perform holdfast.refuse_template('not_found', 'The template was removed already.');
  end if;
  perform holdfast.require_admin(found_load.workspace_id);
  perform set_config('lock_timeout', '3s', true);
  return found_load;
end
$$;
comment on function holdfast.require_load(uuid) is 'A loaded template, for owners and admins of its workspace.';

create function holdfast.remove_sample_records(load uuid) returns integer
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  loaded constant holdfast.template_loads := holdfast.require_load(load);
  name text;
  removed integer := 0;
  count integer;
begin
  foreach name in array loaded.tables loop
    -- A table of this name that was created later is another one.
    continue when not exists (select from holdfast.tables t where t.schema_name = 'public' and t.table_name = name and t.workspace_id = loaded.workspace_id
                                 and t.created_at = loaded.created_at and to_regclass(format('public.%I', name)) is not null);
    execute format('delete from public.%I r using holdfast.template_records s where s.load_id = $1 and s.table_name = $2 and r.id = s.record_id', name) using load, name;
    get diagnostics count = row_count;
    removed := removed + count;
  end loop;
  delete from holdfast.template_records s where s.load_id = load;
  update holdfast.template_loads l set sample_records = 0 where l.id = load;
  return removed;
exception
  when lock_not_available then
    raise exception 'Somebody is writing to one of the tables. Try again.' using errcode = 'lock_not_available', hint = 'new_table.busy';
end
$$;
comment on function holdfast.remove_sample_records(uuid) is 'Deletes the sample records of a loaded template. For owners and admins of the workspace.';

-- What a template's removal keeps, and why: {name: reason}.
create function holdfast.kept_template_tables(loaded holdfast.template_loads) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  kept jsonb := '{}';
  name text;
  has_records boolean;
  before jsonb;
begin
  foreach name in array loaded.tables loop
    if to_regclass(format('public.%I', name)) is null then
      continue;
    end if;
    if not exists (select from holdfast.tables t where t.schema_name = 'public' and t.table_name = name and t.workspace_id = loaded.workspace_id
                      and t.created_at = loaded.created_at) then
      kept := kept || jsonb_build_object(name, 'other');
      continue;
    end if;
    execute format('select exists (select from public.%I)', name) into has_records;
    if has_records then
      kept := kept || jsonb_build_object(name, 'records');
    end if;
  end loop;
  -- Tables that a kept one links to stay too.
  loop
    before := kept;
    select kept || coalesce(jsonb_object_agg(c.relname, 'linked'), '{}') into kept
      from pg_constraint f join pg_class c on c.oid = f.confrelid join pg_class o on o.oid = f.conrelid
     where f.contype = 'f' and c.relnamespace = 'public'::regnamespace and c.relname = any (loaded.tables) and not kept ? c.relname::text
       and (o.relname <> all (loaded.tables) or kept ? o.relname::text);
    exit when kept = before;
  end loop;
  return kept;
end
$$;
comment on function holdfast.kept_template_tables(holdfast.template_loads) is 'The tables of a loaded template that cannot be removed: they have records, or a table that stays links to them.';

create function holdfast.remove_template(load uuid) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  loaded constant holdfast.template_loads := holdfast.require_load(load);
  kept jsonb;
  gone text[];
  name text;
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
comment on function holdfast.remove_template(uuid) is
  'Removes the sample records of a loaded template and those of its tables without other records; returns what stays. For owners and admins of the workspace.';

-- The reverse of new_field_sql: the definition of a column, or NULL for one that it cannot create. keys: the key of each exported table by name.
create function holdfast.field_definition(of_table regclass, field name, keys jsonb) returns jsonb
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
comment on function holdfast.field_definition(regclass, name, jsonb) is 'The definition of a field as create_table takes it; NULL where that has no such kind.';

-- Rules that were changed since are not written: the template then has the strictest ones.
create function holdfast.table_access(of_table regclass) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select case
    when exists (select from pg_policy p where p.polrelid = of_table
                    and p.polname <> all ('{members_read,editors_change,own_records_read,own_records_change,admins_manage,team_reads,team_changes,guests_read,guests_change}')) then null
    when exists (select from pg_policy p where p.polrelid = of_table and p.polname = 'members_read') then '{"kind": "members"}'::jsonb
    when exists (select from pg_policy p where p.polrelid = of_table and p.polname = 'own_records_read') then '{"kind": "own"}'
    else (select jsonb_build_object('kind', 'team', 'field', a.attname)
            from pg_policy p join pg_depend d on d.classid = 'pg_policy'::regclass and d.objid = p.oid and d.refclassid = 'pg_class'::regclass and d.refobjid = of_table
            join pg_attribute a on a.attrelid = of_table and a.attnum = d.refobjsubid and a.attnum > 0
           where p.polrelid = of_table and p.polname = 'team_reads' limit 1)
  end
$$;
comment on function holdfast.table_access(regclass) is 'Who sees the records of a table, as create_table takes it; NULL where its policies are others.';

create function holdfast.export_template_fields(workspace uuid, of_table regclass, keys jsonb) returns jsonb
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select jsonb_build_object(
    'fields', coalesce(jsonb_agg(jsonb_build_object('name', one.name, 'label', one.label) || one.definition
                || case when one.looks = '{}' then '{}' else jsonb_build_object('looks', one.looks) end order by one.place) filter (where one.definition is not null), '[]'),
    'left_out', coalesce(jsonb_agg(jsonb_build_object('table', keys ->> one.of_name, 'field', one.name, 'reason', case when one.definition is null then 'field' else 'rule' end) order by one.place)
                filter (where one.definition is null or one.has_rules), '[]'))
  from (
    select a.attname::text as name, a.attnum as place, c.relname::text as of_name, holdfast.field_words(of_table, a.attname) as label,
           holdfast.field_definition(of_table, a.attname, keys) as definition,
           a.attnotnull or a.atthasdef or exists (select from pg_constraint r where r.conrelid = of_table and r.conkey @> array[a.attnum] and r.contype in ('c', 'u')
             and not (r.contype = 'c' and holdfast.field_definition(of_table, a.attname, keys) ->> 'kind' = 'choice' and r.conkey = array[a.attnum])) as has_rules,
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
comment on function holdfast.export_template_fields(uuid, regclass, jsonb) is 'The fields of a table for a template, and those that it leaves out.';

-- Addresses become one of a domain that is reserved for examples.
create function holdfast.without_people(value text) returns text
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select nullif(regexp_replace(
    regexp_replace(value, '[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}', '', 'g'),
    '[^\s@<>"(),;:]+@(?!(?:[A-Za-z0-9-]+\.)*example\.(?:com|org|net)(?:$|[^A-Za-z0-9.-]))[^\s@<>"(),;:]+\.[^\s@<>"(),;:]+', 'name@example.com', 'g'), '')
$$;
comment on function holdfast.without_people(text) is 'A text without mail addresses and ids.';

create function holdfast.export_value(value jsonb, kind text, zone text) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  today constant date := (now() at time zone zone)::date;
  at timestamp;
  days integer;
begin
  if kind = 'text' then
    return to_jsonb(holdfast.without_people(value #>> '{}'));
  elsif kind not in ('date', 'datetime') or not isfinite((value #>> '{}')::timestamptz) then
    return value;
  end if;
  at := case when kind = 'date' then (value #>> '{}')::timestamp else (value #>> '{}')::timestamptz at time zone zone end;
  days := at::date - today;
  if abs(days) > 366 then
    return value;
  end if;
  return to_jsonb('today' || case when days = 0 then '' else to_char(days, 'FMSG99999') end
                  || case when kind = 'date' then '' when at::time = date_trunc('minute', at)::time then to_char(at, ' HH24:MI') else ' ' || at::time::text end);
end
$$;
comment on function holdfast.export_value(jsonb, text, text) is 'A value of a record for a template: dates within a year are relative to today, texts are without people.';

create function holdfast.export_template_records(of_table regclass, fields jsonb, ids jsonb, zone text) returns jsonb
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
              from jsonb_array_elements(fields) f where record -> (f.value ->> 'name') <> 'null') one;
    exported := exported || jsonb_build_array(jsonb_build_object('id', 'r' || place) || given);
  end loop;
  return exported;
end
$$;
comment on function holdfast.export_template_records(regclass, jsonb, jsonb, text) is 'The records of a table that the caller may read, for a template.';

create function holdfast.export_template_table(workspace uuid, of_name text, keys jsonb) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  of_table constant regclass := format('public.%I', of_name)::regclass;
  fields constant jsonb := holdfast.export_template_fields(workspace, of_table, keys);
  access constant jsonb := holdfast.table_access(of_table);
  left_out jsonb := fields -> 'left_out';
  part jsonb;
begin
  if access is null then
    left_out := left_out || jsonb_build_array(jsonb_build_object('table', keys -> of_name, 'reason', 'access'));
  end if;
  select jsonb_build_object('key', keys -> of_name, 'label', coalesce(t.label, holdfast.value_words(of_name)), 'fields', fields -> 'fields', 'access', coalesce(access, '{"kind": "own"}'),
           'looks', (select coalesce(jsonb_object_agg(l.key, l.value), '{}') from jsonb_each(to_jsonb(t)) l
                      where l.key = any ('{icon,color,section,is_supporting,translations}') and l.value <> all (array['null', '{}', 'false']::jsonb[])))
    into part from holdfast.tables t where t.schema_name = 'public' and t.table_name = of_name;
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
comment on function holdfast.export_template_table(uuid, text, jsonb) is 'A table of a workspace for a template, and what it leaves out.';

create function holdfast.export_template_tables(workspace uuid) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  keys jsonb;
  tables jsonb := '[]';
  left_out jsonb := '[]';
  one jsonb;
  of_name text;
begin
  perform holdfast.require_admin(workspace);
  select jsonb_object_agg(t.table_name, t.table_name) into keys from holdfast.tables t
   where t.schema_name = 'public' and t.workspace_id = workspace and to_regclass(format('public.%I', t.table_name)) is not null;
  if keys is null then
    perform holdfast.refuse_template('no_tables', 'This workspace has no tables of its own. Tables created with SQL cannot be exported.');
  end if;
  for of_name in select t.table_name from holdfast.tables t where t.schema_name = 'public' and keys ? t.table_name order by t.position, t.label, t.table_name loop
    one := holdfast.export_template_table(workspace, of_name, keys);
    left_out := left_out || (one -> 'left_out');
    tables := tables || jsonb_build_array(one -> 'part');
  end loop;
  return jsonb_build_object('left_out', left_out, 'template', jsonb_build_object('holdfast_template', 1, 'name', (select w.name from holdfast.workspaces w where w.id = workspace), 'tables', tables,
    'checklists', (select coalesce(jsonb_agg(jsonb_build_object('table', c.table_name, 'items', c.item_table, 'answers', c.answer_table,
                     'place_fields', to_jsonb(c.place_fields), 'names', c.names, 'begin', c.begin_values, 'finish', c.finish_values)
                     || case when c.finding_table is null then '{}' else jsonb_build_object('findings', c.finding_table) end order by c.table_name), '[]')
       from holdfast.checklists c where c.schema_name = 'public' and keys ? c.table_name and keys ? c.item_table and keys ? c.answer_table
        and (c.finding_table is null or keys ? c.finding_table))));
end
$$;
comment on function holdfast.export_template_tables(uuid) is 'The tables of a workspace as a template without records, and what it leaves out. For its owners and admins.';

-- With the rights of the caller: only records that the caller may read are written.
create function holdfast.export_template(workspace uuid, with_records boolean default false) returns jsonb
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  exported jsonb := holdfast.export_template_tables(workspace);
  zone constant text := (select w.time_zone from holdfast.workspaces w where w.id = workspace);
  ids jsonb := '{}';
  count integer := 0;
  key text;
  found_ids jsonb;
  tables jsonb;
begin
  if not with_records then
    return exported;
  end if;
  for key in select t.value ->> 'key' from jsonb_array_elements(exported -> 'template' -> 'tables') t loop
    execute format('select coalesce(jsonb_object_agg(r.id, ''r'' || r.place), ''{}'') from (select id, row_number() over (order by created_at, id) as place from public.%I limit %s) r',
                   key, holdfast.template_limit('records') + 1) into found_ids;
    ids := ids || jsonb_build_object(key, found_ids);
    count := count + (select count(*) from jsonb_object_keys(found_ids));
    if count > holdfast.template_limit('records') then
      perform holdfast.refuse_template('too_many_records', 'A template has at most 2,000 records. Export it without records.');
    end if;
  end loop;
  select jsonb_agg(t.value || jsonb_build_object('records', holdfast.export_template_records(format('public.%I', t.value ->> 'key')::regclass, t.value -> 'fields', ids, zone)) order by t.place)
    into tables from jsonb_array_elements(exported -> 'template' -> 'tables') with ordinality t (value, place);
  return jsonb_set(exported, '{template,tables}', tables);
end
$$;
comment on function holdfast.export_template(uuid, boolean) is 'The tables of a workspace as a template, with or without records. For its owners and admins.';

do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  for one in
    select p.oid::pg_catalog.regprocedure as function, p.proname as name from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('require_load', 'remove_sample_records', 'kept_template_tables', 'remove_template', 'field_definition', 'table_access', 'export_template_fields',
                         'without_people', 'export_value', 'export_template_records', 'export_template_table', 'export_template_tables', 'export_template')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('remove_sample_records', 'remove_template', 'without_people', 'export_value', 'export_template_records', 'export_template_tables', 'export_template') then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
-- Of the functions that export_template calls with the rights of its caller.
grant execute on function holdfast.refuse_template(text, text), holdfast.template_limit(text) to authenticated;
