-- A deleted table takes its checklists along, and says that it was deleted: dashboards show it.

alter table holdfast.tables add column if not exists deleted_at timestamptz;
comment on column holdfast.tables.deleted_at is 'Deleted. Since when the table can only be restored.';
alter table holdfast_private.deleted_tables add column if not exists with_table text;
alter table holdfast_private.deleted_tables add column if not exists checklist jsonb;
comment on column holdfast_private.deleted_tables.with_table is 'The table whose checklists the table belongs to, if it is deleted and restored with that.';
comment on column holdfast_private.deleted_tables.checklist is 'The row of holdfast.checklists of the table, which is added again with it.';
update holdfast.tables t set deleted_at = d.deleted_at from holdfast_private.deleted_tables d
 where t.schema_name = 'public' and t.table_name = d.table_name and t.workspace_id = d.workspace_id and to_regclass(format('public.%I', t.table_name)) is null;

-- Templates are what both the records and the questions of a checklist link to. Findings are part of it if they follow the rules of the table; others are records of their own.
create function holdfast.checklist_parts(of_table regclass) returns regclass[]
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce(array_agg(distinct part.id order by part.id), '{}')
    from holdfast.checklists c
    join pg_class r on r.oid = of_table and r.relname = c.table_name and r.relnamespace = 'public'::regnamespace
    cross join lateral (
      select to_regclass(format('public.%I', name)) as id
        from unnest(array[c.item_table, c.answer_table, case when c.follows_access then c.finding_table end]) name
      union
      (select k.confrelid::regclass from pg_constraint k join pg_class target on target.oid = k.confrelid
        where k.contype = 'f' and k.conrelid = of_table and target.relnamespace = 'public'::regnamespace
          and exists (select from pg_constraint i where i.contype = 'f' and i.conrelid = to_regclass(format('public.%I', c.item_table)) and i.confrelid = k.confrelid)
        order by k.oid limit 1)) part
   where c.schema_name = 'public' and part.id is not null and part.id <> of_table
$$;
comment on function holdfast.checklist_parts(regclass) is 'The tables of the checklists of a table: templates, questions, answers, and findings that follow its rules.';

create function holdfast.users_of_tables(tables regclass[]) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select string_agg(distinct pg_describe_object(d.classid, d.objid, 0), ', ')
    from pg_depend d
   where d.deptype = 'n' and ((d.refclassid = 'pg_class'::regclass and d.refobjid = any (tables))
                              or (d.refclassid = 'pg_type'::regclass and d.refobjid in (select c.reltype from pg_class c where c.oid = any (tables))))
     and (d.classid = 'pg_rewrite'::regclass
          or (d.classid = 'pg_policy'::regclass
              and exists (select from pg_policy p where p.oid = d.objid and p.polrelid <> all (tables) and p.polname <> all (select 'history_of_' || t::oid from unnest(tables) t)))
          or (d.classid = 'pg_proc'::regclass
              and not exists (select from holdfast.computed_fields f join pg_class c on c.oid = any (tables) and c.relname = f.table_name
                               where to_regprocedure(format('public.%I(public.%I)', f.field_name, f.table_name)) = d.objid)))
$$;
comment on function holdfast.users_of_tables(regclass[]) is 'What reads one of the tables and would not survive their deletion; null if nothing does.';
drop function holdfast.users_of_table(regclass);

-- All computed fields of tables that go together.
create function holdfast.drop_computed_fields(names text[]) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  functions constant text := (
    select string_agg(format('public.%I(public.%I)', f.field_name, f.table_name), ', ') from holdfast.computed_fields f
     where f.table_name = any (names) and to_regprocedure(format('public.%I(public.%I)', f.field_name, f.table_name)) is not null);
begin
  if functions is not null then
    execute format('drop function %s', functions);
  end if;
  delete from holdfast.computed_fields f where f.table_name = any (names);
end
$$;
comment on function holdfast.drop_computed_fields(text[]) is 'Removes the computed fields of tables that go together.';

