-- Issuers other than this server call their users as they like: their subjects need not be UUIDs, and `auth.uid()` fails for those. Such a user is in no
-- team and writes no comment, so what asks about the caller here finds nothing instead of failing.

create function holdfast.user_id() returns uuid
  language sql stable set search_path = '' as $$
  select case
    when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
  end
$$;
comment on function holdfast.user_id() is 'The caller''s id; null for a caller whose subject is no UUID.';

-- The condition stands in each function as it is: so the compiler of policies sees that it reads a claim, and whom a change of members concerns.

create or replace function holdfast.my_team_ids() returns setof uuid
  language sql stable security definer set search_path = '' as $$
  select m.team_id from holdfast.team_members m where m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end
$$;

create or replace function holdfast.my_led_team_ids() returns setof uuid
  language sql stable security definer set search_path = '' as $$
  select m.team_id from holdfast.team_members m where m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end and m.function = 'lead'
$$;

create or replace function holdfast.my_areas() returns setof text
  language sql stable security definer set search_path = '' as $$
  select t.area
    from holdfast.team_members m
    join holdfast.teams t on t.id = m.team_id
   where m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end and t.area is not null
$$;

create or replace function holdfast.my_area_team_ids() returns setof uuid
  language sql stable security definer set search_path = '' as $$
  select beside.id
    from holdfast.team_members m
    join holdfast.teams t on t.id = m.team_id
    join holdfast.teams beside on beside.area = t.area
   where m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end
$$;

create or replace function holdfast.is_team_member() returns boolean
  language sql stable security definer set search_path = '' as $$
  select exists (select 1 from holdfast.team_members m where m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end)
$$;

create or replace function holdfast.is_lead_of(team_id uuid) returns boolean
  language sql stable security definer set search_path = '' as $$
  select exists (
    select 1 from holdfast.team_members m
     where m.team_id = is_lead_of.team_id and m.user_id = case
           when (auth.jwt() ->> 'sub') ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'sub')::uuid
         end and m.function = 'lead'
  )
$$;

create or replace function holdfast.guard_comment() returns trigger
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
  new.author_id := coalesce(holdfast.user_id(), new.author_id);
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

-- The tables belong to the role that the project acts as, where there is one.
do $$
declare
  owner name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
begin
  execute format('alter function holdfast.user_id() owner to %I', owner);
  execute format('set local role %I', owner);
end
$$;

alter policy teams_write on holdfast.comments
  with check (author_id = (select holdfast.user_id()) and area in (select holdfast.my_areas()));
alter policy authors_edit on holdfast.comments
  using (author_id = (select holdfast.user_id())) with check (author_id = (select holdfast.user_id()));

reset role;
