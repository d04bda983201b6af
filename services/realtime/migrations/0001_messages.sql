-- Who may use private channels: policies on `realtime.messages`, with the names, types, defaults and grants of Supabase's realtime service (Apache-2.0), so that
-- policies and functions of a Supabase project apply unchanged. What is there already stays as it is.

create schema if not exists realtime;

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'supabase_realtime_admin') then
    create role supabase_realtime_admin nologin noinherit;
  end if;
exception
  when duplicate_object or unique_violation then
    -- Another database of the cluster was faster.
    null;
end
$$;

comment on schema realtime is 'Channels: policies on its table messages say who may use private ones.';
grant usage on schema realtime to anon, authenticated, service_role, supabase_realtime_admin;

create table if not exists realtime.messages (
  id uuid not null default gen_random_uuid(),
  topic text not null,
  extension text not null,
  payload jsonb,
  event text,
  private boolean default false,
  updated_at timestamp without time zone not null default now(),
  inserted_at timestamp without time zone not null default now(),
  binary_payload bytea,
  primary key (id, inserted_at),
  constraint messages_payload_exclusive check (payload is null or binary_payload is null)
) partition by range (inserted_at);
alter table realtime.messages add column if not exists binary_payload bytea;
create index if not exists messages_inserted_at_topic_index on realtime.messages (inserted_at desc, topic)
  where extension = 'broadcast' and private is true;

alter table realtime.messages enable row level security;
grant select, insert, update on realtime.messages to anon, authenticated, service_role;

create or replace function realtime.topic() returns text
  language sql stable
as $$
  select nullif(current_setting('realtime.topic', true), '')::text
$$;

-- Not of Supabase: makes the partitions of the days around today, and drops those that are older than messages are kept. A session's time zone may be a day ahead
-- or behind. A partition is made beside the table and attached, which holds up no reader.
create or replace function realtime.keep_partitions(hours_kept integer) returns void
  language plpgsql
  set search_path = ''
as $$
declare
  today date := (pg_catalog.now() at time zone 'utc')::date;
  oldest timestamp := (pg_catalog.now() at time zone 'utc') - pg_catalog.make_interval(hours => hours_kept);
  one date;
  name text;
begin
  for one in select pg_catalog.generate_series(today - 1, today + 3, '1 day')::date loop
    name := 'messages_' || pg_catalog.to_char(one, 'YYYY_MM_DD');
    if pg_catalog.to_regclass('realtime.' || name) is null then
      execute pg_catalog.format('create table realtime.%I (like realtime.messages including defaults including constraints)', name);
      execute pg_catalog.format('alter table realtime.%I enable row level security', name);
      execute pg_catalog.format('alter table realtime.messages attach partition realtime.%I for values from (%L) to (%L)', name, one, one + 1);
    end if;
  end loop;
  for name in
    select c.relname from pg_catalog.pg_inherits i join pg_catalog.pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'realtime.messages'::pg_catalog.regclass and c.relname ~ '^messages_\d{4}_\d\d_\d\d$'
       and pg_catalog.to_date(pg_catalog.substr(c.relname, 10), 'YYYY_MM_DD') + 1 <= oldest
  loop
    execute pg_catalog.format('drop table realtime.%I', name);
  end loop;
end
$$;
revoke execute on function realtime.keep_partitions(integer) from public;

-- In a packaged database the table belongs to `supabase_realtime_admin`, as on Supabase, and `postgres`, which projects act as, inherits its rights: only the owner
-- of a table creates policies on it.
do $$
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     or not exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin')
     or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    return;
  end if;
  alter schema realtime owner to supabase_admin;
  alter table realtime.messages owner to supabase_realtime_admin;
  -- As a text, since Postgres 15 cannot read it.
  execute 'grant supabase_realtime_admin to postgres with inherit true, set false';
  grant usage on schema realtime to postgres;
  grant execute on function realtime.topic() to postgres;
end
$$;

select realtime.keep_partitions(72);
