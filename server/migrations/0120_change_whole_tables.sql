-- Owners and admins rename, duplicate and delete the tables that their workspace made. A deleted table moves to the schema holdfast_deleted for 30 days, with its records,
-- policies, constraints and indexes. Links of other tables to it are deleted with it, as fields are, and come back with it.

create schema if not exists holdfast_deleted; -- it stays when the schema holdfast is dropped and made again
comment on schema holdfast_deleted is 'Tables that were deleted within the last 30 days. Never synced, and closed to the API.';
revoke all on schema holdfast_deleted from public;

create table if not exists holdfast_private.deleted_tables (
  table_name text primary key,
  workspace_id uuid not null,
  label text not null,
  computed jsonb not null default '[]',
  deleted_by uuid,
  deleted_at timestamptz not null default now()
);
create index if not exists deleted_tables_workspace_idx on holdfast_private.deleted_tables (workspace_id);
comment on table holdfast_private.deleted_tables is 'Deleted tables. They are in the schema holdfast_deleted for 30 days.';
comment on column holdfast_private.deleted_tables.computed is 'The computed fields of the table, which are added again with it.';
alter table holdfast_private.deleted_fields add column if not exists with_table text;
comment on column holdfast_private.deleted_fields.with_table is 'The deleted table that the field linked to.';

-- Jobs of the server that repeat.
create table if not exists holdfast_private.repeated_jobs (
  name text primary key,
  due_at timestamptz not null default now(),
  attempts integer not null default 0
);
comment on table holdfast_private.repeated_jobs is 'Jobs that the server repeats. Due at due_at.';
insert into holdfast_private.repeated_jobs (name) values ('purge_deleted') on conflict do nothing;

create function holdfast.rename_table_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  label constant text := holdfast.require_new_label(change ->> 'label');
  comment constant text := obj_description(of_table, 'pg_class');
  help constant text := coalesce(substring(comment from '^[^.\n]{1,40}\.\s+(.*)$'), case when comment !~ '^[^.\n]{1,40}\.\s*$' then comment end);
begin
  return format(E'comment on table %s is %L;\n', holdfast.full_name(of_table), concat_ws(' ', label || '.', help))
    || format(E'update holdfast.tables set label = %L where schema_name = ''public'' and table_name = %L and workspace_id = %L;\n',
              label, (select c.relname from pg_class c where c.oid = of_table), workspace);
end
$$;
comment on function holdfast.rename_table_sql(uuid, regclass, jsonb) is 'Statements of the change {"kind": "rename_table", "label"}. The table keeps its name.';

create function holdfast.table_label(of_table regclass) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select coalesce((select t.label from holdfast.tables t where t.schema_name = 'public' and t.table_name = c.relname),
                  substring(obj_description(of_table, 'pg_class') from '^([^.\n]{1,40})\.(?:\s|$)'), c.relname)
    from pg_class c where c.oid = of_table
$$;
comment on function holdfast.table_label(regclass) is 'What a table is called.';

-- Policies, views and functions that a dropped table would take along, and that a moved one would lead out of public.
create function holdfast.users_of_table(of_table regclass) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select string_agg(distinct pg_describe_object(d.classid, d.objid, 0), ', ')
    from pg_depend d
   where d.deptype = 'n' and ((d.refclassid = 'pg_class'::regclass and d.refobjid = of_table)
                              or (d.refclassid = 'pg_type'::regclass and d.refobjid = (select c.reltype from pg_class c where c.oid = of_table)))
     and (d.classid = 'pg_rewrite'::regclass
          or (d.classid = 'pg_policy'::regclass
              and exists (select from pg_policy p where p.oid = d.objid and p.polrelid <> of_table and p.polname <> 'history_of_' || of_table::oid))
          or (d.classid = 'pg_proc'::regclass
              and not exists (select from holdfast.computed_fields f join pg_class c on c.oid = of_table and c.relname = f.table_name
                               where to_regprocedure(format('public.%I(public.%I)', f.field_name, f.table_name)) = d.objid)))
