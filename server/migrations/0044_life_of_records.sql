-- What is kept about a record by its id (shares, comments) is of one record: the one that has the id now, in the workspace that it is in. Clients choose ids, and the id of a
-- record that was deleted can be used again.

alter table holdfast.comments add column is_past boolean not null default false;
comment on column holdfast.comments.is_past is 'Past. Of a record that was deleted: nobody reads it, whatever has its id now.';
create index holdfast_shares_record_idx on holdfast.shares (table_name, record_id);

create function holdfast.table_of_records(local_name text) returns regclass
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select c.oid::regclass from pg_catalog.pg_class c
   where c.relname = local_name and c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and c.relrowsecurity
$$;
comment on function holdfast.table_of_records(text) is 'The table of the project that devices know by a name; null when it has no row-level security.';

create function holdfast.key_of_records(tracked regclass) returns name
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select a.attname from pg_catalog.pg_index i join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
   where i.indrelid = tracked and i.indisprimary and i.indnkeyatts = 1 and a.atttypid = 'uuid'::regtype
$$;
comment on function holdfast.key_of_records(regclass) is 'The column that devices know the records of a table by, where it is one of type uuid.';

create function holdfast.is_record_of(tracked regclass, record jsonb, workspace uuid) returns boolean
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  made_in constant uuid := (select t.workspace_id from holdfast.tables t join pg_catalog.pg_class c on c.oid = tracked
                             where t.schema_name = 'public' and t.table_name = c.relname);
  direct name;
  of_team name;
  team_workspace uuid;
begin
  if made_in is not null then
    return made_in = workspace;
  end if;
  select a.attname into direct
    from pg_catalog.pg_attribute a
    left join pg_catalog.pg_constraint f on f.conrelid = a.attrelid and f.contype = 'f' and f.conkey = array[a.attnum] and f.confrelid = 'holdfast.workspaces'::regclass
   where a.attrelid = tracked and a.attnum > 0 and not a.attisdropped and a.atttypid = 'uuid'::regtype and (f.oid is not null or a.attname = 'workspace_id')
   order by f.oid is null, a.attnum limit 1;
  if direct is not null then
    return coalesce((record ->> direct)::uuid = workspace, false);
  end if;
  for of_team in
    select a.attname from pg_catalog.pg_constraint f join pg_catalog.pg_attribute a on a.attrelid = f.conrelid and f.conkey = array[a.attnum]
     where f.conrelid = tracked and f.contype = 'f' and f.confrelid = 'holdfast.teams'::regclass order by a.attnum
  loop
    team_workspace := (select t.workspace_id from holdfast.teams t where t.id = (record ->> of_team)::uuid);
    if team_workspace is not null then
      return team_workspace = workspace;
    end if;
  end loop;
  return null;
end
$$;
comment on function holdfast.is_record_of(regclass, jsonb, uuid) is
  'Whether a record is one of the workspace: as its column, the table that was made in the app, or its team says; null where none of them does.';
revoke all on function holdfast.is_record_of(regclass, jsonb, uuid) from public;

-- Runs after a record has changed or is gone.
create function holdfast.leave_record() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  local_name constant text := tg_argv[0];
  key constant name := holdfast.key_of_records(tg_relid);
  before jsonb;
  after jsonb;
  gone uuid;
begin
  if tg_op = 'TRUNCATE' or key is null then
    delete from holdfast.shares s where s.table_name = local_name;
    update holdfast.comments c set is_past = true where c.table_name = local_name and not c.is_past;
    return null;
  end if;
  before := to_jsonb(old);
  after := case when tg_op = 'UPDATE' then to_jsonb(new) end;
  gone := (before ->> key)::uuid;
  if after is null or before -> key <> after -> key then
    delete from holdfast.shares s where s.table_name = local_name and s.record_id = gone;
    update holdfast.comments c set is_past = true where c.table_name = local_name and c.record_id = gone and not c.is_past;
    return null;
  end if;
  if not exists (select from holdfast.shares s where s.table_name = local_name and s.record_id = gone) then
    return null;
  end if;
  delete from holdfast.shares s
   where s.table_name = local_name and s.record_id = gone
     -- Where nothing says the workspace, the fields do that policies for reading ask for: a change of them may be one of the workspace.
     and not coalesce(holdfast.is_record_of(tg_relid, after, s.workspace_id), not exists (
       select from pg_catalog.pg_policy p
         join pg_catalog.pg_depend d on d.classid = 'pg_policy'::regclass and d.objid = p.oid and d.refclassid = 'pg_class'::regclass and d.refobjid = tg_relid
         join pg_catalog.pg_attribute a on a.attrelid = tg_relid and a.attnum = d.refobjsubid and a.attnum > 0
        where p.polrelid = tg_relid and p.polcmd in ('r', '*') and before -> a.attname is distinct from after -> a.attname));
  return null;