create or replace function holdfast.delete_table_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  tables constant regclass[] := of_table || holdfast.checklist_parts(of_table);
  gone constant text[] := array(select c.relname::text from unnest(tables) with ordinality t (id, place) join pg_class c on c.oid = t.id order by t.place);
  readers constant text := (
    select string_agg(distinct f.label, ', ') from holdfast.computed_fields f
     where f.table_name <> all (gone) and exists (select from holdfast.computed_reads(f.table_name, f.definition) r where r.table_name = any (gone)));
  users constant text := holdfast.users_of_tables(tables);
  other text;
  link record;
  statements text := '';
  place integer;
begin
  select string_agg(distinct holdfast.table_label(to_regclass(format('public.%I', c.table_name))), ', ') into other
    from holdfast.checklists c
   where c.schema_name = 'public' and c.table_name <> gone[1] and to_regclass(format('public.%I', c.table_name)) is not null
     and (array[c.item_table, c.answer_table, c.finding_table] && gone or tables && holdfast.checklist_parts(to_regclass(format('public.%I', c.table_name))));
  if other is not null then
    raise exception 'The checklists of % use the table.', other using hint = 'change_table.checklist', detail = other;
  end if;
  select string_agg(t.id::text, ', ') into other from unnest(tables) t (id) join pg_class c on c.oid = t.id
   where not exists (select from holdfast.tables o where o.schema_name = 'public' and o.table_name = c.relname and o.workspace_id = workspace);
  if other is not null then
    raise exception 'The checklists of the table use tables of the project: %', other using hint = 'change_table.used';
  end if;
  if readers is not null then
    raise exception 'These fields use the table: %. Change or delete them first.', readers using hint = 'change_table.used';
  end if;
  if users is not null then
    raise exception 'Something uses the table: %', users using hint = 'change_table.used';
  end if;
  for link in
    select c.conrelid::regclass as from_table, r.relname, a.attname, t.workspace_id is not distinct from workspace as is_own
      from pg_constraint c
      join pg_class r on r.oid = c.conrelid
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      left join holdfast.tables t on t.schema_name = 'public' and t.table_name = r.relname
     where c.contype = 'f' and c.confrelid = any (tables) and c.conrelid <> all (tables) and r.relnamespace <> 'holdfast_deleted'::regnamespace
     order by r.relname, a.attname
  loop
    if not link.is_own then
      raise exception 'A table of the project links to the table: %', link.from_table using hint = 'change_table.used';
    end if;
    statements := statements || holdfast.delete_field_sql(workspace, link.from_table, jsonb_build_object('field', link.attname))
      || format(E'update holdfast_private.deleted_fields set with_table = %L where table_name = %L and field_name = %L;\n', gone[1], link.relname, link.attname);
  end loop;
  for place in 1 .. cardinality(gone) loop
    statements := statements || format(
      'insert into holdfast_private.deleted_tables (table_name, workspace_id, label, deleted_by, with_table, checklist, computed)' || E'\n'
      '  select %1$L, %2$L, %3$L, (select holdfast.user_id()), %4$L, (select to_jsonb(c) from holdfast.checklists c where c.schema_name = ''public'' and c.table_name = %1$L),'
      || E'\n    coalesce(jsonb_agg(f.definition || jsonb_build_object(''name'', f.field_name, ''label'', f.label) order by f.created_at), ''[]'')'
      || E'\n    from holdfast.computed_fields f where f.table_name = %1$L;\n'
      'delete from holdfast.checklists where schema_name = ''public'' and table_name = %1$L;' || E'\n'
      'select holdfast.close_forms_of(%1$L);' || E'\n',
      gone[place], workspace, holdfast.table_label(tables[place]), case when place > 1 then gone[1] end);
  end loop;
  statements := statements || format(E'select holdfast.drop_computed_fields(%L::text[]);\n', gone);
  for place in 1 .. cardinality(gone) loop
    statements := statements || format(
      E'select holdfast.admit_to_history(%1$L, null), holdfast.move_table(%1$L, ''holdfast_deleted'');\n', holdfast.full_name(tables[place]));
  end loop;
  return statements
    || format(E'update holdfast.tables set deleted_at = now() where schema_name = ''public'' and table_name = any (%L);\n', gone);