$$;
comment on function holdfast.users_of_table(regclass) is 'What reads a table and would not survive its deletion; null if nothing does.';

create function holdfast.close_forms_of(name text) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  form uuid;
begin
  for form in update holdfast.public_forms f set is_open = false where f.table_name = name and f.is_open returning f.id loop
    execute format('drop policy if exists %I on public.%I', holdfast.form_policy_name(form), name);
  end loop;
  if found then
    perform holdfast.grant_form_columns(name);
  end if;
end
$$;
comment on function holdfast.close_forms_of(text) is 'Closes the public forms of a table.';

-- Index and sequence names are unique in a schema, so those that the other one has are changed.
create function holdfast.move_table(of_table regclass, to_schema name) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  one record;
begin
  for one in
    select c.oid::regclass as relation, c.relname, c.relkind from pg_class c
     where c.oid in (select i.indexrelid from pg_index i where i.indrelid = of_table
                     union select d.objid from pg_depend d where d.classid = 'pg_class'::regclass and d.refclassid = 'pg_class'::regclass
                                                             and d.refobjid = of_table and d.refobjsubid > 0 and d.deptype in ('a', 'i'))
       and c.relkind in ('i', 'S')
       and exists (select from pg_class other where other.relnamespace = to_schema::regnamespace and other.relname = c.relname)
  loop
    execute format('alter %s %s rename to %I', case one.relkind when 'i' then 'index' else 'sequence' end, one.relation,
                   left(one.relname, 50) || '_' || one.relation::oid);
  end loop;
  execute format('alter table %s set schema %I', of_table, to_schema);
end
$$;
comment on function holdfast.move_table(regclass, name) is 'Moves a table to another schema, with its indexes and sequences.';

create function holdfast.delete_table_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  of_name constant text := (select c.relname from pg_class c where c.oid = of_table);
  readers constant text := holdfast.computed_fields_reading(of_name, null);
  users constant text := holdfast.users_of_table(of_table);
  link record;
  links text := '';
begin
  if readers is not null then
    raise exception 'These fields use the table: %. Change or delete them first.', readers using hint = 'change_table.used';
  end if;
  if users is not null then
    raise exception 'Something uses the table: %', users using hint = 'change_table.used';
  end if;
  if exists (select from holdfast.checklists c where c.schema_name = 'public' and of_name in (c.table_name, c.item_table, c.answer_table, c.finding_table)) then
    raise exception 'A checklist uses the table.' using hint = 'change_table.checklist';
  end if;
  for link in
    select c.conrelid::regclass as from_table, r.relname, a.attname, t.workspace_id is not distinct from workspace as is_own
      from pg_constraint c
      join pg_class r on r.oid = c.conrelid
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
      left join holdfast.tables t on t.schema_name = 'public' and t.table_name = r.relname
     where c.contype = 'f' and c.confrelid = of_table and c.conrelid <> of_table and r.relnamespace <> 'holdfast_deleted'::regnamespace
     order by r.relname, a.attname
  loop
    if not link.is_own then
      raise exception 'A table of the project links to the table: %', link.from_table using hint = 'change_table.used';
    end if;
    links := links || holdfast.delete_field_sql(workspace, link.from_table, jsonb_build_object('field', link.attname))
      || format(E'update holdfast_private.deleted_fields set with_table = %L where table_name = %L and field_name = %L;\n', of_name, link.relname, link.attname);
  end loop;
  return links || format(
    'insert into holdfast_private.deleted_tables (table_name, workspace_id, label, deleted_by, computed)' || E'\n'
    '  select %1$L, %2$L, %3$L, (select holdfast.user_id()), coalesce(jsonb_agg(f.definition || jsonb_build_object(''name'', f.field_name, ''label'', f.label) order by f.created_at), ''[]'')'
    || E'\n    from holdfast.computed_fields f where f.table_name = %1$L;\n'
    'select holdfast.close_forms_of(%1$L);' || E'\nselect holdfast.drop_computed_fields(%1$L);\nselect holdfast.admit_to_history(%4$L, null);\n'
    'select holdfast.move_table(%4$L, ''holdfast_deleted'');' || E'\n',
    of_name, workspace, holdfast.table_label(of_table), holdfast.full_name(of_table));