end
$$;
comment on function holdfast.leave_record() is
  'Takes shares and comments away from a record that is deleted, and shares from one that leaves its workspace; a trigger. Argument: the name on devices.';
revoke all on function holdfast.leave_record() from public;

create function holdfast.follow_records(tracked regclass, keep_rows boolean default false) returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  local_name constant text := (select c.relname from pg_catalog.pg_class c where c.oid = tracked and c.relnamespace = 'public'::regnamespace);
  patience constant text := current_setting('lock_timeout');
  -- The name that the table had when it was followed last.
  followed constant text := (
    select convert_from(substring(t.tgargs from 1 for length(t.tgargs) - 1), getdatabaseencoding()) from pg_catalog.pg_trigger t
     where t.tgrelid = tracked and t.tgname = 'holdfast_records' and t.tgenabled <> 'D' and t.tgfoid = 'holdfast.leave_record()'::regprocedure);
begin
  if holdfast.key_of_records(tracked) is null or local_name is null then
    raise exception 'Records of % cannot be shared: only those of a table of schema public can, whose primary key is one column of type uuid.', tracked
      using errcode = 'wrong_object_type', hint = 'share.table';
  end if;
  if followed = local_name then
    return;
  end if;
  perform set_config('lock_timeout', '3s', true); -- it waits for whoever writes to the table
  execute format('create or replace trigger holdfast_records after update or delete on %s for each row execute function holdfast.leave_record(%L)',
                 tracked, local_name);
  execute format('create or replace trigger holdfast_records_all after truncate on %s for each statement execute function holdfast.leave_record(%L)',
                 tracked, local_name);
  perform set_config('lock_timeout', patience, true);
  if not keep_rows then
    -- Of a table of this name that was dropped: nothing tells its records from those of this one.
    delete from holdfast.shares s where s.table_name in (local_name, followed);
    update holdfast.comments c set is_past = true where c.table_name in (local_name, followed) and not c.is_past;
  end if;
exception
  when lock_not_available then
    raise exception 'Somebody writes to % at this moment. Try again.', tracked using errcode = 'lock_not_available', hint = 'share.busy';
  when insufficient_privilege then
    raise exception 'Records of % cannot be shared or commented on until its owner has called holdfast.follow_records(%).', tracked, quote_literal(tracked::text)
      using errcode = 'insufficient_privilege', hint = 'share.owner';
end
$$;
comment on function holdfast.follow_records(regclass, boolean) is
  'Has shares and comments follow the records of a table of schema public with one uuid as its key. The first share and the first comment of a table do so.';
revoke all on function holdfast.follow_records(regclass, boolean) from public;

-- With the rights of whoever writes: only what a person may read is shared or commented on, and only what they may change is shared for that.
create function holdfast.check_record() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  tracked constant regclass := holdfast.table_of_records(new.table_name);
  key constant name := holdfast.key_of_records(tracked);
  is_there boolean;
begin
  if key is null then
    return new; -- what has no records has none of others; the guard of shares refuses it
  end if;
  -- A locking read takes the policies for UPDATE too.
  execute format('select true from %s r where r.%I = $1 %s', tracked, key, case when to_jsonb(new) -> 'may_change' = 'true' then 'for share' end)
     into is_there using new.record_id;
  if is_there is null and tg_argv[0] = 'comment' then
    raise exception 'There is no such record that you may read.' using errcode = 'insufficient_privilege', hint = 'comment.record';
  elsif is_there is null then
    raise exception 'The workspace has no such record that you may share like this.' using errcode = 'insufficient_privilege', hint = 'share.record';
  end if;
  return new;
