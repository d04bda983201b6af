-- Dashboards: tiles with figures over tables. Ordinary rows that sync, shared as views are (0046). The grammar of their settings is closed; it is the same as in
-- platform/protocol/src/dashboard-config.ts, with which a random test compares it.

create table if not exists holdfast.dashboards (
  id uuid constraint holdfast_dashboards_pkey primary key default gen_random_uuid(),
  workspace_id uuid constraint holdfast_dashboards_workspace references holdfast.workspaces (id) on delete cascade,
  name text not null constraint holdfast_dashboards_name_length check (length(btrim(name)) between 1 and 80),
  scope text not null default 'personal' constraint holdfast_dashboards_scope check (scope in ('personal', 'shared', 'locked')),
  owner_id uuid constraint holdfast_dashboards_owner check (owner_id is not null or scope <> 'personal'),
  config jsonb not null default '{"version": 1, "tiles": []}' constraint holdfast_dashboards_config_length check (length(config::text) <= 65536),
  position integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index holdfast_dashboards_owner_id_idx on holdfast.dashboards (owner_id);
create index holdfast_dashboards_workspace_id_idx on holdfast.dashboards (workspace_id);

comment on table holdfast.dashboards is 'Dashboards. Tiles with figures over tables.';
comment on column holdfast.dashboards.workspace_id is 'Workspace. Whose people have a shared dashboard; empty: everyone who is signed in.';
comment on column holdfast.dashboards.name is 'Name. 1 to 80 characters.';
comment on column holdfast.dashboards.scope is 'Who has it. personal: its owner; shared: the people of its workspace, members of teams there change it; locked: only leads of teams there, admins and operators change it.';
comment on column holdfast.dashboards.owner_id is 'Owner. Taken from the sign-in.';
comment on column holdfast.dashboards.config is 'Settings. Its tiles and filters.';
comment on column holdfast.dashboards.position is 'Position. Dashboards with smaller numbers come first.';
comment on constraint holdfast_dashboards_name_length on holdfast.dashboards is 'A name of a dashboard has 1 to 80 characters.';
comment on constraint holdfast_dashboards_scope on holdfast.dashboards is 'A dashboard is personal, shared or locked.';
comment on constraint holdfast_dashboards_owner on holdfast.dashboards is 'A personal dashboard belongs to a person.';
comment on constraint holdfast_dashboards_config_length on holdfast.dashboards is 'The settings of a dashboard have at most 65,536 characters.';

create function holdfast.is_text_of(value jsonb, shortest integer, longest integer) returns boolean
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_typeof(value) = 'string' and length(value #>> '{}') between shortest and longest, false)
$$;
comment on function holdfast.is_text_of(jsonb, integer, integer) is 'Whether a JSON value is a text of such a length.';

create function holdfast.is_dashboard_id(value jsonb) returns boolean
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_typeof(value) = 'string' and value #>> '{}' ~ '^[A-Za-z0-9_-]{1,40}$', false)
$$;
comment on function holdfast.is_dashboard_id(jsonb) is 'Whether a JSON value is an id of a tile or a filter.';

create function holdfast.is_tile_group(value jsonb) returns boolean
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(jsonb_typeof(value) = 'object' and value - '{field,by}'::text[] = '{}' and holdfast.is_text_of(value -> 'field', 1, 200)
                  and (not value ? 'by' or value -> 'by' <@ '["day", "week", "month", "quarter", "year"]' and jsonb_typeof(value -> 'by') = 'string'), false)
$$;
comment on function holdfast.is_tile_group(jsonb) is 'Whether a JSON value is a field to group by.';

create function holdfast.is_tile_setting(setting text, value jsonb) returns boolean
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select coalesce(case setting
    when 'id' then holdfast.is_dashboard_id(value)
    when 'kind' then jsonb_typeof(value) = 'string' and value <@ '["number", "bar", "line", "stacked", "table", "map", "calendar"]'
    when 'title' then holdfast.is_text_of(value, 1, 80)
    when 'table' then holdfast.is_text_of(value, 1, 200)
    when 'filter' then holdfast.is_text_of(value, 1, 4000)
    when 'group' then holdfast.is_tile_group(value)
    when 'stack' then holdfast.is_tile_group(value)
    when 'measure' then jsonb_typeof(value) = 'object' and value - '{kind,field}'::text[] = '{}' and jsonb_typeof(value -> 'kind') = 'string'
      and value -> 'kind' <@ '["count", "sum", "average", "min", "max"]' and (value ->> 'kind' = 'count') = (not value ? 'field')
      and (not value ? 'field' or holdfast.is_text_of(value -> 'field', 1, 200))
    when 'sort' then holdfast.is_text_of(value, 1, 1000)
    when 'fields' then case when jsonb_typeof(value) = 'array' then
      jsonb_array_length(value) <= 8 and not exists (select from jsonb_array_elements(value) f where not holdfast.is_text_of(f.value, 1, 200)) end
    when 'date' then holdfast.is_text_of(value, 1, 200)
    when 'point' then holdfast.is_text_of(value, 1, 401)
    when 'width' then value <@ '[1, 2, 3, 4]' and jsonb_typeof(value) = 'number'
    when 'height' then value <@ '[1, 2, 3]' and jsonb_typeof(value) = 'number'
    when 'linked' then case when jsonb_typeof(value) = 'object' then
      (select count(*) <= 5 and coalesce(bool_and(holdfast.is_dashboard_id(to_jsonb(l.key)) and holdfast.is_text_of(l.value, 0, 200)), true) from jsonb_each(value) l) end
    else false end, false)
$$;
comment on function holdfast.is_tile_setting(text, jsonb) is 'Whether a setting of a tile is of the grammar.';

create function holdfast.tile_problem(tile jsonb) returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  wrong text;
begin
  if jsonb_typeof(tile) is distinct from 'object' then
    return 'A tile is an object.';
  elsif not holdfast.is_dashboard_id(tile -> 'id') then
    return 'A tile has an id of 1 to 40 letters, digits, "_" or "-".';
  elsif not holdfast.is_tile_setting('kind', tile -> 'kind') then
    return format('The tile %s has a kind that this version does not know.', tile ->> 'id');
  end if;
  select s.key into wrong from jsonb_each(tile) s where not holdfast.is_tile_setting(s.key, s.value) limit 1;
  if found then
    return format('The tile %s has a setting that this version does not know: %s.', tile ->> 'id', wrong);
  end if;
  select n.name into wrong
    from unnest('{table,width,height}'::text[] || case when tile ->> 'kind' in ('bar', 'line', 'stacked') then '{group}'::text[] end
                || case tile ->> 'kind' when 'stacked' then '{stack}'::text[] end) n (name)
   where not tile ? n.name limit 1;
  if found then
    return format('The tile %s lacks its %s.', tile ->> 'id', wrong);
  end if;
  return null;
end
$$;
comment on function holdfast.tile_problem(jsonb) is 'Why a tile is not of the grammar; NULL if it is.';

create function holdfast.dashboard_problem(config jsonb) returns text
  language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  wrong text;
begin
  if jsonb_typeof(config) is distinct from 'object' then
    return 'A dashboard is an object.';
  elsif config -> 'version' is distinct from '1' then
    return 'The dashboard was made by another version.';
  end if;
  select k.key into wrong from jsonb_object_keys(config) k (key) where k.key <> all ('{version,filters,tiles}') limit 1;
  if found then
    return format('The dashboard has a setting that this version does not know: %s.', wrong);
  end if;
  if jsonb_typeof(coalesce(config -> 'filters', '[]')) <> 'array' or jsonb_array_length(coalesce(config -> 'filters', '[]')) > 5 or exists (
    select from jsonb_array_elements(coalesce(config -> 'filters', '[]')) f
     where not coalesce(jsonb_typeof(f.value) = 'object' and f.value - '{id,kind,field}'::text[] = '{}' and holdfast.is_dashboard_id(f.value -> 'id')
                        and jsonb_typeof(f.value -> 'kind') = 'string' and f.value -> 'kind' <@ '["choice", "person", "date"]'
                        and holdfast.is_text_of(f.value -> 'field', 1, 200), false)) then
    return 'A filter of the dashboard is not valid.';
  elsif jsonb_typeof(config -> 'tiles') is distinct from 'array' or jsonb_array_length(config -> 'tiles') > 24 then
    return 'A dashboard has at most 24 tiles.';
  elsif (select count(distinct t.value -> 'id') < count(t.value -> 'id') from jsonb_array_elements(config -> 'tiles') t where jsonb_typeof(t.value) = 'object')
     or (select count(distinct f.value -> 'id') < count(f.value -> 'id') from jsonb_array_elements(coalesce(config -> 'filters', '[]')) f) then
    return 'Two parts of the dashboard have the same id.';
  end if;
  return (select holdfast.tile_problem(t.value) from jsonb_array_elements(config -> 'tiles') with ordinality t (value, place)
           where holdfast.tile_problem(t.value) is not null order by t.place limit 1);
end
$$;
comment on function holdfast.dashboard_problem(jsonb) is 'Why the settings of a dashboard are refused; NULL if they are accepted.';

-- Shared dashboards reach every device of the workspace, so their number is limited.
create function holdfast.guard_dashboard() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  problem text;
begin
  if tg_op = 'INSERT' or new.config is distinct from old.config then
    problem := holdfast.dashboard_problem(new.config);
    if problem is not null then
      raise exception '%', problem using errcode = 'check_violation', hint = 'dashboard.config';
    end if;
  end if;
  if tg_op = 'UPDATE' then
    new.owner_id := old.owner_id;
    new.created_at := old.created_at;
    if new.scope <> 'personal' and old.scope <> 'personal' and new.workspace_id is distinct from old.workspace_id and holdfast.user_id() is not null then
      raise exception 'A shared dashboard stays with its workspace.' using hint = 'dashboard.moved';
    end if;
    if (new.scope = 'personal') = (old.scope = 'personal') then
      return new;
    end if;
  else
    new.owner_id := coalesce(holdfast.user_id(), new.owner_id);
  end if;
  if new.scope = 'personal' then
    if (select count(*) from holdfast.dashboards d where d.scope = 'personal' and d.owner_id = new.owner_id) >= 50 then
      raise exception 'You have 50 dashboards of your own. Delete one first.' using hint = 'dashboard.limit';
    end if;
  elsif (select count(*) from holdfast.dashboards d where d.scope <> 'personal' and d.workspace_id is not distinct from new.workspace_id) >= 100 then
    raise exception 'The workspace has 100 shared dashboards. Delete one first.' using hint = 'dashboard.limit';
  end if;
  return new;
end
$$;
comment on function holdfast.guard_dashboard() is 'Refuses settings outside the grammar, takes the owner from the token and limits how many dashboards there are.';

create trigger guard before insert or update on holdfast.dashboards for each row execute function holdfast.guard_dashboard();
create trigger touch before update on holdfast.dashboards for each row execute function holdfast.touch();

alter table holdfast.dashboards enable row level security;
grant select, insert, update, delete on holdfast.dashboards to authenticated;
grant all on holdfast.dashboards to service_role;

do $$
declare
  project name := (select pg_get_userbyid(relowner) from pg_class where oid = 'holdfast.comments'::regclass);
  one record;
begin
  execute format('alter table holdfast.dashboards owner to %I', project);
  for one in
    select p.oid::regprocedure as function from pg_proc p
     where p.pronamespace = 'holdfast'::regnamespace
       and p.proname in ('is_text_of', 'is_dashboard_id', 'is_tile_group', 'is_tile_setting', 'tile_problem', 'dashboard_problem', 'guard_dashboard')
  loop
    execute format('revoke all on function %s from public', one.function);
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
  execute format('set local role %I', project);
end
$$;

alter table holdfast.dashboards alter column workspace_id set default holdfast.my_only_workspace_id();

create policy own_read on holdfast.dashboards for select to authenticated
  using (scope = 'personal' and owner_id = (select holdfast.user_id()));
create policy shared_read on holdfast.dashboards for select to authenticated
  using (scope in ('shared', 'locked') and (workspace_id is null or workspace_id in (select holdfast.my_workspace_ids())));
create policy own_add on holdfast.dashboards for insert to authenticated
  with check (scope = 'personal' and owner_id = (select holdfast.user_id()));
create policy own_change on holdfast.dashboards for update to authenticated
  using (scope = 'personal' and owner_id = (select holdfast.user_id()))
  with check (scope = 'personal' and owner_id = (select holdfast.user_id()));
create policy own_delete on holdfast.dashboards for delete to authenticated
  using (scope = 'personal' and owner_id = (select holdfast.user_id()));
create policy members_add on holdfast.dashboards for insert to authenticated
  with check (scope = 'shared' and (workspace_id in (select holdfast.my_team_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_member()))));
create policy members_change on holdfast.dashboards for update to authenticated
  using (scope = 'shared' and (workspace_id in (select holdfast.my_team_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_member()))))
  with check (scope = 'shared' and (workspace_id in (select holdfast.my_team_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_member()))));
create policy members_delete on holdfast.dashboards for delete to authenticated
  using (scope = 'shared' and (workspace_id in (select holdfast.my_team_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_member()))));
create policy leads_add on holdfast.dashboards for insert to authenticated
  with check (scope in ('shared', 'locked') and (workspace_id in (select holdfast.my_led_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_lead())) or (select holdfast.is_operator())));
create policy leads_change on holdfast.dashboards for update to authenticated
  using (scope in ('shared', 'locked') and (workspace_id in (select holdfast.my_led_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_lead())) or (select holdfast.is_operator())))
  with check (scope in ('shared', 'locked') and (workspace_id in (select holdfast.my_led_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_lead())) or (select holdfast.is_operator())));
create policy leads_delete on holdfast.dashboards for delete to authenticated
  using (scope in ('shared', 'locked') and (workspace_id in (select holdfast.my_led_workspace_ids()) or (workspace_id is null and (select holdfast.is_project_team_lead())) or (select holdfast.is_operator())));

reset role;
