-- Tables that owners and admins of a workspace make in the app. They say names, kinds of fields from a list, and who may see the records. The statements are made of that
-- here, can be read before they run, and run as the project.

alter table holdfast.tables
  add column workspace_id uuid constraint holdfast_tables_workspace references holdfast.workspaces (id) on delete set null,
  add column made_by uuid;
create index holdfast_tables_workspace_id_idx on holdfast.tables (workspace_id);
comment on column holdfast.tables.workspace_id is 'Workspace. Of a table that was made in the app: only its members have it in their lists.';
comment on column holdfast.tables.made_by is 'Made by. Who made the table in the app.';

-- Bounds, in one place.
create function holdfast.new_table_limit(name text) returns integer
  language sql immutable set search_path = '' as $$
  select case name
    when 'tables of a workspace' then 100
    when 'fields' then 200
    when 'choices of a field' then 100
    when 'characters of a choice' then 100
    when 'characters of a label' then 40
  end
$$;
comment on function holdfast.new_table_limit(text) is 'How many there may be; docs/reference/people.md has the list.';

-- A name as SQL has it without quotes, so that every tool takes it.
create function holdfast.require_new_name(name text, what text) returns text
  language plpgsql immutable set search_path = '' as $$
begin
  if name is null or name !~ '^[a-z][a-z0-9_]{0,50}$' or name ~ '^(pg|ps|hf)_' then
    raise exception 'The name of a % has 1 to 51 small letters, digits and underscores, and begins with a letter.', what using hint = 'new_table.name';
  end if;
  return name;
end
$$;
comment on function holdfast.require_new_name(text, text) is 'A name of a new table or of one of its fields.';

-- A label becomes the first sentence of a comment.
create function holdfast.require_new_label(label text) returns text
  language plpgsql immutable set search_path = '' as $$
begin
  if label is null or btrim(label) = '' or label ~ '[.[:cntrl:]]' or length(label) > holdfast.new_table_limit('characters of a label') then
    raise exception 'A label has 1 to 40 characters in one line, and no full stop.' using hint = 'new_table.label';
  end if;
  return btrim(label);
end
$$;
comment on function holdfast.require_new_label(text) is 'What a new table or one of its fields is called.';

-- Only what the caller's role may read, and only by the column that devices know records by.
create function holdfast.new_link_sql(target text) returns text
  language plpgsql stable set search_path = '' as $$
declare
  found_table constant regclass := case when target = 'hf_teams' then 'holdfast.teams'::regclass else to_regclass(format('public.%I', target)) end;
begin
  if found_table is null or not pg_catalog.has_table_privilege('authenticated', found_table, 'select') or not exists (
    select from pg_catalog.pg_index i
      join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      join pg_catalog.pg_class c on c.oid = i.indrelid
     where i.indrelid = found_table and i.indisprimary and i.indnkeyatts = 1 and a.attname = 'id' and a.atttypid = 'uuid'::regtype
       and c.relkind in ('r', 'p') and c.relrowsecurity) then
    raise exception 'There is no table % whose records a field can lead to.', coalesce(target, '') using hint = 'new_table.link';
  end if;
  return format('uuid references %s (id) on delete set null', case when target = 'hf_teams' then 'holdfast.teams' else format('public.%I', target) end);
end
$$;
comment on function holdfast.new_link_sql(text) is 'The type of a field that leads to records of a table.';

create function holdfast.new_choice_sql(name text, choices jsonb) returns text
  language plpgsql immutable set search_path = '' as $$
declare
  listed text;
