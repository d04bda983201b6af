-- A copy of a table has its views and forms, and its rollups of links between its own records. Records of other tables link to the original, so their rollups stay there.

create function holdfast.copy_views(of_name text, copy text) returns void
  language sql set search_path = pg_catalog, pg_temp as $$
  insert into holdfast.views
    select (jsonb_populate_record(v, jsonb_build_object('id', gen_random_uuid(), 'table_name', copy, 'created_at', now(), 'updated_at', now()))).*
      from holdfast.views v
     where v.table_name = of_name and (v.scope <> 'personal' or v.owner_id = holdfast.user_id()) order by v.position, v.created_at
$$;
comment on function holdfast.copy_views(text, text) is 'Gives a copy of a table the shared views and forms, and the personal ones of the caller.';

-- As in 0120, with views and rollups.
create or replace function holdfast.duplicate_table_sql(workspace uuid, of_table regclass, change jsonb) returns text
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
  || format(E'select holdfast.add_computed_fields(%L, %L, %L);\nselect holdfast.copy_views(%L, %2$L);\n', workspace, copy,
            (select coalesce(jsonb_agg(f.definition || jsonb_build_object('name', f.field_name, 'label', f.label)
                                         || case when f.kind = 'rollup' then jsonb_build_object('table', copy) else '{}' end order by f.created_at), '[]')
               from holdfast.computed_fields f where f.table_name = of_name and (f.kind <> 'rollup' or f.definition ->> 'table' = of_name)), of_name);
end
$$;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
begin
  revoke all on function holdfast.copy_views(text, text) from public;
  execute format('alter function holdfast.copy_views(text, text) owner to %I', project);
end
$$;
