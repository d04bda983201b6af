-- Notifications of what is new for a person, as browsers take them (Web Push): which devices want them, and what waits to be sent. The server reads and empties
-- the queue; what a person may not see when it is sent is not sent.

create table holdfast.push_devices (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  -- Policies may ask for the session; one that has ended gets nothing.
  session_id uuid not null,
  endpoint text not null constraint push_devices_endpoint unique check (length(endpoint) <= 2000 and endpoint ~ '^https?://'),
  -- RFC 8291: a point of P-256, and 16 bytes; base64url.
  public_key text not null constraint push_devices_public_key check (public_key ~ '^[A-Za-z0-9_-]{87}=?$'),
  secret text not null constraint push_devices_secret check (secret ~ '^[A-Za-z0-9_-]{22}(==)?$'),
  failures integer not null default 0,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index push_devices_user_id_idx on holdfast.push_devices (user_id);
comment on table holdfast.push_devices is 'Devices that take notifications. Written by holdfast.add_push_device and holdfast.remove_push_device; nobody reads it but the server.';

create table holdfast.push_events (
  id bigint generated always as identity primary key,
  user_id uuid not null references auth.users (id) on delete cascade,
  kind text not null check (kind in ('mention', 'reply', 'assigned')),
  -- A comment, or an entry of the history.
  source_id text not null,
  attempts integer not null default 0,
  due_at timestamptz not null default now(),
  created_at timestamptz not null default now()
);
create index push_events_user_id_idx on holdfast.push_events (user_id, due_at);
comment on table holdfast.push_events is 'What is new for people who have a device that takes notifications, until it is sent.';

alter table holdfast.push_devices enable row level security;
alter table holdfast.push_events enable row level security;
revoke all on holdfast.push_devices, holdfast.push_events from public, anon, authenticated, service_role;

create function holdfast.add_push_device(device_endpoint text, device_key text, device_secret text) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  devices_max constant integer := 20;
  me constant uuid := holdfast.user_id();
  session constant uuid := case
    when auth.jwt() ->> 'session_id' ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$' then (auth.jwt() ->> 'session_id')::uuid
  end;
begin
  if me is null or session is null then
    raise exception 'Notifications need an account of this server.' using errcode = 'insufficient_privilege', hint = 'push.account';
  end if;
  -- The browser has one address for whoever uses it: it is the device of the person who was there last.
  delete from holdfast.push_devices d where d.endpoint = device_endpoint and d.user_id <> me;
  insert into holdfast.push_devices as d (user_id, session_id, endpoint, public_key, secret)
  values (me, session, device_endpoint, device_key, device_secret)
  on conflict (endpoint) do update
     set session_id = excluded.session_id, public_key = excluded.public_key, secret = excluded.secret, failures = 0, updated_at = now()
   where d.user_id = me;
  delete from holdfast.push_devices d
   where d.id in (select o.id from holdfast.push_devices o where o.user_id = me order by o.updated_at desc, o.id offset devices_max);
end
$$;
comment on function holdfast.add_push_device(text, text, text) is
  'From now on a device of the caller takes notifications: the address, the public key (p256dh) and the secret (auth) of its push subscription. At most 20; the oldest goes.';

create function holdfast.remove_push_device(device_endpoint text) returns void
  language sql security definer set search_path = '' as $$
  delete from holdfast.push_devices d where d.endpoint = device_endpoint and d.user_id = holdfast.user_id()
$$;
comment on function holdfast.remove_push_device(text) is 'Ends holdfast.add_push_device.';

create function holdfast.queue_push(recipient uuid, kind text, source_id text) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  waiting_max constant integer := 50;
begin
  if not exists (select from holdfast.push_devices d where d.user_id = recipient)
     or (select count(*) from (select from holdfast.push_events e where e.user_id = recipient limit waiting_max) waiting) >= waiting_max then
    return;
  end if;
  insert into holdfast.push_events (user_id, kind, source_id) values (recipient, queue_push.kind, queue_push.source_id);
  perform pg_catalog.pg_notify('holdfast_push', '');
end
$$;
comment on function holdfast.queue_push(uuid, text, text) is
  'Notes that something is new for a person, if a device of theirs takes notifications. At most 50 wait for one person.';

create function holdfast.push_comment() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  perform holdfast.queue_push(r.id, r.kind, new.id::text)
     from (select to_whom.id, min(to_whom.kind) as kind
             from (select (m.id #>> '{}')::uuid as id, 'mention' as kind
                     from jsonb_array_elements(new.mentions) m (id)
                    where m.id #>> '{}' ~ '^[0-9a-fA-F]{8}-([0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$'
                   union all
                   select p.author_id, 'reply' from holdfast.comments p where p.id = new.parent_id) to_whom
            where to_whom.id is distinct from new.author_id and to_whom.id is not null
            group by to_whom.id) r;
  return null;
end
$$;
comment on function holdfast.push_comment() is 'Notes a new comment for whom it mentions, and for whose comment it answers.';

create function holdfast.push_assigned() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  link record;
  recipient uuid;
begin
  if not exists (select from holdfast.push_devices) then
    return null;
  end if;
  -- As the app finds work (decision 109): a table with a day and a link to the table that ties names to accounts; the first such link says who does it.
  select a.attname as field, f.confrelid::pg_catalog.regclass as people, k.attname as key, pg_catalog.format_type(k.atttypid, k.atttypmod) as type into link
    from pg_catalog.pg_class c
    join pg_catalog.pg_constraint f on f.conrelid = c.oid and f.contype = 'f' and pg_catalog.array_length(f.conkey, 1) = 1
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = f.conkey[1]
    join pg_catalog.pg_attribute k on k.attrelid = f.confrelid and k.attnum = f.confkey[1]
   where c.relname = new.table_name and c.relnamespace = 'public'::pg_catalog.regnamespace
     and a.attname not in ('created_by', 'updated_by')
     and exists (select from pg_catalog.pg_attribute u
                  where u.attrelid = f.confrelid and u.attname = 'user_id' and u.atttypid = 'uuid'::pg_catalog.regtype and not u.attisdropped)
     and exists (select from pg_catalog.pg_attribute d
                  where d.attrelid = c.oid and d.attnum > 0 and d.atttypid = 'date'::pg_catalog.regtype and not d.attisdropped)
   order by a.attnum limit 1;
  if link is null or new.changes -> link.field ->> 'to' is null then
    return null;
  end if;
  execute format('select user_id from %s where %I = $1::%s', link.people, link.key, link.type) into recipient
    using new.changes -> link.field ->> 'to';
  if recipient is distinct from new.actor_id and recipient is not null then
    perform holdfast.queue_push(recipient, 'assigned', new.id::text);
  end if;
  return null;
exception
  -- Nobody's change of a record fails because of a notification.
  when others then
    raise warning 'no notification of an assignment in %: %', new.table_name, sqlerrm;
    return null;
end
$$;
comment on function holdfast.push_assigned() is 'Notes for a person that a record was assigned to them.';

revoke all on function holdfast.add_push_device(text, text, text), holdfast.remove_push_device(text), holdfast.queue_push(uuid, text, text),
                       holdfast.push_comment(), holdfast.push_assigned() from public;
grant execute on function holdfast.add_push_device(text, text, text), holdfast.remove_push_device(text) to authenticated;

create trigger push after insert on holdfast.comments for each row
  when (new.mentions <> '[]' or new.parent_id is not null) execute function holdfast.push_comment();
create trigger push after insert on holdfast.history for each row
  when (new.kind = 'update' and new.changes @? '$.*.to ? (@ like_regex "^[0-9a-f]")') execute function holdfast.push_assigned();

-- The tables are not the project's, since the server reads and empties them as itself: a trigger or an index of the project there would be run with its rights. The
-- functions run with the project's rights, as those of the history do.
do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  if project = current_user then
    return;
  end if;
  -- Truncating the users takes these rows along.
  execute format('grant select, insert, update, delete, truncate on holdfast.push_devices, holdfast.push_events to %I', project);
  for one in
    select p.oid::pg_catalog.regprocedure as function from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('add_push_device', 'remove_push_device', 'queue_push', 'push_comment', 'push_assigned')
  loop
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