end
$$;
comment on function holdfast.delete_table_sql(uuid, regclass, jsonb) is 'Statements of the change {"kind": "delete_table"}.';

create function holdfast.table_links(workspace uuid, table_name text) returns table (of_table text, label text)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  target constant regclass := holdfast.require_changeable_table(workspace, table_name);
begin
  return query
    select holdfast.table_label(c.conrelid), holdfast.field_label(c.conrelid, a.attname)
      from pg_constraint c join pg_class r on r.oid = c.conrelid join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1]
     where c.contype = 'f' and c.confrelid = target and c.conrelid <> target and r.relnamespace = 'public'::regnamespace order by 1, 2;
end
$$;
comment on function holdfast.table_links(uuid, text) is 'The fields of other tables that link to a table. For owners and admins of the workspace.';

-- Adds computed fields to a table, each after those that it reads; returns the labels of those that cannot be added.
create function holdfast.add_computed_fields(workspace uuid, name text, definitions jsonb) returns jsonb
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  waiting jsonb := definitions;
  failed jsonb;
  one jsonb;
begin
  loop
    failed := '[]';
    for one in select d.value from jsonb_array_elements(waiting) with ordinality d (value, place) order by d.place loop
      begin
        perform holdfast.set_computed_field(workspace, name, one);
      exception
        -- Refusals of formulas; anything else is an error of the whole change.
        when raise_exception then
          failed := failed || one;
      end;
    end loop;
    exit when jsonb_array_length(failed) in (0, jsonb_array_length(waiting));
    waiting := failed;
  end loop;
  return (select coalesce(jsonb_agg(d.value -> 'label'), '[]') from jsonb_array_elements(failed) d);
end
$$;
comment on function holdfast.add_computed_fields(uuid, text, jsonb) is 'Adds computed fields; returns the labels of those that read something that is gone.';

create function holdfast.free_table_name(of_table regclass) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  base constant text := (select regexp_replace(left(c.relname, 45), '_[0-9]+$', '') from pg_class c where c.oid = of_table);
  number integer := 2;
begin
  while to_regclass(format('public.%I', base || '_' || number)) is not null or to_regtype(format('public.%I', base || '_' || number)) is not null
     or exists (select from holdfast_private.deleted_tables d where d.table_name = base || '_' || number) loop
    number := number + 1;
  end loop;
  return holdfast.require_new_name(base || '_' || number, 'table');
end
$$;
comment on function holdfast.free_table_name(regclass) is 'The name of a copy of a table.';

create function holdfast.require_room_for_table(workspace uuid) returns void
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  if (select count(*) from holdfast.tables t where t.workspace_id = workspace) >= holdfast.new_table_limit('tables of a workspace') then
    raise exception 'A workspace makes 100 tables at most.' using hint = 'new_table.limit';
  end if;
end
$$;
comment on function holdfast.require_room_for_table(uuid) is 'Refuses more tables than a workspace may have.';

-- Rows have the same ids in the copy, so that links between them stay.
create function holdfast.copy_records_sql(of_table regclass, copy text) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select format(E'alter table public.%1$I disable trigger user;\ninsert into public.%1$I (%2$s) overriding system value select %2$s from %3$s;\n'
                'alter table public.%1$I enable trigger user;' || E'\n', copy, string_agg(quote_ident(a.attname), ', ' order by a.attnum), holdfast.full_name(of_table))
    || coalesce(string_agg(format(E'select setval(pg_get_serial_sequence(%L, %L), coalesce((select max(%I) from public.%I), 0) + 1, false);\n',
                                  format('public.%I', copy), a.attname, a.attname, copy), '') filter (where a.attidentity <> ''), '')
    from pg_attribute a where a.attrelid = of_table and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
