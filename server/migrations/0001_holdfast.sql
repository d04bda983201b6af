-- Teams, their members and comments: what policies of any domain can lean on.
-- The functions are security definer so that a policy on a table never waits for the policies of another one.

create schema if not exists holdfast;
grant usage on schema holdfast to anon, authenticated, service_role;

-- Triggers that every table can use

create function holdfast.touch() returns trigger
  language plpgsql set search_path = '' as $$
begin
  new.updated_at := now();
  return new;
end
$$;
comment on function holdfast.touch() is 'Sets updated_at; a trigger before update.';

create function holdfast.set_created_by() returns trigger
  language plpgsql set search_path = '' as $$
begin
  if tg_op = 'UPDATE' then
    new.created_by := old.created_by;
  else
    new.created_by := coalesce(auth.uid(), new.created_by);
  end if;
  return new;
end
$$;
comment on function holdfast.set_created_by() is
  'Takes created_by from the token, never from the row that was sent, and keeps it; a trigger before insert or update.';

-- Settings of the server; nobody but the server reads them

create table holdfast.settings (
  key text primary key check (length(key) between 1 and 200),
  value jsonb not null,
  updated_at timestamptz not null default now()
);
alter table holdfast.settings enable row level security;
revoke all on holdfast.settings from anon, authenticated;
comment on table holdfast.settings is 'What the server remembers about this database, such as whether the sample was seeded.';

-- Teams

create type holdfast.team_function as enum ('lead', 'member');