end
$$;

create or replace function holdfast.table_links(workspace uuid, table_name text) returns table (of_table text, label text)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  target constant regclass := holdfast.require_changeable_table(workspace, table_name);
  tables constant regclass[] := target || holdfast.checklist_parts(target);
begin
  return query
    select holdfast.table_label(c.conrelid), holdfast.field_label(c.conrelid, a.attname)
      from pg_constraint c join pg_class r on r.oid = c.conrelid join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
     where c.contype = 'f' and c.confrelid = any (tables) and c.conrelid <> all (tables) and r.relnamespace = 'public'::regnamespace order by 1, 2;
end
$$;
comment on function holdfast.table_links(uuid, text) is 'The fields of other tables that are deleted with a table. For owners and admins of the workspace.';

create function holdfast.tables_deleted_with(workspace uuid, table_name text) returns table (label text)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return query select holdfast.table_label(part.id) from unnest(holdfast.checklist_parts(holdfast.require_changeable_table(workspace, table_name))) part (id) order by 1;
end
$$;
comment on function holdfast.tables_deleted_with(uuid, text) is 'The tables of checklists that are deleted with a table. For owners and admins of the workspace.';

create or replace function holdfast.deleted_tables(workspace uuid)
  returns table (table_name text, label text, deleted_by uuid, deleted_at timestamptz, restorable_until timestamptz)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform holdfast.require_admin(workspace);
  return query select d.table_name, d.label, d.deleted_by, d.deleted_at, d.deleted_at + interval '30 days' from holdfast_private.deleted_tables d
    where d.workspace_id = workspace and d.with_table is null and d.deleted_at >= now() - interval '30 days' order by d.deleted_at desc;
end
$$;

-- The findings of a checklist may have been deleted since.
create function holdfast.restore_checklist(of_table text) returns void
  language sql set search_path = pg_catalog, pg_temp as $$
  insert into holdfast.checklists
    select (jsonb_populate_record(null::holdfast.checklists,
              d.checklist || case when to_regclass(format('public.%I', d.checklist ->> 'finding_table')) is null then '{"finding_table": null}'::jsonb else '{}' end)).*
      from holdfast_private.deleted_tables d where d.table_name = of_table and d.checklist is not null
  on conflict do nothing
$$;
comment on function holdfast.restore_checklist(text) is 'Adds the checklist of a deleted table again, after its tables.';

create or replace function holdfast.restore_table(workspace uuid, table_name text) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  deleted holdfast_private.deleted_tables;
  parts holdfast_private.deleted_tables[];
  part holdfast_private.deleted_tables;
  field holdfast_private.deleted_fields;
  left_out jsonb := '[]';
  statements text := '';
  restored text[];
