-- Saved views: how people look at a table. Ordinary rows that sync, with policies of their own.

create table holdfast.views (
  id uuid primary key default gen_random_uuid(),
  table_name text not null constraint views_table_name check (length(table_name) between 1 and 200),
  name text not null constraint views_name_length check (length(btrim(name)) between 1 and 80),
  type text not null default 'grid' constraint views_type check (type in ('grid', 'board', 'calendar', 'gallery', 'form', 'map')),
  scope text not null default 'personal' constraint views_scope check (scope in ('personal', 'shared', 'locked')),
  owner_id uuid constraint views_owner check (owner_id is not null or scope <> 'personal'),
  config jsonb not null default '{}' constraint views_config check (jsonb_typeof(config) = 'object' and length(config::text) <= 16384),
  is_default boolean not null default false constraint views_default_shared check (not is_default or scope <> 'personal'),
  position integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index views_owner_id_idx on holdfast.views (owner_id);
create index views_table_name_idx on holdfast.views (table_name);
create unique index views_one_default on holdfast.views (table_name) where is_default;

comment on table holdfast.views is 'Views. Ways to look at a table: its filter, its order, its fields.';
comment on column holdfast.views.table_name is 'Table. By its name on the device.';
comment on column holdfast.views.name is 'Name. 1 to 80 characters.';
comment on column holdfast.views.type is 'Type. grid, board, calendar, gallery, form or map.';
comment on column holdfast.views.scope is 'Who has it. personal: its owner; shared: everyone signed in, members of teams change it; locked: only leads of teams and operators change it.';
comment on column holdfast.views.owner_id is 'Owner. Taken from the sign-in.';
comment on column holdfast.views.config is 'Settings. What the view shows, written as links write it.';
comment on column holdfast.views.is_default is 'Opens first. At most one view of a table, never a personal one.';
comment on column holdfast.views.position is 'Position. Views with smaller numbers come first.';
comment on constraint views_table_name on holdfast.views is 'A view names its table.';
comment on constraint views_name_length on holdfast.views is 'A name of a view has 1 to 80 characters.';
comment on constraint views_type on holdfast.views is 'A view is a grid, board, calendar, gallery, form or map.';
comment on constraint views_scope on holdfast.views is 'A view is personal, shared or locked.';
comment on constraint views_owner on holdfast.views is 'A personal view belongs to a person.';
comment on constraint views_config on holdfast.views is 'The settings of a view are an object of at most 16,384 characters.';
comment on constraint views_default_shared on holdfast.views is 'A personal view does not open first for everyone.';
comment on index holdfast.views_one_default is 'One view of a table opens first.';

create function holdfast.is_team_lead() returns boolean
  language sql stable security definer set search_path = '' as $$
  select exists (select 1 from holdfast.team_members m where m.function = 'lead' and m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end)
$$;
comment on function holdfast.is_team_lead() is 'Whether the caller leads any team.';

-- Shared views reach every device of the project, so their number is limited.
create function holdfast.guard_view() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' then
    new.owner_id := old.owner_id;
    new.created_at := old.created_at;
    if new.table_name <> old.table_name then
      raise exception 'A view stays with its table.' using hint = 'view.moved';
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
  elsif (select count(*) from holdfast.views v where v.scope <> 'personal' and v.table_name = new.table_name) >= 100 then
    raise exception 'This table has 100 shared views. Delete one first.' using hint = 'view.limit';
  end if;
  return new;
end
$$;
comment on function holdfast.guard_view() is 'Takes the owner from the token and limits how many views there are.';

create trigger guard before insert or update on holdfast.views for each row execute function holdfast.guard_view();
create trigger touch before update on holdfast.views for each row execute function holdfast.touch();

alter table holdfast.views enable row level security;
grant select, insert, update, delete on holdfast.views to authenticated;
grant all on holdfast.views to service_role;

-- As with the other tables of the project: they belong to the role that the project acts as, where there is one.
do $$
declare
  owner name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
begin
  execute format('alter table holdfast.views owner to %I', owner);
  execute format('alter function holdfast.is_team_lead() owner to %I', owner);
  execute format('alter function holdfast.guard_view() owner to %I', owner);
  execute format('set local role %I', owner);
end
$$;

create policy own_read on holdfast.views for select to authenticated
  using (owner_id = (select holdfast.user_id()));
create policy shared_read on holdfast.views for select to authenticated
  using (scope in ('shared', 'locked'));
create policy own_add on holdfast.views for insert to authenticated
  with check (scope = 'personal' and owner_id = (select holdfast.user_id()));
create policy own_change on holdfast.views for update to authenticated
  using (scope = 'personal' and owner_id = (select holdfast.user_id()))
  with check (scope = 'personal' and owner_id = (select holdfast.user_id()));
create policy own_delete on holdfast.views for delete to authenticated
  using (scope = 'personal' and owner_id = (select holdfast.user_id()));
create policy members_add on holdfast.views for insert to authenticated
  with check (scope = 'shared' and (select holdfast.is_team_member()));
create policy members_change on holdfast.views for update to authenticated
  using (scope = 'shared' and (select holdfast.is_team_member()))
  with check (scope = 'shared' and (select holdfast.is_team_member()));
create policy members_delete on holdfast.views for delete to authenticated
  using (scope = 'shared' and (select holdfast.is_team_member()));
create policy leads_add on holdfast.views for insert to authenticated
  with check (scope in ('shared', 'locked') and ((select holdfast.is_team_lead()) or (select holdfast.is_operator())));
create policy leads_change on holdfast.views for update to authenticated
  using (scope in ('shared', 'locked') and ((select holdfast.is_team_lead()) or (select holdfast.is_operator())))
  with check (scope in ('shared', 'locked') and ((select holdfast.is_team_lead()) or (select holdfast.is_operator())));
create policy leads_delete on holdfast.views for delete to authenticated
  using (scope in ('shared', 'locked') and ((select holdfast.is_team_lead()) or (select holdfast.is_operator())));

reset role;