create table holdfast.teams (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint teams_name_length check (length(btrim(name)) between 1 and 80),
  color text not null default 'blue' constraint teams_color_name check (color ~ '^[a-z]{1,20}$'),
  area text constraint teams_area_length check (length(area) between 1 and 80),
  lead_user_id uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index teams_area_idx on holdfast.teams (area);
create index teams_lead_user_id_idx on holdfast.teams (lead_user_id);

create table holdfast.team_members (
  id uuid primary key default gen_random_uuid(),
  team_id uuid not null references holdfast.teams (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  function holdfast.team_function not null default 'member',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint team_members_once unique (team_id, user_id)
);
create index team_members_user_id_idx on holdfast.team_members (user_id);

comment on table holdfast.teams is 'Teams. People who work together.';
comment on column holdfast.teams.name is 'Name.';
comment on column holdfast.teams.color is 'Color. A name of the palette.';
comment on column holdfast.teams.area is 'Area. A code of the team''s own domain, such as a region, that policies may read.';
comment on column holdfast.teams.lead_user_id is 'Lead. Whom to ask first; who may do what is decided by the function of the members.';
comment on constraint teams_name_length on holdfast.teams is 'A team''s name has 1 to 80 characters.';
comment on constraint teams_color_name on holdfast.teams is 'A color is a name of the palette, such as blue.';
comment on constraint teams_area_length on holdfast.teams is 'An area has 1 to 80 characters.';
comment on table holdfast.team_members is 'Team members. Who is in which team, and as what.';
comment on column holdfast.team_members.team_id is 'Team.';
comment on column holdfast.team_members.user_id is 'Person.';
comment on column holdfast.team_members.function is 'Function. A lead verifies and approves the work of the team.';
comment on constraint team_members_once on holdfast.team_members is 'A person is in a team once.';

create trigger touch before update on holdfast.teams for each row execute function holdfast.touch();
create trigger touch before update on holdfast.team_members for each row execute function holdfast.touch();

-- What policies ask about the caller

create function holdfast.my_team_ids() returns setof uuid
  language sql stable security definer set search_path = '' as $$
  select m.team_id from holdfast.team_members m where m.user_id = auth.uid()
$$;
comment on function holdfast.my_team_ids() is 'The teams that the caller is in.';

create function holdfast.my_led_team_ids() returns setof uuid
  language sql stable security definer set search_path = '' as $$
  select m.team_id from holdfast.team_members m where m.user_id = auth.uid() and m.function = 'lead'
$$;
comment on function holdfast.my_led_team_ids() is 'The teams that the caller leads.';

create function holdfast.my_areas() returns setof text
  language sql stable security definer set search_path = '' as $$
  select t.area
    from holdfast.team_members m
    join holdfast.teams t on t.id = m.team_id
   where m.user_id = auth.uid() and t.area is not null
$$;
comment on function holdfast.my_areas() is 'The areas of the teams that the caller is in.';

create function holdfast.my_area_team_ids() returns setof uuid
  language sql stable security definer set search_path = '' as $$
  select beside.id
    from holdfast.team_members m
    join holdfast.teams t on t.id = m.team_id
    join holdfast.teams beside on beside.area = t.area
   where m.user_id = auth.uid()
$$;
comment on function holdfast.my_area_team_ids() is 'The teams of the areas that the caller works in, the caller''s own among them.';

create function holdfast.is_team_member() returns boolean
  language sql stable security definer set search_path = '' as $$
  select exists (select 1 from holdfast.team_members m where m.user_id = auth.uid())
$$;
comment on function holdfast.is_team_member() is 'Whether the caller is in any team.';

create function holdfast.is_lead_of(team_id uuid) returns boolean
  language sql stable security definer set search_path = '' as $$
  select exists (
    select 1 from holdfast.team_members m
     where m.team_id = is_lead_of.team_id and m.user_id = auth.uid() and m.function = 'lead'
  )
$$;
comment on function holdfast.is_lead_of(uuid) is 'Whether the caller leads that team.';

create function holdfast.is_operator() returns boolean
  language sql stable set search_path = '' as $$
  select coalesce(auth.jwt() -> 'app_metadata' ->> 'holdfast_operator', 'false') = 'true'
$$;
comment on function holdfast.is_operator() is 'Whether the caller''s token names an operator of this server.';

alter table holdfast.teams enable row level security;
alter table holdfast.team_members enable row level security;
grant select, insert, update, delete on holdfast.teams, holdfast.team_members to authenticated;
grant all on holdfast.teams, holdfast.team_members to service_role;

create policy members_read on holdfast.teams for select to authenticated
  using (id in (select holdfast.my_team_ids()));
create policy operators_manage on holdfast.teams for all to authenticated
  using ((select holdfast.is_operator())) with check ((select holdfast.is_operator()));
create policy members_read on holdfast.team_members for select to authenticated
  using (team_id in (select holdfast.my_team_ids()));
create policy operators_manage on holdfast.team_members for all to authenticated
  using ((select holdfast.is_operator())) with check ((select holdfast.is_operator()));

-- Comments on any record

create table holdfast.comments (
  id uuid primary key default gen_random_uuid(),
  table_name text not null constraint comments_table_name check (table_name ~ '^[a-z_][a-z0-9_]{0,62}$'),
  record_id uuid not null,
  area text,
  parent_id uuid references holdfast.comments (id) on delete cascade,
  body text not null constraint comments_body_length check (length(body) between 1 and 10000),
  author_id uuid not null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  edited_at timestamptz,
  resolved_at timestamptz,
  deleted_at timestamptz
);
create index comments_record_idx on holdfast.comments (table_name, record_id);
create index comments_area_idx on holdfast.comments (area);
create index comments_parent_id_idx on holdfast.comments (parent_id);
create index comments_author_id_idx on holdfast.comments (author_id);

comment on table holdfast.comments is 'Comments. What people say about a record.';
comment on column holdfast.comments.table_name is 'Table. The table of the record, by its name on the device.';
comment on column holdfast.comments.record_id is 'Record.';
comment on column holdfast.comments.area is 'Area. The area of the record; its teams read the comment. Filled in by the database.';
comment on column holdfast.comments.parent_id is 'Reply to. The comment that this one answers; answers have no answers.';
comment on column holdfast.comments.body is 'Text. 1 to 10,000 characters.';
comment on column holdfast.comments.author_id is 'Author. Taken from the sign-in.';
comment on column holdfast.comments.edited_at is 'Edited at. Filled in when the text changes.';
comment on column holdfast.comments.resolved_at is 'Resolved at.';
comment on column holdfast.comments.deleted_at is 'Deleted at. The thread stays, the text is not shown.';
comment on constraint comments_table_name on holdfast.comments is 'A comment names the table of its record.';
comment on constraint comments_body_length on holdfast.comments is 'A comment has 1 to 10,000 characters.';

create function holdfast.guard_comment() returns trigger
  language plpgsql security definer set search_path = '' as $$
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
    end if;
    if new.body <> old.body then
      new.edited_at := now();
    end if;
    return new;
  end if;
  new.author_id := coalesce(auth.uid(), new.author_id);
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
comment on function holdfast.guard_comment() is 'Takes the author from the token and keeps threads in one piece.';

create trigger guard before insert or update on holdfast.comments for each row execute function holdfast.guard_comment();
create trigger touch before update on holdfast.comments for each row execute function holdfast.touch();

alter table holdfast.comments enable row level security;
-- No delete: a deleted comment keeps its place in the thread.
grant select, insert, update on holdfast.comments to authenticated;
grant all on holdfast.comments to service_role;

create policy teams_read on holdfast.comments for select to authenticated
  using (area in (select holdfast.my_areas()));
create policy teams_write on holdfast.comments for insert to authenticated
  with check (author_id = (select auth.uid()) and area in (select holdfast.my_areas()));
create policy authors_edit on holdfast.comments for update to authenticated
  using (author_id = (select auth.uid())) with check (author_id = (select auth.uid()));
