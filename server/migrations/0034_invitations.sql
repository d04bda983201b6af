-- What changes members and invitations. Each function asks who calls it; no table here can be written past them.

-- Bounds, in one place.
create function holdfast.people_limit(name text) returns integer
  language sql immutable set search_path = '' as $$
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
  end
$$;
comment on function holdfast.people_limit(text) is 'How many there may be; docs/reference/people.md has the list.';

create function holdfast.require_admin(of_workspace uuid) returns holdfast.workspace_role
  language plpgsql stable security definer set search_path = '' as $$
declare
  mine constant holdfast.workspace_role := holdfast.role_in(of_workspace);
begin
  if mine is null or mine < 'admin' then
    raise exception 'Only owners and admins of the workspace do this.' using errcode = 'insufficient_privilege', hint = 'people.not_admin';
  end if;
  return mine;
end
$$;
comment on function holdfast.require_admin(uuid) is 'The role of the caller in a workspace, who has to be an owner or admin of it.';

-- Sends, or refuses: nobody is written to without end, neither by one person nor through many.
create function holdfast.queue_invitation_mail(invitation uuid, recipient text) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := holdfast.user_id();
begin
  perform pg_advisory_xact_lock(hashtext('holdfast.invitation_mails'), hashtext(me::text));
  delete from holdfast.invitation_mails m where m.created_at < now() - interval '2 days' and m.due_at is null;
  if (select count(*) from holdfast.invitation_mails m where m.sent_by = me and m.created_at > now() - interval '1 hour')
     >= holdfast.people_limit('mails of a person in an hour') then
    raise exception 'You have sent as many invitations as one person may in an hour. Try again later.' using errcode = 'PT429', hint = 'invitation.too_many';
  end if;
  if (select count(*) from holdfast.invitation_mails m where m.email = recipient and m.created_at > now() - interval '1 day')
     >= holdfast.people_limit('mails to an address in a day') then
    raise exception 'This address was written to as often as it may be in a day. Try again tomorrow.' using errcode = 'PT429', hint = 'invitation.too_many_to_address';
  end if;
  insert into holdfast.invitation_mails (invitation_id, email, sent_by) values (invitation, recipient, me);
  perform pg_catalog.pg_notify('holdfast_invitations', '');
end
$$;
comment on function holdfast.queue_invitation_mail(uuid, text) is 'Has the server write to an invited person, within bounds.';

create function holdfast.invite(
    workspace uuid, emails text[], as_role holdfast.workspace_role, team uuid default null, message text default null, access_until timestamptz default null)
  returns table (email text, outcome text)
  language plpgsql security definer set search_path = '' as $$
declare
  mine constant holdfast.workspace_role := holdfast.require_admin(workspace);
  life constant interval := make_interval(days => holdfast.people_limit('days of an invitation'));
  address text;
  invitation uuid;
