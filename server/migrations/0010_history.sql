-- History of records: who changed which field when, from what to what. Written by triggers, so that every way of writing is in it; read by whoever may read
-- the record now.

create table holdfast.history (
  id bigint generated always as identity primary key,
  table_name text not null,
  record_id uuid not null,
  kind text not null check (kind in ('insert', 'update', 'delete')),
  at timestamptz not null default now(),
  actor_id uuid,
  actor_role text not null,
  -- {"field": {"from": text or null, "to": text or null}}; {"field": {"omitted": true}} for a value that is too long to keep.
  changes jsonb not null default '{}'
);
create index history_record_idx on holdfast.history (record_id, id);
create index history_age_idx on holdfast.history (table_name, at);
comment on table holdfast.history is 'History. Who changed which field of a record, when, from what to what.';
comment on column holdfast.history.table_name is 'Table. The table of the record, by its name on the device.';
comment on column holdfast.history.record_id is 'Record.';
comment on column holdfast.history.at is 'At. When the transaction began.';
comment on column holdfast.history.actor_id is 'Person. From the token; empty for a change without one.';
comment on column holdfast.history.actor_role is 'Role. The role of the token, or the role that was logged in.';
comment on column holdfast.history.changes is 'Changes. By field: from and to, as text.';

alter table holdfast.history enable row level security;
revoke all on holdfast.history from public, anon, authenticated;
grant select on holdfast.history to authenticated;
grant select, delete on holdfast.history to service_role;

create function holdfast.write_history() returns trigger
  language plpgsql security definer set search_path = '' as $$
declare
  value_bytes_max constant integer := 65536;
  key constant text := tg_argv[0];
  ignored constant text[] := tg_argv[1]::text[];
  before constant jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  after constant jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  changed jsonb := '{}';
begin
  if tg_op <> 'INSERT' then
    -- Only fields that people who sign in may select: the history has one set of columns for all of them.
    select coalesce(jsonb_object_agg(b.key, case
             when greatest(octet_length(before ->> b.key), octet_length(after ->> b.key)) > value_bytes_max then '{"omitted": true}'::jsonb
             when tg_op = 'DELETE' then jsonb_build_object('from', before ->> b.key)
             else jsonb_build_object('from', before ->> b.key, 'to', after ->> b.key) end), '{}')
      into changed
      from jsonb_each(before) b
     where (after is null or b.value is distinct from after -> b.key)
       and b.key <> all (ignored)
       and has_column_privilege('authenticated', tg_relid, b.key, 'select');
    if tg_op = 'UPDATE' and changed = '{}' then
      return null;
    end if;
    if tg_op = 'UPDATE' and before -> key <> after -> key then
      update holdfast.history h set record_id = (after ->> key)::uuid
       where h.record_id = (before ->> key)::uuid and h.table_name = tg_table_name;
    end if;
  end if;
  insert into holdfast.history (table_name, record_id, kind, actor_id, actor_role, changes)
  values (tg_table_name, (coalesce(after, before) ->> key)::uuid, lower(tg_op), holdfast.user_id(),
          coalesce(nullif(auth.role(), ''), session_user), changed);
  return null;
end
$$;
comment on function holdfast.write_history() is
  'Writes one row of history for a changed record; a trigger after insert, update or delete. Arguments: the key column, the fields left out.';
revoke all on function holdfast.write_history() from public;

create function holdfast.forget_old_history() returns trigger
  language plpgsql security definer set search_path = '' as $$
begin
  -- Each statement takes away more than it usually adds; what another transaction is taking away is left to it.
  delete from holdfast.history h
   where h.id = any (array(
     select expired.id from holdfast.history expired
      where expired.table_name = tg_table_name and expired.at < now() - tg_argv[0]::interval
      order by expired.at limit 1000 for update skip locked));
  return null;
end
$$;
comment on function holdfast.forget_old_history() is 'Deletes history that is older than its argument; a trigger after each statement.';
revoke all on function holdfast.forget_old_history() from public;

-- The policies of the table decide, as they are at each moment: the subquery runs with the rights of whoever reads.
create function holdfast.history_condition(tracked regclass, key name) returns text
  language sql stable set search_path = '' as $$
  select format('table_name = %L and exists (select from %s r where r.%I = history.record_id)', c.relname, tracked, key)
    from pg_catalog.pg_class c where c.oid = tracked
$$;
comment on function holdfast.history_condition(regclass, name) is 'Who may read the history of a table: whoever may read the record.';
revoke all on function holdfast.history_condition(regclass, name) from public;

