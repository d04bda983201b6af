-- A removed template takes the tables with the files of its records with it, as a purged table does (0270).

-- As in 0054, without the links of files, and with what the fields of a table that stays read.
create or replace function holdfast.kept_template_tables(loaded holdfast.template_loads) returns jsonb
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
  -- Tables that one that stays links to or reads stay too.
  loop
    before := kept;
    select kept || coalesce(jsonb_object_agg(u.used, 'linked'), '{}') into kept
      from (select c.relname::text as used, o.relname::text as by
              from pg_constraint f join pg_class c on c.oid = f.confrelid join pg_class o on o.oid = f.conrelid
             where f.contype = 'f' and f.conname <> 'holdfast_files_of_record' and c.relnamespace = 'public'::regnamespace
            union
            select r.table_name::text, f.table_name::text
              from holdfast.computed_fields f cross join lateral holdfast.computed_reads(f.table_name, f.definition) r) u
     where u.used = any (loaded.tables) and not kept ? u.used and (u.by <> all (loaded.tables) or kept ? u.by);
    exit when kept = before;
  end loop;
  return kept;
end
$$;

-- As in 0300, with the files.
create or replace function holdfast.remove_template(load uuid) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  loaded constant holdfast.template_loads := holdfast.require_load(load);
  kept jsonb;
  gone text[];
  name text;
  functions text;
  of_files regclass;
  users text;
begin
  foreach name in array loaded.tables loop
    if to_regclass(format('public.%I', name)) is not null then
      execute format('lock table public.%I in access exclusive mode', name);
    end if;
  end loop;
  perform holdfast.remove_sample_records(load);
  kept := holdfast.kept_template_tables(loaded);
  gone := array(select t.name from unnest(loaded.tables) t (name) where not kept ? t.name and to_regclass(format('public.%I', t.name)) is not null);
  -- The tables with files go after those of their records, with what is stored.
  for of_files in select holdfast.files_table(to_regclass(format('public.%I', g.name))) from unnest(gone) g (name) loop
    if of_files is not null then
      execute format('alter table %s drop constraint holdfast_files_of_record', of_files);
    end if;
  end loop;
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
    foreach name in array gone loop
      perform holdfast.drop_files(name);
    end loop;
  end if;
  perform holdfast.recheck_automations(loaded.workspace_id);
  delete from holdfast.template_loads l where l.id = load;
  return jsonb_build_object('removed', to_jsonb(gone), 'kept', kept);
exception
  when lock_not_available then
    raise exception 'Somebody is writing to one of the tables. Try again.' using errcode = 'lock_not_available', hint = 'new_table.busy';
  when dependent_objects_still_exist then
    get stacked diagnostics users = pg_exception_detail;
    perform holdfast.refuse_template('used', format('Something else in the database uses these tables: %s', users));
end
$$;

do $$
declare
  one record;
begin
  -- As in 0051: functions whose text has a backslash say how it is written. Those of 0380 and 0381 lost it when they were replaced.
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