begin
  if as_role > mine then
    raise exception 'Nobody invites above their own role.' using errcode = 'insufficient_privilege', hint = 'invitation.above_own_role';
  end if;
  if team is not null and not exists (select from holdfast.teams t where t.id = team and t.workspace_id = workspace) then
    raise exception 'The workspace has no such team.' using hint = 'invitation.team';
  end if;
  if access_until <= now() then
    raise exception 'The access would be over already.' using hint = 'invitation.access_until';
  end if;
  if coalesce(cardinality(emails), 0) = 0 or cardinality(emails) > holdfast.people_limit('addresses in a call') then
    raise exception 'Invite between 1 and 50 addresses at a time.' using hint = 'invitation.addresses';
  end if;
  -- One after the other for a workspace: the bounds hold for callers at the same time, too.
  perform from holdfast.workspaces w where w.id = workspace for no key update;
  for address in
    select distinct lower(btrim(one)) from unnest(emails) one where btrim(one) <> '' order by 1
  loop
    email := left(address, 254);
    if address !~ '^[^@\s<>",;]+@[^@\s<>",;]+$' or length(address) > 254 then
      outcome := 'not_an_address';
    elsif exists (select from holdfast.members m join auth.users u on u.id = m.user_id
                   where m.workspace_id = workspace and m.status = 'active' and (m.expires_at is null or m.expires_at > now())
                     and lower(u.email) = address) then
      outcome := 'member';
    elsif exists (select from holdfast.invitations i
                   where i.workspace_id = workspace and i.email = address and i.state = 'pending' and i.expires_at > now()) then
      outcome := 'pending';
    elsif (select count(*) from holdfast.invitations i where i.workspace_id = workspace and i.state = 'pending' and i.expires_at > now())
          >= holdfast.people_limit('pending in a workspace')
       or (select count(*) from holdfast.members m where m.workspace_id = workspace) >= holdfast.people_limit('members') then
      outcome := 'full';
    else
      begin
        update holdfast.invitations i set state = 'revoked', answered_at = now()
         where i.workspace_id = workspace and i.email = address and i.state = 'pending';
        insert into holdfast.invitations (workspace_id, email, role, team_id, message, access_until, expires_at, invited_by)
        values (workspace, address, as_role, team, nullif(btrim(invite.message), ''), invite.access_until, now() + life, holdfast.user_id())
        returning id into invitation;
        perform holdfast.queue_invitation_mail(invitation, address);
        outcome := 'invited';
      exception
        -- What went before stays: the caller learns for each address what became of it.
        when sqlstate 'PT429' then outcome := 'too_many';
      end;
    end if;
    return next;
  end loop;
end
$$;
comment on function holdfast.invite(uuid, text[], holdfast.workspace_role, uuid, text, timestamptz) is
  'Invites people by mail. For each address: invited, pending, member, not_an_address, full or too_many.';

create function holdfast.resend_invitation(invitation uuid) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  one holdfast.invitations;
begin
  select * into one from holdfast.invitations i where i.id = invitation and i.workspace_id in (select holdfast.my_administered_workspace_ids()) for update;
  if one.id is null or one.role > holdfast.require_admin(one.workspace_id) then
    raise exception 'There is no such invitation that you may send.' using errcode = 'insufficient_privilege', hint = 'invitation.not_found';
  end if;
  if one.state <> 'pending' then
    raise exception 'This invitation is no longer pending.' using hint = 'invitation.not_pending';
  end if;
  if one.send_count >= holdfast.people_limit('mails of an invitation') then
    raise exception 'This invitation was sent 5 times. Revoke it, and invite again tomorrow.' using errcode = 'PT429', hint = 'invitation.too_many_to_address';
  end if;
  perform holdfast.queue_invitation_mail(one.id, one.email);
  -- The link of the mail before is dead from now on.
  delete from holdfast.invitation_secrets s where s.invitation_id = one.id;
  update holdfast.invitations i
     set expires_at = now() + make_interval(days => holdfast.people_limit('days of an invitation')), send_count = i.send_count + 1, mail = 'waiting'
   where i.id = one.id;
end
$$;
comment on function holdfast.resend_invitation(uuid) is 'Sends a pending invitation again, with a new link and new days.';

create function holdfast.revoke_invitation(invitation uuid) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  update holdfast.invitations i set state = 'revoked', answered_at = now()
   where i.id = invitation and i.state = 'pending' and i.workspace_id in (select holdfast.my_administered_workspace_ids());
  if not found then
    raise exception 'There is no such pending invitation.' using errcode = 'insufficient_privilege', hint = 'invitation.not_found';
  end if;
end
$$;
comment on function holdfast.revoke_invitation(uuid) is 'Takes a pending invitation back.';

-- What the link of a mail leads to. Secrets have 256 bits; an account that tries many wrong ones has to wait all the same.

