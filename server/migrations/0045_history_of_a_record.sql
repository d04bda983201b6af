-- The history of a record begins when the record does. Clients choose ids: what was before, under the same id, is of a record that was deleted, and whoever made a new one
-- does not read it.

alter table holdfast.history add column is_past boolean not null default false;
comment on column holdfast.history.is_past is 'Past. Of a record that was deleted before another one got its id.';

-- What is there already: an entry is past when the same id was inserted again after it.
update holdfast.history h set is_past = true
  from (select i.table_name, i.record_id, max(i.id) as begun from holdfast.history i where i.kind = 'insert' group by i.table_name, i.record_id) life
 where life.table_name = h.table_name and life.record_id = h.record_id and h.id < life.begun;

create policy of_this_record on holdfast.history as restrictive for select to authenticated using (not is_past);

create function holdfast.end_history(of_table text, of_record uuid) returns void
  language sql security definer set search_path = pg_catalog, pg_temp as $$
  update holdfast.history h set is_past = true where h.record_id = of_record and h.table_name = of_table and not h.is_past
$$;
comment on function holdfast.end_history(text, uuid) is 'What there is of an id is from now on of a record that was.';
revoke all on function holdfast.end_history(text, uuid) from public;

create or replace function holdfast.write_history() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  value_bytes_max constant integer := 65536;
  key constant text := tg_argv[0];
  ignored constant text[] := tg_argv[1]::text[];
  before constant jsonb := case when tg_op <> 'INSERT' then to_jsonb(old) end;
  after constant jsonb := case when tg_op <> 'DELETE' then to_jsonb(new) end;
  changed jsonb := '{}';
begin
  if tg_op = 'INSERT' then
    perform holdfast.end_history(tg_table_name, (after ->> key)::uuid);
  else
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
      perform holdfast.end_history(tg_table_name, (after ->> key)::uuid);
      update holdfast.history h set record_id = (after ->> key)::uuid
       where h.record_id = (before ->> key)::uuid and h.table_name = tg_table_name and not h.is_past;
    end if;
  end if;
  insert into holdfast.history (table_name, record_id, kind, actor_id, actor_role, changes)
  values (tg_table_name, (coalesce(after, before) ->> key)::uuid, lower(tg_op), holdfast.user_id(),
          coalesce(nullif(auth.role(), ''), session_user), changed);
  return null;
end
$$;

create or replace function holdfast.track(tracked regclass, keep interval default '365 days', ignore name[] default '{updated_at}') returns void
  language plpgsql set search_path = pg_catalog, pg_temp as $$
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
  if not exists (select from pg_catalog.pg_trigger t where t.tgrelid = tracked and t.tgname = 'holdfast_history' and t.tgenabled <> 'D') then
    -- Nobody saw which records came and went meanwhile.
    update holdfast.history h set is_past = true where h.table_name = named.relname and not h.is_past;
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

-- As the other functions of the history (0010): with the project's rights.
do $$
begin
  execute format('alter function holdfast.end_history(text, uuid) owner to %I',
                 (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass));
end
$$;