-- The table is not the project's, since event triggers write to it: a trigger or an index of the project there would be run by the superuser. So policies on it
-- are made here.
create function holdfast.admit_to_history(tracked regclass, key name) returns void
  language plpgsql security definer set search_path = '' as $$
begin
  execute format('drop policy if exists %I on holdfast.history', 'history_of_' || tracked::oid);
  if key is not null then
    execute format('create policy %I on holdfast.history for select to authenticated using (%s)',
                   'history_of_' || tracked::oid, holdfast.history_condition(tracked, key));
  end if;
end
$$;
comment on function holdfast.admit_to_history(regclass, name) is
  'Lets whoever may read a record of a table read its history; without a key, ends that.';
revoke all on function holdfast.admit_to_history(regclass, name) from public;

create function holdfast.track(tracked regclass, keep interval default '365 days', ignore name[] default '{updated_at}') returns void
  language plpgsql set search_path = '' as $$
declare
  named record;
  key name;
begin
  select c.relname, n.nspname, c.relkind, c.relrowsecurity into named
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace where c.oid = tracked;
  if named.nspname <> 'public' or named.relkind <> 'r' then
    raise exception '% cannot have a history: only ordinary tables of schema public can', tracked
      using errcode = 'wrong_object_type';
  end if;
  if not named.relrowsecurity then
    raise exception '% cannot have a history: row-level security is off, so nothing says who may read it', tracked
      using errcode = 'object_not_in_prerequisite_state', hint = 'Enable row-level security and write policies first.';
  end if;
  select a.attname into key
    from pg_catalog.pg_index i join pg_catalog.pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
   where i.indrelid = tracked and i.indisprimary and i.indnkeyatts = 1 and a.atttypid = 'uuid'::pg_catalog.regtype;
  if key is null then
    raise exception '% cannot have a history: its primary key is not one column of type uuid', tracked
      using errcode = 'object_not_in_prerequisite_state';
  end if;
  if keep is null or keep <= interval '0' or key = any (ignore) then
    raise exception 'History is kept for a time above zero, and the key is not left out' using errcode = 'invalid_parameter_value';
  end if;
  perform holdfast.untrack(tracked, keep_rows => true);
  execute format('create trigger holdfast_history after insert or update or delete on %s for each row execute function holdfast.write_history(%L, %L)',
                 tracked, key, ignore);
  execute format('create trigger holdfast_history_age after insert or update or delete on %s for each statement execute function holdfast.forget_old_history(%L)',
                 tracked, keep);
  perform holdfast.admit_to_history(tracked, key);
  -- A device asks for the history of the records that it shows, not for that of all that its person may read.
  if to_regclass('sync.streams') is not null then
    if not exists (select from sync.streams s where s.name = 'holdfast_history') then
      perform set_config('search_path', 'public', true);
      perform sync.create_stream('holdfast_history',
        'select * from holdfast.history where record_id = any (subscription.parameter(''records''))');
    end if;
  end if;
end
$$;
comment on function holdfast.track(regclass, interval, name[]) is
  'Keeps the history of a table of schema public with row-level security and one uuid as its key. Called again it takes on other arguments.';
revoke all on function holdfast.track(regclass, interval, name[]) from public;

create function holdfast.untrack(tracked regclass, keep_rows boolean default false) returns void
  language plpgsql set search_path = '' as $$
begin
  execute format('drop trigger if exists holdfast_history on %s', tracked);
  execute format('drop trigger if exists holdfast_history_age on %s', tracked);
  perform holdfast.admit_to_history(tracked, null);
  if not keep_rows then
    delete from holdfast.history where table_name = (select relname from pg_catalog.pg_class where oid = tracked);
  end if;
end
$$;
comment on function holdfast.untrack(regclass, boolean) is 'Ends the history of a table and deletes it, unless its rows are to be kept for a later track.';
revoke all on function holdfast.untrack(regclass, boolean) from public;

-- Names change, fields go, and rights are taken back: the history follows in the same transaction.

create function holdfast.follow_tracked(tracked regclass, was jsonb) returns void
  language plpgsql security definer set search_path = '' as $$
declare
  title constant name := (select c.relname from pg_catalog.pg_class c where c.oid = tracked);
  arguments text[];
  key name;
  renamed record;
  lost text[];