$$;
comment on function holdfast.copy_records_sql(regclass, text) is 'Statements that copy the records of a table.';

create function holdfast.duplicate_table_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  of_name constant text := (select c.relname from pg_class c where c.oid = of_table);
  copy constant text := holdfast.free_table_name(of_table);
  label constant text := holdfast.require_new_label(change ->> 'label');
  rules constant jsonb := holdfast.access_of(workspace, of_name);
  links text;
begin
  perform holdfast.require_room_for_table(workspace);
  if rules ->> 'kind' = 'custom' then
    raise exception 'A developer wrote the policies of this table, so a developer copies it.' using hint = 'change_table.custom';
  end if;
  select string_agg(format(E'alter table public.%I add %s;\n', copy,
                           case when c.confrelid = of_table then format('foreign key (%I) references public.%I (id) on delete set null', a.attname, copy)
                                else pg_get_constraintdef(c.oid) end), '' order by c.oid) into links
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = c.conkey[1] where c.conrelid = of_table and c.contype = 'f';
  return format(E'create table public.%1$I (like public.%2$I including all);\ncomment on table public.%1$I is %3$L;\n%4$s'
    'alter table public.%1$I enable row level security;' || E'\n'
    'grant select, insert, update, delete on public.%1$I to authenticated, service_role;' || E'\n%5$s\nselect holdfast.keep_access(%6$L, %1$L, %7$L);\n'
    'update holdfast.table_rules set required_when = (select r.required_when from holdfast.table_rules r where r.table_name = %2$L) where table_name = %1$L;' || E'\n'
    'create trigger touch before update on public.%1$I for each row execute function holdfast.touch();' || E'\n'
    'create trigger set_created_by before insert or update on public.%1$I for each row execute function holdfast.set_created_by();' || E'\n'
    'select holdfast.follow_records(%8$L), holdfast.track(%8$L);' || E'\n',
    copy, of_name, label || '.', coalesce(links, ''), holdfast.access_policies_sql(workspace, copy, rules -> 'rules', holdfast.access_columns(of_table)),
    workspace, rules -> 'rules', format('public.%I', copy))
  || format(E'insert into holdfast.tables (table_name, label, workspace_id, made_by, icon, color, section)\n'
    '  select %1$L, %3$L, t.workspace_id, (select holdfast.user_id()), t.icon, t.color, t.section from holdfast.tables t where t.schema_name = ''public'' and t.table_name = %2$L;'
    || E'\nselect holdfast.copy_looks(%2$L, %1$L);\n', copy, of_name, label)
  || case when change -> 'records' = 'true' then holdfast.copy_records_sql(of_table, copy) else '' end
  || format(E'select holdfast.add_computed_fields(%L, %L, %L);\n', workspace, copy,
            (select coalesce(jsonb_agg(f.definition || jsonb_build_object('name', f.field_name, 'label', f.label) order by f.created_at), '[]')
               from holdfast.computed_fields f where f.table_name = of_name and f.kind <> 'rollup'));
end
$$;
comment on function holdfast.duplicate_table_sql(uuid, regclass, jsonb) is
  'Statements of the change {"kind": "duplicate_table", "label", "records"}. Rollups stay with the original, whose records the others link to.';

-- Words, places and steps of the fields of a table, for a copy of it.
create function holdfast.copy_looks(of_name text, copy text) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  workspace constant uuid := (select t.workspace_id from holdfast.tables t where t.schema_name = 'public' and t.table_name = of_name);
  field text;
