-- People: workspaces, their members with roles, invitations, and what is shared with guests. Members and invitations are ordinary rows that sync; they are changed
-- by the functions below only, which check who asks. What a role means for a table of the project is said by the policies of that table.

-- From the least to the most: roles are compared.
create type holdfast.workspace_role as enum ('guest', 'viewer', 'commenter', 'editor', 'admin', 'owner');

create table holdfast.workspaces (
  id uuid primary key default gen_random_uuid(),
  name text not null constraint workspaces_name_length check (length(btrim(name)) between 1 and 80),
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

create table holdfast.members (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references holdfast.workspaces (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  role holdfast.workspace_role not null,
  name text not null constraint members_name_length check (length(btrim(name)) between 1 and 120),
  status text not null default 'active' constraint members_status check (status in ('active', 'deactivated')),
  expires_at timestamptz constraint members_expiring_guest check (expires_at is null or role = 'guest'),
  -- The teams that a deactivated member gets back: [{"team_id", "function"}].
  kept_teams jsonb not null default '[]',
  invited_by uuid references auth.users (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint members_once unique (workspace_id, user_id)
);
create index members_user_id_idx on holdfast.members (user_id);
create index members_invited_by_idx on holdfast.members (invited_by);

alter table holdfast.teams add column workspace_id uuid references holdfast.workspaces (id) on delete cascade;
create index teams_workspace_id_idx on holdfast.teams (workspace_id);

create table holdfast.invitations (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references holdfast.workspaces (id) on delete cascade,
  email text not null constraint invitations_email_form check (email = lower(email) and length(email) <= 254 and email ~ '^[^@\s<>",;]+@[^@\s<>",;]+$'),
  role holdfast.workspace_role not null,
  team_id uuid references holdfast.teams (id) on delete set null,
  message text constraint invitations_message_length check (length(btrim(message)) between 1 and 500),
  state text not null default 'pending' constraint invitations_state check (state in ('pending', 'accepted', 'declined', 'revoked')),
  expires_at timestamptz not null,
  access_until timestamptz constraint invitations_expiring_guest check (access_until is null or role = 'guest'),
  mail text not null default 'waiting' constraint invitations_mail check (mail in ('waiting', 'sent', 'failed')),
  send_count integer not null default 1,
  last_sent_at timestamptz,
  invited_by uuid references auth.users (id) on delete set null,
  accepted_by uuid references auth.users (id) on delete set null,
  answered_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint invitations_team_of_member check (team_id is null or role <> 'guest')
);
create unique index invitations_one_pending on holdfast.invitations (workspace_id, email) where state = 'pending';
create index invitations_team_id_idx on holdfast.invitations (team_id);
create index invitations_invited_by_idx on holdfast.invitations (invited_by);
create index invitations_accepted_by_idx on holdfast.invitations (accepted_by);

create table holdfast.shares (
  id uuid primary key default gen_random_uuid(),
  workspace_id uuid not null references holdfast.workspaces (id) on delete cascade,
  user_id uuid not null references auth.users (id) on delete cascade,
  table_name text not null constraint shares_table_name check (length(table_name) between 1 and 63),
  record_id uuid not null,
  may_change boolean not null default false,
  created_by uuid,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  constraint shares_once unique (workspace_id, user_id, table_name, record_id)
);
create index shares_user_id_idx on holdfast.shares (user_id);

-- What only the server and the functions below read: the secrets of invitations, as hashes; mails to be sent, and for two days those that were; wrong guesses.

create table holdfast.invitation_secrets (
  invitation_id uuid primary key references holdfast.invitations (id) on delete cascade,
  hash bytea not null constraint invitation_secrets_hash unique check (octet_length(hash) = 32)
);
create table holdfast.invitation_mails (
  id bigint generated always as identity primary key,
  invitation_id uuid references holdfast.invitations (id) on delete set null,
  email text not null,
  sent_by uuid,
  attempts integer not null default 0,
  due_at timestamptz default now(),
  created_at timestamptz not null default now()
);
create index invitation_mails_due_at_idx on holdfast.invitation_mails (due_at) where due_at is not null;
create index invitation_mails_email_idx on holdfast.invitation_mails (email, created_at);
create index invitation_mails_sent_by_idx on holdfast.invitation_mails (sent_by, created_at);
create index invitation_mails_invitation_id_idx on holdfast.invitation_mails (invitation_id);
create table holdfast.invitation_guesses (
  user_id uuid primary key references auth.users (id) on delete cascade,
  since timestamptz not null default now(),
  wrong integer not null default 0
);

comment on type holdfast.workspace_role is 'What a member may do, from the least to the most.';
comment on table holdfast.workspaces is 'Workspaces. A group of people who work on the same things.';
comment on column holdfast.workspaces.name is 'Name. 1 to 80 characters.';
comment on constraint workspaces_name_length on holdfast.workspaces is 'A workspace''s name has 1 to 80 characters.';
comment on table holdfast.members is 'Members. Who belongs to a workspace, and as what.';
comment on column holdfast.members.workspace_id is 'Workspace.';
comment on column holdfast.members.user_id is 'Account.';
comment on column holdfast.members.role is 'Role. Owners and admins invite; editors change records; commenters comment; viewers read; guests read what is shared with them.';
comment on column holdfast.members.name is 'Name. Follows the name of the account.';
comment on column holdfast.members.status is 'Status. A deactivated member has no access and keeps their place.';
comment on column holdfast.members.expires_at is 'Access until. Of a guest; empty: until they are removed.';
comment on column holdfast.members.kept_teams is 'Kept teams. What a deactivated member gets back.';
comment on column holdfast.members.invited_by is 'Invited by.';
comment on constraint members_expiring_guest on holdfast.members is 'Only the access of a guest ends by itself.';
comment on constraint members_once on holdfast.members is 'A person is a member of a workspace once.';
comment on column holdfast.teams.workspace_id is 'Workspace. Its admins manage the team; empty: only operators do.';
comment on table holdfast.invitations is 'Invitations. Who was asked to join a workspace, by whom, and what came of it.';
comment on column holdfast.invitations.email is 'E-mail. Only a person with this address accepts.';
comment on column holdfast.invitations.state is 'State. A pending invitation whose time is over has expired.';
comment on column holdfast.invitations.access_until is 'Access until. When the access of a guest ends.';
comment on column holdfast.invitations.mail is 'Mail. Whether the mail has left.';
comment on constraint invitations_email_form on holdfast.invitations is 'Enter an e-mail address like name@example.com.';
comment on constraint invitations_message_length on holdfast.invitations is 'A message has 1 to 500 characters.';
comment on constraint invitations_expiring_guest on holdfast.invitations is 'Only the access of a guest ends by itself.';
comment on constraint invitations_team_of_member on holdfast.invitations is 'A guest is in no team.';
comment on table holdfast.shares is 'Shares. Single records that a guest may read, or change.';
comment on column holdfast.shares.user_id is 'Guest.';
comment on column holdfast.shares.table_name is 'Table. By its name on the device.';
comment on column holdfast.shares.record_id is 'Record.';
comment on column holdfast.shares.may_change is 'May change. Where a policy of the table allows it.';
comment on constraint shares_once on holdfast.shares is 'A record is shared with a person once.';
comment on table holdfast.invitation_secrets is 'The secrets in the links of invitations, hashed (SHA-256). Nobody reads them but the server.';
comment on table holdfast.invitation_mails is 'Mails of invitations: what waits, and what was sent in the last two days. Nobody reads it but the server.';
comment on table holdfast.invitation_guesses is 'How often a person tried secrets of invitations that do not exist. Nobody reads it but the server.';

alter table holdfast.workspaces enable row level security;
alter table holdfast.members enable row level security;
alter table holdfast.invitations enable row level security;
alter table holdfast.shares enable row level security;
alter table holdfast.invitation_secrets enable row level security;
alter table holdfast.invitation_mails enable row level security;
alter table holdfast.invitation_guesses enable row level security;
revoke all on holdfast.invitation_secrets, holdfast.invitation_mails, holdfast.invitation_guesses from public, anon, authenticated, service_role;
revoke all on holdfast.workspaces, holdfast.members, holdfast.invitations, holdfast.shares from anon, authenticated;
grant select on holdfast.workspaces, holdfast.members, holdfast.invitations to authenticated;
grant update (name) on holdfast.workspaces to authenticated;
grant select, insert, delete on holdfast.shares to authenticated;
grant update (may_change) on holdfast.shares to authenticated;
grant all on holdfast.workspaces, holdfast.members, holdfast.invitations, holdfast.shares to service_role;

-- What policies ask about the caller. The condition on the claims stands in each: so the compiler of policies sees whom a change of members concerns.

create function holdfast.my_workspace_ids() returns setof uuid
  language sql stable security definer set search_path = '' as $$
  select m.workspace_id from holdfast.members m
   where m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
$$;
create function holdfast.my_member_workspace_ids() returns setof uuid
  language sql stable security definer set search_path = '' as $$
  select m.workspace_id from holdfast.members m
   where m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end and m.status = 'active' and m.role <> 'guest'
$$;
create function holdfast.my_administered_workspace_ids() returns setof uuid
  language sql stable security definer set search_path = '' as $$
  select m.workspace_id from holdfast.members m
   where m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end and m.status = 'active' and m.role in ('admin', 'owner')
$$;
create function holdfast.has_role(least_role holdfast.workspace_role) returns boolean
  language sql stable security definer set search_path = '' as $$
  select exists (
    select 1 from holdfast.members m
     where m.user_id = case
             when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
           end and m.status = 'active' and m.role >= has_role.least_role and (m.expires_at is null or m.expires_at > now()))
$$;
create function holdfast.role_in(workspace_id uuid) returns holdfast.workspace_role
  language sql stable security definer set search_path = '' as $$
  select m.role from holdfast.members m
   where m.workspace_id = role_in.workspace_id and m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
$$;
create function holdfast.shared_record_ids(of_table text) returns setof uuid
  language sql stable security definer set search_path = '' as $$
  select s.record_id from holdfast.shares s
    join holdfast.members m on m.workspace_id = s.workspace_id and m.user_id = s.user_id
   where s.table_name = shared_record_ids.of_table and s.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
$$;
create function holdfast.changeable_record_ids(of_table text) returns setof uuid
  language sql stable security definer set search_path = '' as $$
  select s.record_id from holdfast.shares s
    join holdfast.members m on m.workspace_id = s.workspace_id and m.user_id = s.user_id
   where s.table_name = changeable_record_ids.of_table and s.may_change and s.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
$$;
comment on function holdfast.my_workspace_ids() is 'The workspaces that the caller has access to, as a guest too.';
comment on function holdfast.my_member_workspace_ids() is 'The workspaces that the caller is a member of; not those of a guest.';
comment on function holdfast.my_administered_workspace_ids() is 'The workspaces that the caller owns or administers.';
comment on function holdfast.has_role(holdfast.workspace_role) is 'Whether the caller has this role or a higher one in any workspace.';
comment on function holdfast.role_in(uuid) is 'The role of the caller in a workspace; null without access.';
comment on function holdfast.shared_record_ids(text) is 'The records of a table that are shared with the caller.';
comment on function holdfast.changeable_record_ids(text) is 'The records of a table that are shared with the caller to be changed.';

-- Rules that hold whoever writes.

-- What a person is called: the name of the account, else what stands before the @.
create function holdfast.name_of_account(metadata jsonb, email text) returns text
  language sql immutable set search_path = '' as $$
  select left(coalesce(
    nullif(btrim(regexp_replace(metadata ->> 'name', '[[:cntrl:]]', ' ', 'g')), ''),
    nullif(btrim(regexp_replace(metadata ->> 'full_name', '[[:cntrl:]]', ' ', 'g')), ''),
    nullif(split_part(email, '@', 1), ''), '?'), 120)
$$;
comment on function holdfast.name_of_account(jsonb, text) is 'What a person is called: the name of the account, else the first part of the address.';

create function holdfast.follow_account_name() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  called constant text := holdfast.name_of_account(new.raw_user_meta_data, new.email);
begin
  update holdfast.members m set name = called where m.user_id = new.id and m.name <> called;
  return null;
end
$$;
comment on function holdfast.follow_account_name() is 'Members are called as their accounts are.';
create trigger holdfast_member_name after update of raw_user_meta_data on auth.users for each row
  when (old.raw_user_meta_data is distinct from new.raw_user_meta_data) execute function holdfast.follow_account_name();

create function holdfast.guard_member() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_op = 'UPDATE' and (new.workspace_id, new.user_id) is distinct from (old.workspace_id, old.user_id) then
    raise exception 'A member stays with their workspace and their account.' using hint = 'member.moved';
  end if;
  if tg_op <> 'INSERT' and old.role = 'owner' and old.status = 'active'
     and (tg_op = 'DELETE' or new.role <> 'owner' or new.status <> 'active') then
    -- Two owners who leave at the same time come one after the other. An account or a workspace that is deleted takes its members along.
    perform from holdfast.workspaces w where w.id = old.workspace_id for no key update;
    if found and exists (select from auth.users u where u.id = old.user_id)
       and not exists (select from holdfast.members m
                        where m.workspace_id = old.workspace_id and m.role = 'owner' and m.status = 'active' and m.id <> old.id) then
      raise exception 'A workspace keeps at least one owner. Make somebody else an owner first.' using hint = 'member.last_owner';
    end if;
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  if new.role <> 'guest' then
    new.expires_at := null;
  end if;
  if tg_op = 'UPDATE' and old.status = 'active' and new.status = 'deactivated' then
    new.kept_teams := coalesce((
      select jsonb_agg(jsonb_build_object('team_id', t.team_id, 'function', t.function))
        from holdfast.team_members t join holdfast.teams team on team.id = t.team_id
       where t.user_id = old.user_id and team.workspace_id = old.workspace_id), '[]');
  end if;
  return new;
end
$$;
comment on function holdfast.guard_member() is 'A workspace keeps an owner; a deactivated member keeps their teams for later.';
create trigger guard before insert or update or delete on holdfast.members for each row execute function holdfast.guard_member();
create trigger touch before update on holdfast.members for each row execute function holdfast.touch();
create trigger touch before update on holdfast.workspaces for each row execute function holdfast.touch();
create trigger touch before update on holdfast.invitations for each row execute function holdfast.touch();
create trigger touch before update on holdfast.shares for each row execute function holdfast.touch();
create trigger set_created_by before insert or update on holdfast.shares for each row execute function holdfast.set_created_by();

-- Whoever loses access leaves the teams, and what they may no longer give is no longer offered in their name.
create function holdfast.follow_member() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  gone constant boolean := tg_op = 'DELETE' or new.status <> 'active';
begin
  if gone or new.role = 'guest' then
    delete from holdfast.team_members t using holdfast.teams team
     where team.id = t.team_id and team.workspace_id = old.workspace_id and t.user_id = old.user_id;
  elsif old.status <> 'active' then
    insert into holdfast.team_members (team_id, user_id, function)
    select team.id, new.user_id, (kept.one ->> 'function')::holdfast.team_function
      from jsonb_array_elements(new.kept_teams) kept (one)
      join holdfast.teams team on team.id = (kept.one ->> 'team_id')::uuid and team.workspace_id = new.workspace_id
    on conflict do nothing;
  end if;
  if tg_op = 'DELETE' then
    delete from holdfast.shares s where s.workspace_id = old.workspace_id and s.user_id = old.user_id;
  end if;
  update holdfast.invitations i set state = 'revoked', answered_at = now()
   where i.workspace_id = old.workspace_id and i.invited_by = old.user_id and i.state = 'pending'
     and (gone or new.role not in ('admin', 'owner') or i.role > new.role);
  return null;
end
$$;
comment on function holdfast.follow_member() is 'Takes teams, shares and invitations of a member along when their access or role changes.';
create trigger follow after update of role, status or delete on holdfast.members for each row execute function holdfast.follow_member();

-- Policies of a project read areas without asking for the workspace: an admin does not give a team an area that their workspace has nothing of.
create function holdfast.guard_team() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
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
comment on function holdfast.guard_team() is 'A team stays in its workspace and within its areas.';
create trigger guard before insert or update on holdfast.teams for each row
  when (new.workspace_id is not null) execute function holdfast.guard_team();

create function holdfast.guard_team_member() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  workspace constant uuid := (select t.workspace_id from holdfast.teams t where t.id = new.team_id);
begin
  if workspace is not null and not exists (
    select from holdfast.members m
     where m.workspace_id = workspace and m.user_id = new.user_id and m.status = 'active' and m.role <> 'guest') then
    raise exception 'A team has active members of its workspace, and no guests.' using hint = 'team.not_a_member';
  end if;
  return new;
end
$$;
comment on function holdfast.guard_team_member() is 'In a team of a workspace are its members.';
create trigger guard before insert or update of team_id, user_id on holdfast.team_members for each row execute function holdfast.guard_team_member();

create function holdfast.guard_share() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select from holdfast.members m where m.workspace_id = new.workspace_id and m.user_id = new.user_id and m.role = 'guest') then
    raise exception 'Records are shared with guests of the workspace.' using hint = 'share.not_a_guest';
  end if;
  if (select count(*) from holdfast.shares s where s.workspace_id = new.workspace_id and s.user_id = new.user_id) >= 1000 then
    raise exception 'A guest has 1,000 shared records at most.' using hint = 'share.limit';
  end if;
  return new;
end
$$;
comment on function holdfast.guard_share() is 'Records are shared with guests, and not without end.';
create trigger guard before insert on holdfast.shares for each row execute function holdfast.guard_share();

-- As with the other tables of the project: all of it belongs to the role that the project acts as, where there is one.
do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  execute format('alter type holdfast.workspace_role owner to %I', project);
  for one in
    select unnest(array['workspaces', 'members', 'invitations', 'shares', 'invitation_secrets', 'invitation_mails', 'invitation_guesses']) as name
  loop
    execute format('alter table holdfast.%I owner to %I', one.name, project);
  end loop;
  for one in
    select p.oid::pg_catalog.regprocedure as function from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('my_workspace_ids', 'my_member_workspace_ids', 'my_administered_workspace_ids', 'has_role', 'role_in', 'shared_record_ids',
                         'changeable_record_ids', 'name_of_account', 'follow_account_name', 'guard_member', 'follow_member', 'guard_team', 'guard_team_member',
                         'guard_share')
  loop
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
  execute format('set local role %I', project);
end
$$;

create policy people_read on holdfast.workspaces for select to authenticated
  using (id in (select holdfast.my_workspace_ids()));
create policy admins_rename on holdfast.workspaces for update to authenticated
  using (id in (select holdfast.my_administered_workspace_ids())) with check (id in (select holdfast.my_administered_workspace_ids()));
create policy members_read on holdfast.members for select to authenticated
  using (workspace_id in (select holdfast.my_member_workspace_ids()));
create policy self_read on holdfast.members for select to authenticated
  using (user_id = (select holdfast.user_id()));
create policy admins_read on holdfast.invitations for select to authenticated
  using (workspace_id in (select holdfast.my_administered_workspace_ids()));
create policy guests_read on holdfast.shares for select to authenticated
  using (user_id = (select holdfast.user_id()));
create policy admins_manage on holdfast.shares for all to authenticated
  using (workspace_id in (select holdfast.my_administered_workspace_ids()))
  with check (workspace_id in (select holdfast.my_administered_workspace_ids()));
create policy workspace_reads on holdfast.teams for select to authenticated
  using (workspace_id in (select holdfast.my_member_workspace_ids()));
create policy admins_manage on holdfast.teams for all to authenticated
  using (workspace_id in (select holdfast.my_administered_workspace_ids()))
  with check (workspace_id in (select holdfast.my_administered_workspace_ids()));
create policy workspace_reads on holdfast.team_members for select to authenticated
  using (team_id in (select t.id from holdfast.teams t where t.workspace_id in (select holdfast.my_member_workspace_ids())));
create policy admins_manage on holdfast.team_members for all to authenticated
  using (team_id in (select t.id from holdfast.teams t where t.workspace_id in (select holdfast.my_administered_workspace_ids())))
  with check (team_id in (select t.id from holdfast.teams t where t.workspace_id in (select holdfast.my_administered_workspace_ids())));
comment on policy admins_manage on holdfast.shares is 'Owners and admins of the workspace share records with guests.';
comment on policy admins_manage on holdfast.teams is 'Owners and admins of the workspace manage its teams.';
comment on policy admins_manage on holdfast.team_members is 'Owners and admins of the workspace say who is in a team.';

reset role;