begin
  select string_to_array(encode(t.tgargs, 'escape'), '\000') into arguments
    from pg_catalog.pg_trigger t where t.tgrelid = tracked and t.tgname = 'holdfast_history';
  if title is null or arguments is null then
    return;
  end if;
  if title <> was ->> 'name' then
    update holdfast.history h set table_name = title where h.table_name = was ->> 'name';
  end if;
  key := arguments[1];
  for renamed in
    select c.value as old, a.attname as new
      from jsonb_each_text(was -> 'columns') c
      join pg_catalog.pg_attribute a on a.attrelid = tracked and a.attnum = c.key::integer and not a.attisdropped
     where a.attname <> c.value
  loop
    if renamed.old = key then
      key := renamed.new;
    end if;
    update holdfast.history h set changes = h.changes - renamed.old || jsonb_build_object(renamed.new, h.changes -> renamed.old)
     where h.table_name = title and h.changes ? renamed.old;
  end loop;
  if title <> was ->> 'name' or key <> arguments[1] then
    execute format('alter policy %I on holdfast.history using (%s)', 'history_of_' || tracked::oid, holdfast.history_condition(tracked, key));
  end if;
  if key <> arguments[1] then
    execute format('create or replace trigger holdfast_history after insert or update or delete on %s for each row execute function holdfast.write_history(%L, %L)',
                   tracked, key, arguments[2]);
  end if;
  -- Who may select no column at all reads no record, so no history; the next grant says what is left.
  if not has_any_column_privilege('authenticated', tracked, 'select') then
    return;
  end if;
  lost := array(
    select a.attname from pg_catalog.pg_attribute a
     where a.attrelid = tracked and a.attnum > 0 and not a.attisdropped
       and not has_column_privilege('authenticated', tracked, a.attname, 'select')
    union all
    select c.value from jsonb_each_text(was -> 'columns') c
     where not exists (select from pg_catalog.pg_attribute a where a.attrelid = tracked and a.attnum = c.key::integer and not a.attisdropped));
  if lost <> '{}' then
    update holdfast.history h set changes = h.changes - lost where h.table_name = title and h.changes ?| lost;
  end if;
end
$$;
comment on function holdfast.follow_tracked(regclass, jsonb) is
  'Brings the history of a table in step with its names, its columns and what the role authenticated may select.';
revoke all on function holdfast.follow_tracked(regclass, jsonb) from public;

create function holdfast.on_tracked_change() returns event_trigger
  language plpgsql security definer set search_path = '' as $$
begin
  if tg_event = 'ddl_command_start' then
    perform set_config('holdfast.tracked', coalesce(jsonb_object_agg(c.oid::bigint, jsonb_build_object('name', c.relname, 'columns', (
        select jsonb_object_agg(a.attnum, a.attname) from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
      )))::text, '{}'), true)
      from pg_catalog.pg_trigger t join pg_catalog.pg_class c on c.oid = t.tgrelid
     where t.tgfoid = to_regprocedure('holdfast.write_history()') and not t.tgisinternal;
  else
    perform holdfast.follow_tracked(one.key::oid::regclass, one.value)
       from jsonb_each(coalesce(nullif(current_setting('holdfast.tracked', true), '')::jsonb, '{}')) one;
  end if;
end
$$;
comment on function holdfast.on_tracked_change() is 'Calls holdfast.follow_tracked for each table with a history when a table or a grant has changed.';
revoke all on function holdfast.on_tracked_change() from public;

do $$
begin
  create event trigger holdfast_tracked_before on ddl_command_start when tag in ('ALTER TABLE', 'GRANT', 'REVOKE')
    execute function holdfast.on_tracked_change();
  create event trigger holdfast_tracked_after on ddl_command_end when tag in ('ALTER TABLE', 'GRANT', 'REVOKE')
    execute function holdfast.on_tracked_change();
exception
  when insufficient_privilege then
    raise notice 'no superuser, so the history does not follow renamed columns and revoked grants: call holdfast.untrack and holdfast.track';
end
$$;

-- In a packaged database the project writes history and deletes it; triggers write it with the project's rights, since they read values of its types.
do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
  one record;
begin
  if project = current_user then
    return;
  end if;
  execute format('grant select, insert, update, delete on holdfast.history to %I', project);
  execute format('grant execute on function holdfast.admit_to_history(regclass, name) to %I', project);
  for one in
    select p.oid::pg_catalog.regprocedure as function from pg_catalog.pg_proc p
     where p.pronamespace = 'holdfast'::pg_catalog.regnamespace
       and p.proname in ('write_history', 'forget_old_history', 'track', 'untrack')
  loop
    execute format('alter function %s owner to %I', one.function, project);
  end loop;
end
$$;