begin
  insert into holdfast.fields
    select (jsonb_populate_record(f, jsonb_build_object('id', gen_random_uuid(), 'table_name', copy))).*
      from holdfast.fields f where f.schema_name = 'public' and f.table_name = of_name and f.workspace_id = workspace;
  insert into holdfast.transitions
    select (jsonb_populate_record(t, jsonb_build_object('id', gen_random_uuid(), 'table_name', copy))).*
      from holdfast.transitions t where t.schema_name = 'public' and t.table_name = of_name;
  for field in select distinct t.field from holdfast.transitions t where t.schema_name = 'public' and t.table_name = copy loop
    perform holdfast.enforce_transitions(format('public.%I', copy)::regclass, field::name);
  end loop;
end
$$;
comment on function holdfast.copy_looks(text, text) is 'Gives a copy of a table the words, places and steps of its fields.';

-- Changes of whole tables; those of fields are in table_change_sql.
create function holdfast.any_change_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select case change ->> 'kind'
    when 'rename_table' then holdfast.rename_table_sql(workspace, of_table, change)
    when 'duplicate_table' then holdfast.duplicate_table_sql(workspace, of_table, change)
    when 'delete_table' then holdfast.delete_table_sql(workspace, of_table, change)
    else holdfast.table_change_sql(workspace, of_table, change)
  end
$$;
comment on function holdfast.any_change_sql(uuid, regclass, jsonb) is 'The statements of a change of a table or of its fields, by its kind.';

create or replace function holdfast.change_table_sql(workspace uuid, table_name text, change jsonb) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return holdfast.any_change_sql(workspace, holdfast.require_changeable_table(workspace, table_name), change);
end
$$;