create function holdfast.find_invitation(secret text) returns holdfast.invitations
  language sql stable security definer set search_path = '' as $$
  select i from holdfast.invitation_secrets s join holdfast.invitations i on i.id = s.invitation_id
   where length(find_invitation.secret) = 43 and s.hash = sha256(convert_to(find_invitation.secret, 'UTF8'))
$$;
comment on function holdfast.find_invitation(text) is 'The invitation that a secret belongs to.';

create function holdfast.peek_invitation(secret text) returns jsonb
  language plpgsql stable security definer set search_path = '' as $$
declare
  one constant holdfast.invitations := holdfast.find_invitation(secret);
  now_state constant text := case when one.state = 'pending' and one.expires_at <= now() then 'expired' else one.state end;
begin
  if one.id is null then
    return jsonb_build_object('state', 'not_found');
  end if;
  return jsonb_build_object(
    'state', now_state,
    'workspace', (select w.name from holdfast.workspaces w where w.id = one.workspace_id),
    'inviter', (select m.name from holdfast.members m where m.workspace_id = one.workspace_id and m.user_id = one.invited_by),
    'email', one.email)
    || case when now_state = 'pending' then jsonb_build_object(
      'role', one.role, 'message', one.message, 'expires_at', one.expires_at, 'access_until', one.access_until,
      'team', (select t.name from holdfast.teams t where t.id = one.team_id),
      'has_account', exists (select from auth.users u where lower(u.email) = one.email)) else '{}' end;
end
$$;
comment on function holdfast.peek_invitation(text) is 'What an invitation says to whoever has its link.';

create function holdfast.answer_invitation(secret text, accepts boolean) returns jsonb
  language plpgsql security definer set search_path = '' as $$
declare
  me constant uuid := holdfast.user_id();
  account auth.users;
  guesses holdfast.invitation_guesses;
  one holdfast.invitations;
  member uuid;
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
  -- Whoever is a member already keeps a higher role; whose access was over begins anew.
  insert into holdfast.members as m (workspace_id, user_id, role, name, expires_at, invited_by)
  values (one.workspace_id, me, one.role, holdfast.name_of_account(account.raw_user_meta_data, account.email), one.access_until, one.invited_by)
  on conflict (workspace_id, user_id) do update
     set role = case when m.status = 'active' then greatest(m.role, excluded.role) else excluded.role end,
         expires_at = case when m.status = 'active' and m.role > excluded.role then null else excluded.expires_at end,
         status = 'active', invited_by = excluded.invited_by
  returning id into member;
  if one.team_id is not null then
    insert into holdfast.team_members (team_id, user_id) values (one.team_id, me) on conflict do nothing;
  end if;
  update holdfast.invitations i set state = 'accepted', accepted_by = me, answered_at = now() where i.id = one.id;
  return jsonb_build_object('outcome', 'accepted', 'member', member);
end
$$;
comment on function holdfast.answer_invitation(text, boolean) is
  'Accepts or declines an invitation as the invited person. Outcomes: accepted, declined, expired, revoked, used, wrong_account, unconfirmed, not_found, full, too_many.';

-- Members

-- The member, if the caller may change somebody of that role: locked, since two admins may do so at the same time.
create function holdfast.changeable_member(member uuid) returns holdfast.members
  language plpgsql security definer set search_path = '' as $$
declare
  one holdfast.members;
begin
  select * into one from holdfast.members m where m.id = member and m.workspace_id in (select holdfast.my_administered_workspace_ids()) for update;
  if one.id is null then
    raise exception 'Only owners and admins of the workspace do this.' using errcode = 'insufficient_privilege', hint = 'people.not_admin';
  end if;
  if one.role > holdfast.require_admin(one.workspace_id) then
    raise exception 'Nobody changes a member with a higher role than their own.' using errcode = 'insufficient_privilege', hint = 'member.higher_role';
  end if;
  return one;
end
$$;
comment on function holdfast.changeable_member(uuid) is 'A member whom the caller may change.';