begin
  perform holdfast.require_admin(workspace);
  perform set_config('lock_timeout', '3s', true);
  perform from holdfast.workspaces w where w.id = workspace for no key update;
  select d.* into deleted from holdfast_private.deleted_tables d
   where d.workspace_id = workspace and d.table_name = restore_table.table_name and d.with_table is null and d.deleted_at >= now() - interval '30 days';
  if deleted.table_name is null then
    raise exception 'There is no deleted table %.', left(coalesce(table_name, ''), 63) using hint = 'change_table.no_table';
  end if;
  parts := array(select d from holdfast_private.deleted_tables d where d.with_table = deleted.table_name order by d.table_name) || deleted;
  restored := array(select p.table_name from unnest(parts) p);
  foreach part in array parts loop
    if to_regclass(format('public.%I', part.table_name)) is not null or to_regtype(format('public.%I', part.table_name)) is not null then
      raise exception 'There is something called % in the database already.', part.table_name using hint = 'new_table.exists';
    end if;
    statements := statements || format(E'select holdfast.move_table(''holdfast_deleted.%1$I'', ''public'');\nselect holdfast.admit_to_history(''public.%1$I'', ''id'');\n', part.table_name);
  end loop;
  for field in select * from holdfast_private.deleted_fields d where d.with_table = deleted.table_name order by d.kept_as loop
    if to_regclass(format('public.%I', field.table_name)) is not null then
      statements := statements || field.restore
        || format(E'drop table holdfast_private.%1$I;\ndelete from holdfast_private.deleted_fields where kept_as = %1$L;\n', field.kept_as);
    else
      left_out := left_out || to_jsonb(field.label); -- Its table was deleted later; the field can be restored there.
    end if;
  end loop;
  statements := statements || format(E'select holdfast.restore_checklist(n) from unnest(%1$L::text[]) n;\ndelete from holdfast_private.deleted_tables where table_name = any (%1$L);\n'
    'update holdfast.tables set deleted_at = null where schema_name = ''public'' and table_name = any (%1$L);' || E'\n', restored);
  perform holdfast.run_recorded(statements);
  perform holdfast.record_change(workspace, deleted.table_name, 'restore_table', '{"kind": "restore_table"}', statements);
  foreach part in array parts loop
    left_out := left_out || holdfast.add_computed_fields(workspace, part.table_name, part.computed);
  end loop;
  return jsonb_build_object('statements', statements, 'left_out', left_out);
exception
  when lock_not_available then
    raise exception 'Somebody writes to the table. Try again.' using errcode = 'lock_not_available', hint = 'change_table.busy';
end
$$;

create or replace function holdfast.purge_deleted(at timestamptz default now()) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  field record;
  deleted holdfast_private.deleted_tables;
  fields integer := 0;
  tables integer := 0;
  busy integer := 0;
begin
  perform set_config('lock_timeout', '3s', true);
  perform set_config('holdfast.recorded', 'on', true); -- a database made from the migrations purges for itself
  for field in select d.kept_as from holdfast_private.deleted_fields d where d.deleted_at < at - interval '30 days' for update skip locked loop
    execute format('drop table if exists holdfast_private.%I', field.kept_as);
    delete from holdfast_private.deleted_fields d where d.kept_as = field.kept_as;
    fields := fields + 1;
  end loop;
  for deleted in select * from holdfast_private.deleted_tables d where d.deleted_at < at - interval '30 days' for update skip locked loop
    begin
      -- Links of other deleted tables keep their values without the constraint.
      execute format('drop table if exists holdfast_deleted.%I cascade', deleted.table_name);
      for field in delete from holdfast_private.deleted_fields d where d.table_name = deleted.table_name returning d.kept_as loop
        execute format('drop table if exists holdfast_private.%I', field.kept_as);
        fields := fields + 1;
      end loop;
      delete from holdfast.history h where h.table_name = deleted.table_name;
      delete from holdfast.shares s where s.table_name = deleted.table_name;
      delete from holdfast.comments c where c.table_name = deleted.table_name;
      delete from holdfast.views v where v.table_name = deleted.table_name;
      delete from holdfast.public_forms f where f.table_name = deleted.table_name;
      delete from holdfast.transitions t where t.schema_name = 'public' and t.table_name = deleted.table_name;
      perform holdfast.drop_tiles(array[deleted.table_name]);
      delete from holdfast.tables t where t.schema_name = 'public' and t.table_name = deleted.table_name;
      delete from holdfast.fields f where f.schema_name = 'public' and f.table_name = deleted.table_name;
      delete from holdfast_private.deleted_tables d where d.table_name = deleted.table_name;
      tables := tables + 1;
    exception
      when lock_not_available then
        busy := busy + 1;
    end;
  end loop;
  return jsonb_build_object('fields', fields, 'tables', tables, 'busy', busy);
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
       and p.proname in ('checklist_parts', 'users_of_tables', 'drop_computed_fields', 'tables_deleted_with', 'restore_checklist')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name = 'tables_deleted_with' then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