end
$$;
comment on function holdfast.check_record() is 'Refuses a share or a comment of a record that whoever writes may not read, or not change; argument: share or comment.';

create or replace function holdfast.guard_share() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  tracked constant regclass := holdfast.table_of_records(new.table_name);
  key constant name := holdfast.key_of_records(tracked);
  record jsonb;
begin
  if holdfast.user_id() is not null and new.workspace_id not in (select holdfast.my_administered_workspace_ids()) then
    return new; -- the policies refuse it, and say nothing about the workspace
  end if;
  if (tg_op = 'INSERT' or (new.workspace_id, new.user_id) <> (old.workspace_id, old.user_id))
     and not exists (select from holdfast.members m where m.workspace_id = new.workspace_id and m.user_id = new.user_id and m.role = 'guest') then
    raise exception 'Records are shared with guests of the workspace.' using hint = 'share.not_a_guest';
  end if;
  if tg_op = 'INSERT' and (select count(*) from holdfast.shares s where s.workspace_id = new.workspace_id and s.user_id = new.user_id) >= 1000 then
    raise exception 'A guest has 1,000 shared records at most.' using hint = 'share.limit';
  end if;
  if key is null then
    raise exception 'There is no table % whose records can be shared.', left(new.table_name, 63) using hint = 'share.table';
  end if;
  perform holdfast.follow_records(tracked);
  -- Locked: it does not leave before the share is there to be taken from it.
  begin
    execute format('select to_jsonb(r) from %s r where r.%I = $1 for share', tracked, key) into record using new.record_id;
  exception
    when insufficient_privilege then
      raise exception 'Records of % cannot be shared until its owner lets % read and change it.', tracked, current_user
        using errcode = 'insufficient_privilege', hint = 'share.owner';
  end;
  if record is null or holdfast.is_record_of(tracked, record, new.workspace_id) is false then
    raise exception 'The workspace has no such record that you may share like this.' using errcode = 'insufficient_privilege', hint = 'share.record';
  end if;
  return new;
end
$$;
comment on function holdfast.guard_share() is 'Records of the workspace are shared, with its guests, and not without end.';

drop trigger guard on holdfast.shares;
create trigger guard before insert or update on holdfast.shares for each row execute function holdfast.guard_share();
create trigger guard_record before insert or update on holdfast.shares for each row execute function holdfast.check_record('share');

create or replace function holdfast.guard_comment() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    new.author_id := old.author_id;
    new.created_at := old.created_at;
    if (new.table_name, new.record_id) is distinct from (old.table_name, old.record_id)
      or new.parent_id is distinct from old.parent_id then
      raise exception 'A comment stays with its record and its thread.' using hint = 'comment.moved';
    end if;
    if pg_trigger_depth() = 1 then
      new.area := old.area; -- only a trigger of the record's own table moves a comment to another area
      if holdfast.user_id() is not null then
        new.is_past := old.is_past; -- SQL without a person brings comments back
      end if;
    end if;
    if new.body <> old.body then
      new.edited_at := now();
    end if;
    return new;
  end if;
  new.author_id := coalesce(holdfast.user_id(), new.author_id);
  if holdfast.key_of_records(holdfast.table_of_records(new.table_name)) is not null then
    perform holdfast.follow_records(holdfast.table_of_records(new.table_name));
  end if;
  if new.parent_id is not null and not exists (
    select 1 from holdfast.comments parent
     where parent.id = new.parent_id and parent.parent_id is null
       and parent.table_name = new.table_name and parent.record_id = new.record_id
  ) then
    raise exception 'A reply answers a comment on the same record, not another reply.' using hint = 'comment.thread';
  end if;
  return new;
end
$$;

create trigger check_record before insert on holdfast.comments for each row execute function holdfast.check_record('comment');