begin
  if jsonb_typeof(choices) is distinct from 'array' or jsonb_array_length(choices) not between 1 and holdfast.new_table_limit('choices of a field')
     or exists (select from jsonb_array_elements(choices) one (value)
                 where jsonb_typeof(one.value) <> 'string' or btrim(one.value #>> '{}') = '' or (one.value #>> '{}') ~ '[[:cntrl:]\\]' -- devices read them from the check
                    or length(one.value #>> '{}') > holdfast.new_table_limit('characters of a choice')) then
    raise exception 'A choice has between 1 and 100 words, of 1 to 100 characters in one line and without a backslash.' using hint = 'new_table.choices';
  end if;
  select string_agg(quote_literal(one.value), ', ' order by one.place) into listed
    from (select distinct on (word.value) word.value, word.place from jsonb_array_elements_text(choices) with ordinality word (value, place)
           order by word.value, word.place) one;
  return format('text check (%I in (%s))', name, listed);
end
$$;
comment on function holdfast.new_choice_sql(text, jsonb) is 'The type of a field whose values are of a list.';

-- One line of the table, for each kind of field that the app offers.
create function holdfast.new_field_sql(field jsonb) returns text
  language plpgsql stable set search_path = '' as $$
declare
  name constant text := holdfast.require_new_name(field ->> 'name', 'field');
  kind constant text := field ->> 'kind';
begin
  if name in ('id', 'created_by', 'created_at', 'updated_at', 'ctid', 'xmin', 'xmax', 'cmin', 'cmax', 'tableoid') then
    raise exception 'Every table has a field % already, or cannot have one.', name using hint = 'new_table.name';
  end if;
  return format('  %I %s', name, case kind
    when 'text' then 'text'
    when 'integer' then 'bigint'
    when 'number' then 'numeric'
    when 'boolean' then 'boolean'
    when 'date' then 'date'
    when 'datetime' then 'timestamptz'
    when 'choice' then holdfast.new_choice_sql(name, field -> 'choices')
    when 'link' then holdfast.new_link_sql(field ->> 'table')
  end);
end
$$;
comment on function holdfast.new_field_sql(jsonb) is 'The column of a field of a new table.';

-- Who sees and changes the records. Guests have what is shared with them, whichever it is.
create function holdfast.new_policies_sql(workspace uuid, name text, access jsonb, fields jsonb) returns text
  language plpgsql stable set search_path = '' as $$
declare
  role_here constant text := format('(select holdfast.role_in(%L))', workspace);
  team constant text := access ->> 'field';
  written text;
begin
  case access ->> 'kind'
  when 'members' then
    written := format(
      'create policy members_read on public.%1$I for select to authenticated' || E'\n  using (%2$s >= ''viewer'');\n'
      'create policy editors_change on public.%1$I for all to authenticated' || E'\n  using (%2$s >= ''editor'') with check (%2$s >= ''editor'');\n'
      'comment on policy editors_change on public.%1$I is ''Editors of the workspace change these records.'';', name, role_here);
  when 'own' then
    written := format(
      'create policy own_records_read on public.%1$I for select to authenticated' || E'\n  using (created_by = (select holdfast.user_id()) and %2$s >= ''viewer'');\n'
      'create policy own_records_change on public.%1$I for all to authenticated'
      || E'\n  using (created_by = (select holdfast.user_id()) and %2$s >= ''editor'')\n  with check (created_by = (select holdfast.user_id()) and %2$s >= ''editor'');\n'
      'create policy admins_manage on public.%1$I for all to authenticated' || E'\n  using (%2$s >= ''admin'') with check (%2$s >= ''admin'');\n'
      'comment on policy own_records_change on public.%1$I is ''People change the records that they made.'';' || E'\n'
      'comment on policy admins_manage on public.%1$I is ''Owners and admins of the workspace change all records.'';', name, role_here);
  when 'team' then
    if not exists (select from jsonb_array_elements(fields) field (value)
                    where field.value ->> 'name' = team and field.value ->> 'kind' = 'link' and field.value ->> 'table' = 'hf_teams') then
      raise exception 'The field that says whose team a record is of leads to teams.' using hint = 'new_table.team';
    end if;
    written := format(
      'create policy team_reads on public.%1$I for select to authenticated' || E'\n  using (%3$I in (select holdfast.my_team_ids()) and %2$s >= ''viewer'');\n'
      'create policy team_changes on public.%1$I for all to authenticated'
      || E'\n  using (%3$I in (select holdfast.my_team_ids()) and %2$s >= ''editor'')\n  with check (%3$I in (select holdfast.my_team_ids()) and %2$s >= ''editor'');\n'
      'create policy admins_manage on public.%1$I for all to authenticated' || E'\n  using (%2$s >= ''admin'') with check (%2$s >= ''admin'');\n'
      'comment on policy team_changes on public.%1$I is ''Members of the team change its records.'';' || E'\n'
      'comment on policy admins_manage on public.%1$I is ''Owners and admins of the workspace change all records.'';', name, role_here, team);
  else
    raise exception 'Who may see the records is members, own or team.' using hint = 'new_table.access';
  end case;
  return written || E'\n' || format(
    'create policy guests_read on public.%1$I for select to authenticated' || E'\n  using (id in (select holdfast.shared_record_ids(%1$L)));\n'
    'create policy guests_change on public.%1$I for update to authenticated'
    || E'\n  using (id in (select holdfast.changeable_record_ids(%1$L)))\n  with check (id in (select holdfast.changeable_record_ids(%1$L)));\n'
    'comment on policy guests_change on public.%1$I is ''Guests change the records that are shared with them for that.'';', name);
end
$$;
comment on function holdfast.new_policies_sql(uuid, text, jsonb, jsonb) is 'The policies of a new table.';

create function holdfast.new_table_sql(workspace uuid, definition jsonb) returns text
  language plpgsql stable security definer set search_path = '' as $$
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
  if exists (select from jsonb_array_elements(fields) field (value)
              where coalesce(field.value ->> 'kind', '') not in ('text', 'integer', 'number', 'boolean', 'date', 'datetime', 'choice', 'link')) then
    raise exception 'A field is a text, integer, number, boolean, date, datetime, choice or link.' using hint = 'new_table.kind';
  end if;
  if (select count(distinct field.value ->> 'name') from jsonb_array_elements(fields) field (value)) < jsonb_array_length(fields) then
    raise exception 'Two fields have the same name.' using hint = 'new_table.twice';
  end if;
  select string_agg(holdfast.new_field_sql(field.value), E',\n' order by field.place),
         string_agg(format('comment on column public.%I.%I is %L;', name, field.value ->> 'name', holdfast.require_new_label(field.value ->> 'label') || '.'),
                    E'\n' order by field.place),
         string_agg(format('create index on public.%I (%I);', name, field.value ->> 'name'), E'\n' order by field.place)
           filter (where field.value ->> 'kind' = 'link')
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
    'select holdfast.track(%7$L);' || E'\n'
    'insert into holdfast.tables (table_name, label, workspace_id, made_by)' || E'\n  values (%8$L, %9$L, %10$L, (select holdfast.user_id()));\n',
    name, columns, label || '.', comments, coalesce(indexes || E'\n', ''),
    holdfast.new_policies_sql(workspace, name, definition -> 'access', fields), format('public.%I', name), name, label, workspace);
end
$$;
comment on function holdfast.new_table_sql(uuid, jsonb) is 'The statements that create_table runs. For owners and admins of the workspace.';

create function holdfast.create_table(workspace uuid, definition jsonb) returns text
  language plpgsql security definer set search_path = '' as $$
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
  return definition ->> 'name';
exception
  when lock_not_available then
    raise exception 'Somebody writes to a table that the new one leads to. Try again.' using errcode = 'lock_not_available', hint = 'new_table.busy';
end
$$;
comment on function holdfast.create_table(uuid, jsonb) is 'Makes a table with its fields and policies. For owners and admins of the workspace.';

-- What was made by mistake goes again, as long as it is empty.
create function holdfast.remove_empty_table(workspace uuid, name text) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  has_rows boolean;
begin
  perform holdfast.require_admin(workspace);
  if not exists (select from holdfast.tables t where t.workspace_id = workspace and t.schema_name = 'public' and t.table_name = name) then
    raise exception 'The workspace has made no table %.', name using hint = 'new_table.not_made_here';
  end if;
  if pg_catalog.to_regclass(format('public.%I', name)) is not null then
    perform pg_catalog.set_config('lock_timeout', '3s', true);
    execute format('lock table public.%I in access exclusive mode', name);
    execute format('select exists (select from public.%I)', name) into has_rows;
    if has_rows then
      raise exception 'The table % has records.', name using hint = 'new_table.has_records';
    end if;
    perform holdfast.untrack(format('public.%I', name)::regclass);
    execute format('drop table public.%I', name);
  end if;
  delete from holdfast.tables t where t.schema_name = 'public' and t.table_name = name;
  delete from holdfast.fields f where f.schema_name = 'public' and f.table_name = name;
end
$$;
comment on function holdfast.remove_empty_table(uuid, text) is 'Removes a table that was made in the app and has no records. For owners and admins of the workspace.';

do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  for one in
    select p.oid::pg_catalog.regprocedure as function, p.proname as name from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('new_table_limit', 'require_new_name', 'require_new_label', 'new_link_sql', 'new_choice_sql', 'new_field_sql', 'new_policies_sql',
                         'new_table_sql', 'create_table', 'remove_empty_table')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('new_table_sql', 'create_table', 'remove_empty_table') then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
