-- Shared views, and what fields and tables are called, are of a workspace: its people read them, and nobody else. A row without a workspace is the project's own: everyone
-- who is signed in reads it, and operators change it, with the people of teams that are of no workspace.

create function holdfast.my_only_workspace_id() returns uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select case when count(*) = 1 then (array_agg(m.workspace_id))[1] end from holdfast.members m
   where m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end and m.status = 'active' and m.role <> 'guest'
$$;
create function holdfast.my_team_workspace_ids() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select t.workspace_id from holdfast.team_members m join holdfast.teams t on t.id = m.team_id
   where t.workspace_id is not null and m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end
$$;
create function holdfast.my_led_workspace_ids() returns setof uuid
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select t.workspace_id from holdfast.team_members m join holdfast.teams t on t.id = m.team_id
   where m.function = 'lead' and t.workspace_id is not null and m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end
  union
  select m.workspace_id from holdfast.members m where m.status = 'active' and m.role in ('admin', 'owner') and m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end
$$;
create function holdfast.is_project_team_member() returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select 1 from holdfast.team_members m join holdfast.teams t on t.id = m.team_id
    where t.workspace_id is null and m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end)
$$;
create function holdfast.is_project_team_lead() returns boolean
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select 1 from holdfast.team_members m join holdfast.teams t on t.id = m.team_id
    where t.workspace_id is null and m.function = 'lead' and m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end)
$$;
comment on function holdfast.my_only_workspace_id() is 'The workspace that the caller is a member of, where it is one; not that of a guest.';
comment on function holdfast.my_team_workspace_ids() is 'The workspaces in whose teams the caller is.';
comment on function holdfast.my_led_workspace_ids() is 'The workspaces that the caller owns or administers, or a team of which the caller leads.';
comment on function holdfast.is_project_team_member() is 'Whether the caller is in a team that is of no workspace.';
comment on function holdfast.is_project_team_lead() is 'Whether the caller leads a team that is of no workspace.';

alter table holdfast.views add column workspace_id uuid constraint holdfast_views_workspace references holdfast.workspaces (id) on delete cascade;
alter table holdfast.fields add column workspace_id uuid constraint holdfast_fields_workspace references holdfast.workspaces (id) on delete cascade;
create index holdfast_views_workspace_id_idx on holdfast.views (workspace_id);
create index holdfast_fields_workspace_id_idx on holdfast.fields (workspace_id);
comment on column holdfast.views.workspace_id is 'Workspace. Whose people have a shared view; empty: everyone who is signed in.';
comment on column holdfast.views.scope is 'Who has it. personal: its owner; shared: the people of its workspace, members of teams there change it; locked: only leads of teams there, admins and operators change it.';
comment on column holdfast.fields.workspace_id is 'Workspace. For whose people the field stands like this; empty: for everyone whose workspace has no row of its own.';

-- Shared views that are there: to the workspace of their owner. Whose owner is of several, or left, is the owner's own, who shares it again. Those that SQL brought are the project's.
alter table holdfast.views disable trigger user;
update holdfast.views v
   set workspace_id = of_owner.one,
       scope = case when of_owner.one is null and of_owner.is_asked then 'personal' else v.scope end,
       is_default = v.is_default and (of_owner.one is not null or not of_owner.is_asked)
  from (select o.owner_id,
               -- In a database without workspaces, and of people of the project's own teams, they are the project's.
               exists (select from holdfast.workspaces)
                 and not exists (select from holdfast.team_members t join holdfast.teams team on team.id = t.team_id
                                  where t.user_id = o.owner_id and team.workspace_id is null) as is_asked,
               coalesce((select case when count(*) = 1 then (array_agg(m.workspace_id))[1] end from holdfast.members m where m.user_id = o.owner_id and m.role <> 'guest'),
                        (select case when count(*) = 1 then (array_agg(w.id))[1] end from holdfast.workspaces w)) as one
          from (select distinct owner_id from holdfast.views where scope <> 'personal' and owner_id is not null) o) of_owner
 where v.scope <> 'personal' and v.owner_id = of_owner.owner_id;
alter table holdfast.views enable trigger user;
-- Of fields nobody knows who wrote them: they are the workspace's where there is one, else the project's.
update holdfast.fields set workspace_id = (select w.id from holdfast.workspaces w) where (select count(*) from holdfast.workspaces) = 1;

drop index holdfast.holdfast_views_one_default;
create unique index holdfast_views_one_default on holdfast.views (table_name, coalesce(workspace_id, '00000000-0000-0000-0000-000000000000')) where is_default;
comment on index holdfast.holdfast_views_one_default is 'One view of a table opens first.';
alter table holdfast.fields drop constraint holdfast_fields_once,
  add constraint holdfast_fields_once unique nulls not distinct (schema_name, table_name, field_name, workspace_id);
comment on constraint holdfast_fields_once on holdfast.fields is 'A field has its place once.';