-- A team and its members are guarded for whoever may change them; policies refuse others, and say nothing about the workspace.
create or replace function holdfast.guard_team() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if holdfast.user_id() is not null and not holdfast.is_operator() and new.workspace_id not in (select holdfast.my_administered_workspace_ids()) then
    return new;
  end if;
  if tg_op = 'UPDATE' and old.workspace_id is not null and new.workspace_id <> old.workspace_id then
    raise exception 'A team stays with its workspace.' using hint = 'team.moved';
  end if;
  if new.area is not null and holdfast.user_id() is not null and not holdfast.is_operator()
     and not exists (select from holdfast.teams t where t.workspace_id = new.workspace_id and t.area = new.area) then
    raise exception 'No team of this workspace has the area %. An operator gives a workspace its areas.', new.area using hint = 'team.area';
  end if;
  if (select count(*) from holdfast.teams t where t.workspace_id = new.workspace_id and t.id <> new.id) >= 200 then
    raise exception 'A workspace has 200 teams at most.' using hint = 'team.limit';
  end if;
  return new;
end
$$;

create or replace function holdfast.guard_team_member() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  workspace constant uuid := (select t.workspace_id from holdfast.teams t where t.id = new.team_id);
begin
  if holdfast.user_id() is not null and not holdfast.is_operator() and workspace not in (select holdfast.my_administered_workspace_ids()) then
    return new;
  end if;
  if workspace is not null and not exists (
    select from holdfast.members m
     where m.workspace_id = workspace and m.user_id = new.user_id and m.status = 'active' and m.role <> 'guest') then
    raise exception 'A team has active members of its workspace, and no guests.' using hint = 'team.not_a_member';
  end if;
  return new;
end
$$;

-- Of a workspace: what policies of a table ask whose records are of one.

create function holdfast.shared_record_ids(of_table text, of_workspace uuid) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select s.record_id from holdfast.shares s
    join holdfast.members m on m.workspace_id = s.workspace_id and m.user_id = s.user_id
   where s.table_name = shared_record_ids.of_table and s.workspace_id = shared_record_ids.of_workspace and s.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
$$;
create function holdfast.changeable_record_ids(of_table text, of_workspace uuid) returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select s.record_id from holdfast.shares s
    join holdfast.members m on m.workspace_id = s.workspace_id and m.user_id = s.user_id
   where s.table_name = changeable_record_ids.of_table and s.workspace_id = changeable_record_ids.of_workspace and s.may_change and s.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
$$;
comment on function holdfast.shared_record_ids(text, uuid) is 'The records of a table that a workspace shares with the caller.';
comment on function holdfast.changeable_record_ids(text, uuid) is 'The records of a table that a workspace shares with the caller, and lets them change.';

create or replace function holdfast.new_policies_sql(workspace uuid, name text, access jsonb, fields jsonb) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
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
    'create policy guests_read on public.%1$I for select to authenticated' || E'\n  using (id in (select holdfast.shared_record_ids(%1$L, %2$L)));\n'
    'create policy guests_change on public.%1$I for update to authenticated'
    || E'\n  using (id in (select holdfast.changeable_record_ids(%1$L, %2$L)))\n  with check (id in (select holdfast.changeable_record_ids(%1$L, %2$L)));\n'
    'comment on policy guests_change on public.%1$I is ''Guests change the records that are shared with them for that.'';', name, workspace);
end
$$;

create or replace function holdfast.new_table_sql(workspace uuid, definition jsonb) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
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
    'select holdfast.follow_records(%7$L), holdfast.track(%7$L);' || E'\n'
    'insert into holdfast.tables (table_name, label, workspace_id, made_by)' || E'\n  values (%8$L, %9$L, %10$L, (select holdfast.user_id()));\n',
    name, columns, label || '.', comments, coalesce(indexes || E'\n', ''),
    holdfast.new_policies_sql(workspace, name, definition -> 'access', fields), format('public.%I', name), name, label, workspace);
end
$$;

-- Everything belongs to the role that the project acts as; policies of the tables too.
do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  for one in
    select p.oid::pg_catalog.regprocedure as function from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('table_of_records', 'key_of_records', 'is_record_of', 'leave_record', 'follow_records', 'check_record', 'shared_record_ids',
                         'changeable_record_ids')
  loop
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
  execute format('set local role %I', project);
