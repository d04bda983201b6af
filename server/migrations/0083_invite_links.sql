-- Links that invite anybody who has them: shown as a QR code on site, or sent in a chat. Their secrets are stored as hashes; the app shows a link once.

create table holdfast.invite_links (
  id uuid constraint holdfast_invite_links_pkey primary key default gen_random_uuid(),
  workspace_id uuid not null constraint holdfast_invite_links_workspace references holdfast.workspaces (id) on delete cascade,
  role holdfast.workspace_role not null constraint holdfast_invite_links_role check (role in ('viewer', 'commenter', 'editor')),
  team_id uuid constraint holdfast_invite_links_team references holdfast.teams (id) on delete set null,
  uses integer not null default 0,
  uses_max integer not null constraint holdfast_invite_links_uses check (uses between 0 and uses_max),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  created_by uuid constraint holdfast_invite_links_creator references auth.users (id) on delete set null,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index holdfast_invite_links_workspace_id_idx on holdfast.invite_links (workspace_id);
create index holdfast_invite_links_team_id_idx on holdfast.invite_links (team_id);
create index holdfast_invite_links_created_by_idx on holdfast.invite_links (created_by);

create table holdfast.invite_link_secrets (
  link_id uuid constraint holdfast_invite_link_secrets_pkey primary key constraint holdfast_invite_link_secrets_link references holdfast.invite_links (id) on delete cascade,
  hash bytea not null constraint holdfast_invite_link_secrets_hash unique
);

comment on table holdfast.invite_links is 'Invite links. Whoever has the link may join the workspace.';
comment on column holdfast.invite_links.uses is 'Uses. Users who joined with the link or asked for a mail with it.';
comment on column holdfast.invite_links.revoked_at is 'Revoked at. When the link stopped working before its time.';
comment on table holdfast.invite_link_secrets is 'The secrets of invite links, hashed (SHA-256). Only the server reads them.';

alter table holdfast.invite_links enable row level security;
alter table holdfast.invite_link_secrets enable row level security;
revoke all on holdfast.invite_links, holdfast.invite_link_secrets from anon, authenticated;
grant select on holdfast.invite_links to authenticated;
grant all on holdfast.invite_links to service_role;
create trigger touch before update on holdfast.invite_links for each row execute function holdfast.touch();

-- Mails that were captured because the server has no mail server were not sent.
alter table holdfast.invitations
  drop constraint holdfast_invitations_mail,
  add constraint holdfast_invitations_mail check (mail in ('waiting', 'sent', 'failed', 'captured'));

create or replace function holdfast.people_limit(name text) returns integer
  language sql immutable set search_path = pg_catalog, pg_temp as $$
  select case name
    when 'addresses in a call' then 50
    when 'pending in a workspace' then 100
    when 'mails of an invitation' then 5
    when 'mails of a person in an hour' then 50
    when 'mails to an address in a day' then 5
    when 'wrong secrets in an hour' then 20
    when 'members' then 2000
    when 'workspaces of a person' then 50
    when 'days of an invitation' then 7
    when 'invite links' then 20
    when 'days of an invite link' then 30
    when 'uses of an invite link' then 500
  end
$$;

create function holdfast.create_invite_link(
    workspace uuid, as_role holdfast.workspace_role, team uuid default null, days integer default 7, uses integer default 50)
  returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  mine constant holdfast.workspace_role := holdfast.require_admin(workspace);
  -- Two random UUIDs are 244 random bits.
  secret constant text := rtrim(translate(encode(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 'base64'), '+/', '-_'), '=');
  made uuid;
begin
  if as_role not in ('viewer', 'commenter', 'editor') or as_role > mine then
    raise exception 'A link can make users viewers, commenters or editors. Invite others by e-mail.' using hint = 'invite_link.role';
  end if;
  if team is not null and not exists (select from holdfast.teams t where t.id = team and t.workspace_id = workspace) then
    raise exception 'The workspace has no such team.' using hint = 'invitation.team';
  end if;
  if days not between 1 and holdfast.people_limit('days of an invite link') or uses not between 1 and holdfast.people_limit('uses of an invite link') then
    raise exception 'A link works for 1 to 30 days and 1 to 500 users.' using hint = 'invite_link.bounds';
  end if;
  perform from holdfast.workspaces w where w.id = workspace for no key update;
  if (select count(*) from holdfast.invite_links l
       where l.workspace_id = workspace and l.revoked_at is null and l.expires_at > now() and l.uses < l.uses_max) >= holdfast.people_limit('invite links') then
    raise exception 'The workspace has 20 links that work. Revoke one first.' using hint = 'invite_link.limit';
  end if;
  delete from holdfast.invite_links l where l.workspace_id = workspace and coalesce(l.revoked_at, l.expires_at) < now() - interval '90 days';
  insert into holdfast.invite_links (workspace_id, role, team_id, uses_max, expires_at, created_by)
  values (workspace, as_role, team, create_invite_link.uses, now() + make_interval(days => days), holdfast.user_id())
  returning id into made;
  insert into holdfast.invite_link_secrets (link_id, hash) values (made, sha256(convert_to(secret, 'UTF8')));
  return jsonb_build_object('id', made, 'secret', secret);
end
$$;
comment on function holdfast.create_invite_link(uuid, holdfast.workspace_role, uuid, integer, integer) is
  'Creates a link with which anybody can join. Returns its id and secret; the secret cannot be read again.';

create function holdfast.revoke_invite_link(link uuid) returns void
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update holdfast.invite_links l set revoked_at = now()
   where l.id = link and l.revoked_at is null and l.workspace_id in (select holdfast.my_administered_workspace_ids());
  if not found then
    raise exception 'There is no such link.' using errcode = 'insufficient_privilege', hint = 'invite_link.not_found';
  end if;
end
$$;
comment on function holdfast.revoke_invite_link(uuid) is 'Ends an invite link. Members who joined with it stay.';

create function holdfast.find_invite_link(secret text) returns holdfast.invite_links
  language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select l from holdfast.invite_link_secrets s join holdfast.invite_links l on l.id = s.link_id
   where length(find_invite_link.secret) = 43 and s.hash = sha256(convert_to(find_invite_link.secret, 'UTF8'))
$$;
comment on function holdfast.find_invite_link(text) is 'The invite link that a secret belongs to.';

create function holdfast.invite_link_state(link holdfast.invite_links) returns text
  language sql stable set search_path = pg_catalog, pg_temp as $$
  select case when link.id is null then 'not_found'
              when link.revoked_at is not null then 'revoked'
              when link.expires_at <= now() then 'expired'
              when link.uses >= link.uses_max then 'used_up'
              else 'pending' end
$$;
comment on function holdfast.invite_link_state(holdfast.invite_links) is 'Whether a link works: pending; or why not: not_found, revoked, expired, used_up.';

create or replace function holdfast.peek_invitation(secret text) returns jsonb
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  one constant holdfast.invitations := holdfast.find_invitation(secret);
  link constant holdfast.invite_links := holdfast.find_invite_link(secret);
  now_state constant text := case when one.id is null then holdfast.invite_link_state(link)
                                  when one.state = 'pending' and one.expires_at <= now() then 'expired' else one.state end;
begin
  if now_state = 'not_found' then
    return jsonb_build_object('state', 'not_found');
  end if;
  return jsonb_build_object(
    'state', now_state,
    'workspace', (select w.name from holdfast.workspaces w where w.id = coalesce(one.workspace_id, link.workspace_id)),
    'inviter', (select m.name from holdfast.members m
                 where m.workspace_id = coalesce(one.workspace_id, link.workspace_id) and m.user_id = coalesce(one.invited_by, link.created_by)),
    'email', one.email, 'is_link', one.id is null)
    || case when now_state = 'pending' then jsonb_build_object(
      'role', coalesce(one.role, link.role), 'message', one.message, 'expires_at', coalesce(one.expires_at, link.expires_at), 'access_until', one.access_until,
      'team', (select t.name from holdfast.teams t where t.id = coalesce(one.team_id, link.team_id)),
      'has_account', one.id is not null and exists (select from auth.users u where lower(u.email) = one.email)) else '{}' end;
end
$$;
comment on function holdfast.peek_invitation(text) is 'The invitation or invite link behind a secret, for anyone who has it.';

-- Makes a user a member. A member keeps a higher role; one whose access has ended starts again.
create function holdfast.join_workspace(
    workspace uuid, account auth.users, as_role holdfast.workspace_role, team uuid, access_until timestamptz, inviter uuid) returns uuid
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  member uuid;
begin
  insert into holdfast.members as m (workspace_id, user_id, role, name, expires_at, invited_by)
  values (workspace, account.id, as_role, holdfast.name_of_account(account.raw_user_meta_data, account.email), access_until, inviter)
  on conflict (workspace_id, user_id) do update
     set role = case when m.status = 'active' then greatest(m.role, excluded.role) else excluded.role end,
         expires_at = case when m.status = 'active' and m.role > excluded.role then null else excluded.expires_at end,
         status = 'active', invited_by = excluded.invited_by
  returning id into member;
  if team is not null then
    insert into holdfast.team_members (team_id, user_id) values (team, account.id) on conflict do nothing;
  end if;
  return member;
end
$$;
comment on function holdfast.join_workspace(uuid, auth.users, holdfast.workspace_role, uuid, timestamptz, uuid) is 'Makes a user a member, or raises their role.';

create function holdfast.answer_invite_link(link uuid, account auth.users, accepts boolean) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  one holdfast.invite_links;
  state text;
begin
  select * into one from holdfast.invite_links l where l.id = link for update;
  state := holdfast.invite_link_state(one);
  if not accepts then
    return jsonb_build_object('outcome', 'declined');
  elsif account.is_anonymous or account.email is null then
    return jsonb_build_object('outcome', 'wrong_account');
  elsif account.email_confirmed_at is null then
    return jsonb_build_object('outcome', 'unconfirmed');
  elsif exists (select from holdfast.members m where m.workspace_id = one.workspace_id and m.user_id = account.id and m.status = 'active'
                   and (m.expires_at is null or m.expires_at > now()) and m.role >= one.role) then
    return jsonb_build_object('outcome', 'accepted');
  elsif state <> 'pending' then
    return jsonb_build_object('outcome', case state when 'used_up' then 'used' else state end);
  -- A link must not undo the decision of an admin about one user.
  elsif exists (select from holdfast.members m where m.workspace_id = one.workspace_id and m.user_id = account.id and m.status <> 'active') then
    return jsonb_build_object('outcome', 'revoked');
  elsif (select count(*) from holdfast.members m where m.user_id = account.id) >= holdfast.people_limit('workspaces of a person')
     or (select count(*) from holdfast.members m where m.workspace_id = one.workspace_id) >= holdfast.people_limit('members') then
    return jsonb_build_object('outcome', 'full');
  end if;
  update holdfast.invite_links l set uses = l.uses + 1 where l.id = one.id;
  return jsonb_build_object('outcome', 'accepted',
    'member', holdfast.join_workspace(one.workspace_id, account, one.role, one.team_id, null, one.created_by));
end
$$;
comment on function holdfast.answer_invite_link(uuid, auth.users, boolean) is 'Joins a workspace with an invite link.';

create or replace function holdfast.answer_invitation(secret text, accepts boolean) returns jsonb
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  me constant uuid := holdfast.user_id();
  account auth.users;
  guesses holdfast.invitation_guesses;
  one holdfast.invitations;
  link constant uuid := (holdfast.find_invite_link(secret)).id;
begin
  select * into account from auth.users u where u.id = me;
  if account.id is null then
    raise exception 'Sign in to answer an invitation.' using errcode = 'insufficient_privilege', hint = 'invitation.account';
  end if;
  insert into holdfast.invitation_guesses as g (user_id) values (me)
  on conflict (user_id) do update
     set wrong = case when g.since < now() - interval '1 hour' then 0 else g.wrong end,
         since = case when g.since < now() - interval '1 hour' then now() else g.since end
  returning * into guesses;
  if guesses.wrong >= holdfast.people_limit('wrong secrets in an hour') then
    return jsonb_build_object('outcome', 'too_many');
  end if;
  if link is not null then
    return holdfast.answer_invite_link(link, account, accepts);
  end if;
  one := holdfast.find_invitation(secret);
  if one.id is null then
    update holdfast.invitation_guesses g set wrong = g.wrong + 1 where g.user_id = me;
    return jsonb_build_object('outcome', 'not_found');
  end if;
  select * into one from holdfast.invitations i where i.id = one.id for update;
  if lower(account.email) is distinct from one.email or account.is_anonymous then
    return jsonb_build_object('outcome', 'wrong_account');
  end if;
  if account.email_confirmed_at is null then
    return jsonb_build_object('outcome', 'unconfirmed');
  end if;
  if one.state = 'accepted' and one.accepted_by = me then
    return jsonb_build_object('outcome', case when exists (
      select from holdfast.members m where m.workspace_id = one.workspace_id and m.user_id = me and m.status = 'active') then 'accepted' else 'used' end);
  end if;
  if one.state <> 'pending' then
    return jsonb_build_object('outcome', case one.state when 'accepted' then 'used' else one.state end);
  end if;
  if one.expires_at <= now() then
    return jsonb_build_object('outcome', 'expired');
  end if;
  if not accepts then
    update holdfast.invitations i set state = 'declined', answered_at = now() where i.id = one.id;
    return jsonb_build_object('outcome', 'declined');
  end if;
  if (select count(*) from holdfast.members m where m.user_id = me) >= holdfast.people_limit('workspaces of a person') then
    return jsonb_build_object('outcome', 'full');
  end if;
  update holdfast.invitations i set state = 'accepted', accepted_by = me, answered_at = now() where i.id = one.id;
  return jsonb_build_object('outcome', 'accepted',
    'member', holdfast.join_workspace(one.workspace_id, account, one.role, one.team_id, one.access_until, one.invited_by));
end
$$;

-- The link of a server with a mail server asks for an address, and the mail to it is a personal invitation: it proves the address.
create function holdfast.request_invitation(secret text, recipient text) returns text
  language plpgsql security definer set search_path = pg_catalog, pg_temp set standard_conforming_strings = on as $$
declare
  address constant text := lower(btrim(recipient));
  link holdfast.invite_links := holdfast.find_invite_link(secret);
  invitation uuid;
begin
  select * into link from holdfast.invite_links l where l.id = link.id for update;
  if holdfast.invite_link_state(link) <> 'pending' then
    return holdfast.invite_link_state(link);
  elsif address !~ '^[^@\s<>",;]+@[^@\s<>",;]+$' or length(address) > 254 then
    return 'not_an_address';
  elsif (select count(*) from holdfast.invitations i where i.workspace_id = link.workspace_id and i.state = 'pending' and i.expires_at > now())
        >= holdfast.people_limit('pending in a workspace') then
    return 'full';
  elsif (select count(*) from holdfast.invitation_mails m where m.email = address and m.created_at > now() - interval '1 day')
        >= holdfast.people_limit('mails to an address in a day')
     or (select count(*) from holdfast.invitation_mails m where m.sent_by = link.created_by and m.created_at > now() - interval '1 hour')
        >= holdfast.people_limit('mails of a person in an hour') then
    return 'too_many';
  end if;
  update holdfast.invitations i set state = 'revoked', answered_at = now()
   where i.workspace_id = link.workspace_id and i.email = address and i.state = 'pending' and i.expires_at <= now();
  select i.id into invitation from holdfast.invitations i where i.workspace_id = link.workspace_id and i.email = address and i.state = 'pending';
  if invitation is null then
    update holdfast.invite_links l set uses = l.uses + 1 where l.id = link.id;
    insert into holdfast.invitations (workspace_id, email, role, team_id, expires_at, invited_by)
    values (link.workspace_id, address, link.role, link.team_id, now() + make_interval(days => holdfast.people_limit('days of an invitation')), link.created_by)
    returning id into invitation;
  end if;
  insert into holdfast.invitation_mails (invitation_id, email, sent_by) values (invitation, address, link.created_by);
  perform pg_catalog.pg_notify('holdfast_invitations', '');
  return 'invited';
end
$$;
comment on function holdfast.request_invitation(text, text) is
  'Invites an address by mail for the holder of an invite link. Outcomes: invited, not_an_address, full, too_many, revoked, expired, used_up, not_found.';

-- Links go with the right to invite of the member who created them.
create function holdfast.end_invite_links() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update holdfast.invite_links l set revoked_at = now()
   where l.workspace_id = old.workspace_id and l.created_by = old.user_id and l.revoked_at is null
     and (tg_op = 'DELETE' or new.status <> 'active' or new.role < 'admin');
  return null;
end
$$;
comment on function holdfast.end_invite_links() is 'Revokes the invite links of a member who may no longer invite.';
create trigger end_invite_links after update of role, status or delete on holdfast.members for each row execute function holdfast.end_invite_links();

do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  execute format('alter table holdfast.invite_links owner to %I', project);
  execute format('alter table holdfast.invite_link_secrets owner to %I', project);
  for one in
    select p.oid::pg_catalog.regprocedure as function, p.proname as name from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('create_invite_link', 'revoke_invite_link', 'find_invite_link', 'invite_link_state', 'join_workspace', 'answer_invite_link',
                         'request_invitation', 'end_invite_links')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('create_invite_link', 'revoke_invite_link') then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
  execute format('set local role %I', project);
end
$$;

create policy admins_read on holdfast.invite_links for select to authenticated
  using (workspace_id in (select holdfast.my_administered_workspace_ids()));

reset role;