create or replace function holdfast.guard_view() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op = 'UPDATE' then
    new.owner_id := old.owner_id;
    new.created_at := old.created_at;
    if new.table_name <> old.table_name then
      raise exception 'A view stays with its table.' using hint = 'view.moved';
    end if;
    if new.scope <> 'personal' and old.scope <> 'personal' and new.workspace_id is distinct from old.workspace_id and holdfast.user_id() is not null then
      raise exception 'A shared view stays with its workspace.' using hint = 'view.moved';
    end if;
    if (new.scope = 'personal') = (old.scope = 'personal') then
      return new;
    end if;
  else
    new.owner_id := coalesce(holdfast.user_id(), new.owner_id);
  end if;
  if new.scope = 'personal' then
    if (select count(*) from holdfast.views v where v.scope = 'personal' and v.owner_id = new.owner_id) >= 200 then
      raise exception 'You have 200 views of your own. Delete one first.' using hint = 'view.limit';
    end if;
  elsif (select count(*) from holdfast.views v where v.scope <> 'personal' and v.table_name = new.table_name and v.workspace_id is not distinct from new.workspace_id) >= 100 then
    raise exception 'This table has 100 shared views. Delete one first.' using hint = 'view.limit';
  end if;
  return new;
end
$$;

create function holdfast.guard_field() returns trigger
  language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if holdfast.user_id() is not null then
    raise exception 'The place of a field stays with its workspace.' using hint = 'field.moved';
  end if;
  return new;
end
$$;
comment on function holdfast.guard_field() is 'The place of a field stays with its workspace.';
create trigger guard before update of workspace_id on holdfast.fields for each row
  when (old.workspace_id is distinct from new.workspace_id) execute function holdfast.guard_field();

-- What a new table leads to is nothing that another workspace made.
create or replace function holdfast.new_link_sql(target text) returns text
  language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  found_table constant regclass := case when target = 'hf_teams' then 'holdfast.teams'::regclass else to_regclass(format('public.%I', target)) end;
begin
  if found_table is null or not pg_catalog.has_table_privilege('authenticated', found_table, 'select') or not exists (
    select from pg_catalog.pg_index i
      join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
      join pg_catalog.pg_class c on c.oid = i.indrelid
     where i.indrelid = found_table and i.indisprimary and i.indnkeyatts = 1 and a.attname = 'id' and a.atttypid = 'uuid'::regtype
       and c.relkind in ('r', 'p') and c.relrowsecurity)
     -- A workspace's table is for its own people.
     or exists (select from holdfast.tables t where t.schema_name = 'public' and t.table_name = target
                   and t.workspace_id is not null and t.workspace_id not in (select holdfast.my_workspace_ids())) then
    raise exception 'There is no table % whose records a field can lead to.', coalesce(target, '') using hint = 'new_table.link';
  end if;
  return format('uuid references %s (id) on delete set null', case when target = 'hf_teams' then 'holdfast.teams' else format('public.%I', target) end);
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
       and p.proname in ('my_only_workspace_id', 'my_team_workspace_ids', 'my_led_workspace_ids', 'is_project_team_member', 'is_project_team_lead', 'guard_field')
  loop
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
  execute format('set local role %I', project);
end
$$;

-- Who writes one without a workspace means their own.
alter table holdfast.views alter column workspace_id set default holdfast.my_only_workspace_id();
alter table holdfast.fields alter column workspace_id set default holdfast.my_only_workspace_id();

alter policy own_read on holdfast.views using (scope = 'personal' and owner_id = (select holdfast.user_id()));
alter policy shared_read on holdfast.views
  using (scope in ('shared', 'locked') and (workspace_id is null or workspace_id in (select holdfast.my_workspace_ids())));
alter policy members_add on holdfast.views
  with check (scope = 'shared' and (workspace_id in (select holdfast.my_team_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_member()))));
alter policy members_change on holdfast.views
  using (scope = 'shared' and (workspace_id in (select holdfast.my_team_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_member()))))
  with check (scope = 'shared' and (workspace_id in (select holdfast.my_team_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_member()))));
alter policy members_delete on holdfast.views
  using (scope = 'shared' and (workspace_id in (select holdfast.my_team_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_member()))));
alter policy leads_add on holdfast.views
  with check (scope in ('shared', 'locked') and (workspace_id in (select holdfast.my_led_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_lead())) or (select holdfast.is_operator())));
alter policy leads_change on holdfast.views
  using (scope in ('shared', 'locked') and (workspace_id in (select holdfast.my_led_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_lead())) or (select holdfast.is_operator())))
  with check (scope in ('shared', 'locked') and (workspace_id in (select holdfast.my_led_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_lead())) or (select holdfast.is_operator())));
alter policy leads_delete on holdfast.views
  using (scope in ('shared', 'locked') and (workspace_id in (select holdfast.my_led_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_lead())) or (select holdfast.is_operator())));

alter policy everyone_reads on holdfast.fields using (workspace_id is null or workspace_id in (select holdfast.my_workspace_ids()));
alter policy leads_manage on holdfast.fields
  using (workspace_id in (select holdfast.my_led_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_lead())) or (select holdfast.is_operator()))
  with check (workspace_id in (select holdfast.my_led_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_lead())) or (select holdfast.is_operator()));
comment on policy leads_manage on holdfast.fields is 'Leads of teams, admins of the workspace and operators arrange the fields of records.';

-- The names of tables that a workspace made are its own.
alter policy everyone_reads on holdfast.tables using (workspace_id is null or workspace_id in (select holdfast.my_workspace_ids()));

reset role;