create function holdfast.set_member_role(member uuid, new_role holdfast.workspace_role, access_until timestamptz default null) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  one constant holdfast.members := holdfast.changeable_member(member);
begin
  if new_role > holdfast.require_admin(one.workspace_id) then
    raise exception 'Nobody gives a role above their own.' using errcode = 'insufficient_privilege', hint = 'member.above_own_role';
  end if;
  update holdfast.members m set role = new_role, expires_at = case when new_role = 'guest' then access_until end where m.id = one.id;
end
$$;
comment on function holdfast.set_member_role(uuid, holdfast.workspace_role, timestamptz) is 'Gives a member another role, at most the caller''s own; for a guest, until when.';

create function holdfast.set_member_active(member uuid, active boolean) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  one constant holdfast.members := holdfast.changeable_member(member);
begin
  update holdfast.members m set status = case when active then 'active' else 'deactivated' end where m.id = one.id;
end
$$;
comment on function holdfast.set_member_active(uuid, boolean) is 'Takes a member''s access away for now, or gives it back with the teams that they had.';

create function holdfast.remove_member(member uuid) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  if not exists (select from holdfast.members m where m.id = member and m.user_id = holdfast.user_id()) then
    perform holdfast.changeable_member(member);
  end if;
  delete from holdfast.members m where m.id = member;
end
$$;
comment on function holdfast.remove_member(uuid) is 'Removes a member; everybody may leave by themselves.';

create function holdfast.member_details(workspace uuid) returns table (user_id uuid, email text, last_seen_at timestamptz)
  language plpgsql stable security definer set search_path = '' as $$
begin
  perform holdfast.require_admin(workspace);
  return query
    select m.user_id, u.email::text,
           greatest(u.last_sign_in_at, (select max(coalesce(s.refreshed_at at time zone 'UTC', s.created_at)) from auth.sessions s where s.user_id = u.id))
      from holdfast.members m join auth.users u on u.id = m.user_id where m.workspace_id = workspace;
end
$$;
comment on function holdfast.member_details(uuid) is 'Addresses of the members of a workspace, and when their accounts were used last. For its owners and admins.';

-- For whoever runs the project: the first workspace, and an owner where none is left.
create function holdfast.create_workspace(name text, owner_email text) returns uuid
  language plpgsql security definer set search_path = '' as $$
declare
  owner constant auth.users := (select u from auth.users u where lower(u.email) = lower(btrim(owner_email)) limit 1);
  made uuid;
begin
  if owner.id is null then
    raise exception 'There is no account with the address %.', owner_email using hint = 'workspace.owner';
  end if;
  insert into holdfast.workspaces (name) values (btrim(create_workspace.name)) returning id into made;
  insert into holdfast.members (workspace_id, user_id, role, name)
  values (made, owner.id, 'owner', holdfast.name_of_account(owner.raw_user_meta_data, owner.email));
  return made;
end
$$;
comment on function holdfast.create_workspace(text, text) is 'Makes a workspace with its first owner. For whoever runs the project: SQL and the service role.';

do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  for one in
    select p.oid::pg_catalog.regprocedure as function, p.proname as name from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('people_limit', 'require_admin', 'queue_invitation_mail', 'invite', 'resend_invitation', 'revoke_invitation', 'find_invitation',
                         'peek_invitation', 'answer_invitation', 'changeable_member', 'set_member_role', 'set_member_active', 'remove_member',
                         'member_details', 'create_workspace')
  loop
    execute format('revoke all on function %s from public', one.function);
    if one.name in ('invite', 'resend_invitation', 'revoke_invitation', 'peek_invitation', 'answer_invitation', 'set_member_role', 'set_member_active',
                    'remove_member', 'member_details') then
      execute format('grant execute on function %s to authenticated', one.function);
    end if;
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
  grant execute on function holdfast.peek_invitation(text) to anon;
  grant execute on function holdfast.create_workspace(text, text) to service_role;
end
$$;