end
$$;
create policy of_this_record on holdfast.comments as restrictive for select to authenticated using (not is_past);
reset role;

-- Tables that were made in the app: the records of their workspace, unless somebody has written other policies since.
do $$
declare
  one record;
begin
  for one in
    select c.oid::pg_catalog.regclass as made, c.relname, t.workspace_id, p.polname, p.polcmd = 'w' as changes
      from holdfast.tables t
      join pg_catalog.pg_class c on c.relname = t.table_name and c.relnamespace = 'public'::pg_catalog.regnamespace and c.relkind = 'r'
      join pg_catalog.pg_policy p on p.polrelid = c.oid
     where t.schema_name = 'public' and t.workspace_id is not null
       and p.polname = case p.polcmd when 'r' then 'guests_read' when 'w' then 'guests_change' end
       and pg_catalog.pg_get_expr(p.polqual, p.polrelid) = format('(id IN ( SELECT holdfast.%1$s(%2$L::text) AS %1$s))',
             case p.polcmd when 'r' then 'shared_record_ids' else 'changeable_record_ids' end, c.relname)
  loop
    if one.changes then
      execute format('alter policy %I on %s using (id in (select holdfast.changeable_record_ids(%3$L, %4$L))) with check (id in (select holdfast.changeable_record_ids(%3$L, %4$L)))',
                     one.polname, one.made, one.relname, one.workspace_id);
    else
      execute format('alter policy %I on %s using (id in (select holdfast.shared_record_ids(%L, %L)))', one.polname, one.made, one.relname, one.workspace_id);
    end if;
  end loop;
end
$$;

-- Shares stay that an owner or admin of the workspace could make today, and comments of records that are there.
do $$
declare
  was constant text := current_setting('role');
  named text;
  tracked regclass;
  key name;
  one record;
  admin uuid;
  found jsonb;
  may_read boolean;
  may_change boolean;
begin
  for named in
    select s.table_name from holdfast.shares s union select c.table_name from holdfast.comments c
    union select t.table_name from holdfast.tables t where t.schema_name = 'public' and t.workspace_id is not null
  loop
    tracked := holdfast.table_of_records(named);
    key := holdfast.key_of_records(tracked);
    if key is null then
      delete from holdfast.shares s where s.table_name = named;
      continue;
    end if;
    begin
      perform holdfast.follow_records(tracked, keep_rows => true);
    exception
      when insufficient_privilege then
        raise warning '%: its shares are deleted', sqlerrm;
        delete from holdfast.shares s where s.table_name = named;
        continue;
    end;
    execute format('update holdfast.comments c set is_past = true where c.table_name = $1 and not exists (select from %s r where r.%I = c.record_id)', tracked, key)
      using named;
    for one in select s.id, s.workspace_id, s.record_id, s.may_change from holdfast.shares s where s.table_name = named loop
      execute format('select to_jsonb(r) from %s r where r.%I = $1', tracked, key) into found using one.record_id;
      may_read := null;
      may_change := null;
      if found is not null and holdfast.is_record_of(tracked, found, one.workspace_id) is distinct from false then
        for admin in select m.user_id from holdfast.members m where m.workspace_id = one.workspace_id and m.status = 'active' and m.role in ('admin', 'owner') loop
          begin
            perform set_config('request.jwt.claims', jsonb_build_object('role', 'authenticated', 'sub', admin)::text, true);
            perform set_config('role', 'authenticated', true);
            execute format('select true from %s r where r.%I = $1', tracked, key) into may_read using one.record_id;
            if may_read and one.may_change then
              execute format('select true from %s r where r.%I = $1 for share', tracked, key) into may_change using one.record_id;
            end if;
          exception
            when others then
              may_read := null;
              raise warning 'a share of % is not kept: %', tracked, sqlerrm;
          end;
          perform set_config('role', was, true);
          perform set_config('request.jwt.claims', '', true);
          exit when may_read and (may_change or not one.may_change);
        end loop;
      end if;
      if may_read is not true then
        delete from holdfast.shares s where s.id = one.id;
      elsif one.may_change and may_change is not true then
        update holdfast.shares s set may_change = false where s.id = one.id;
      end if;
    end loop;
  end loop;
end
$$;