create or replace function holdfast.restore_field_sql(workspace uuid, of_table regclass, change jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  deleted holdfast_private.deleted_fields;
begin
  select d.* into deleted from holdfast_private.deleted_fields d join pg_class c on c.oid = of_table and c.relname = d.table_name
   where d.workspace_id = workspace and d.field_name = change ->> 'field' and d.deleted_at >= now() - interval '30 days';
  if deleted.kept_as is null then
    raise exception 'The table has no deleted field %.', left(coalesce(change ->> 'field', ''), 63) using hint = 'change_table.no_field';
  end if;
  if exists (select from holdfast_private.deleted_tables d where d.table_name = deleted.with_table) then
    raise exception 'The field links to a deleted table. Restore the table first.' using hint = 'change_table.link_deleted';
  end if;
  return deleted.restore || format(E'drop table holdfast_private.%1$I;\ndelete from holdfast_private.deleted_fields where kept_as = %1$L;\n', deleted.kept_as);
end
$$;

-- Drops what was deleted more than 30 days before a moment. What somebody is using stays until the next time.
create function holdfast.purge_deleted(at timestamptz default now()) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  field record;
  deleted holdfast_private.deleted_tables;
  fields integer := 0;
  tables integer := 0;
  busy integer := 0;
begin
  perform set_config('lock_timeout', '3s', true);
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
comment on function holdfast.purge_deleted(timestamptz) is 'Drops fields and tables that were deleted more than 30 days ago; returns their numbers.';
drop function holdfast.purge_deleted_fields();

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
  when lock_not_available then
    raise exception 'Somebody writes to the table. Try again.' using errcode = 'lock_not_available', hint = 'change_table.busy';
end
$$;

create function holdfast.deleted_tables(workspace uuid)
  returns table (table_name text, label text, deleted_by uuid, deleted_at timestamptz, restorable_until timestamptz)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform holdfast.require_admin(workspace);
  return query select d.table_name, d.label, d.deleted_by, d.deleted_at, d.deleted_at + interval '30 days' from holdfast_private.deleted_tables d
    where d.workspace_id = workspace and d.deleted_at >= now() - interval '30 days' order by d.deleted_at desc;
end
$$;
comment on function holdfast.deleted_tables(uuid) is 'The tables that can be restored. For owners and admins of the workspace.';

create function holdfast.restore_table(workspace uuid, table_name text) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  deleted holdfast_private.deleted_tables;
  field holdfast_private.deleted_fields;
  left_out jsonb := '[]';
  statements text;
begin
  perform holdfast.require_admin(workspace);
  perform set_config('lock_timeout', '3s', true);
  perform from holdfast.workspaces w where w.id = workspace for no key update;
  select d.* into deleted from holdfast_private.deleted_tables d
   where d.workspace_id = workspace and d.table_name = restore_table.table_name and d.deleted_at >= now() - interval '30 days';
  if deleted.table_name is null then
    raise exception 'There is no deleted table %.', left(coalesce(table_name, ''), 63) using hint = 'change_table.no_table';
  end if;
  if to_regclass(format('public.%I', deleted.table_name)) is not null or to_regtype(format('public.%I', deleted.table_name)) is not null then
    raise exception 'There is something called % in the database already.', deleted.table_name using hint = 'new_table.exists';
  end if;
  statements := format(E'select holdfast.move_table(''holdfast_deleted.%1$I'', ''public'');\nselect holdfast.admit_to_history(''public.%1$I'', ''id'');\n', deleted.table_name);
  for field in select * from holdfast_private.deleted_fields d where d.with_table = deleted.table_name order by d.kept_as loop
    if to_regclass(format('public.%I', field.table_name)) is not null then
      statements := statements || field.restore
        || format(E'drop table holdfast_private.%1$I;\ndelete from holdfast_private.deleted_fields where kept_as = %1$L;\n', field.kept_as);
    else
      left_out := left_out || to_jsonb(field.label); -- Its table was deleted later; the field can be restored there.
    end if;
  end loop;
  execute statements;
  delete from holdfast_private.deleted_tables d where d.table_name = deleted.table_name;
  left_out := left_out || holdfast.add_computed_fields(workspace, deleted.table_name, deleted.computed);
  insert into holdfast_private.table_changes (workspace_id, table_name, kind, change, statements, made_by)
    values (workspace, deleted.table_name, 'restore_table', '{"kind": "restore_table"}', statements, holdfast.user_id());
  return jsonb_build_object('statements', statements, 'left_out', left_out);
exception
  when lock_not_available then
    raise exception 'Somebody writes to the table. Try again.' using errcode = 'lock_not_available', hint = 'change_table.busy';
end
$$;
comment on function holdfast.restore_table(uuid, text) is
  'Restores a deleted table and the links to it; returns what cannot be restored in "left_out". For owners and admins of the workspace.';

-- The name of a deleted table is not given to a new one: a device may still hold changes of its records.
create function holdfast.refuse_deleted_name() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if new.schema_name = 'public' and exists (select from holdfast_private.deleted_tables d where d.table_name = new.table_name) then
    raise exception 'A deleted table that can be restored has the name %.', new.table_name using hint = 'new_table.deleted';
  end if;
  return new;
end
$$;
comment on function holdfast.refuse_deleted_name() is 'Refuses a new table with the name of a deleted one.';
create trigger refuse_deleted_name before insert on holdfast.tables for each row when (new.workspace_id is not null)
  execute function holdfast.refuse_deleted_name();

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
  execute format('alter schema holdfast_deleted owner to %I', project);
  execute format('alter table holdfast_private.deleted_tables owner to %I', project);
  execute format('alter table holdfast_private.repeated_jobs owner to %I', project);
  for one in
    select p.oid::regprocedure as function, p.proname as name from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace
       and p.proname in ('rename_table_sql', 'table_label', 'users_of_table', 'close_forms_of', 'move_table', 'delete_table_sql', 'table_links', 'add_computed_fields',
                         'free_table_name', 'require_room_for_table', 'copy_records_sql', 'duplicate_table_sql', 'copy_looks', 'purge_deleted', 'deleted_tables',
                         'restore_table', 'refuse_deleted_name', 'any_change_sql')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('table_links', 'deleted_tables', 'restore_table') then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
