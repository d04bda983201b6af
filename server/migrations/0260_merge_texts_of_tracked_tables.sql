-- What two users write into the same text of a tracked table is merged or shown to the later one: neither replaces the other unseen. A declaration of
-- sync.merge_lines stays.
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
  -- A table whose changes are kept has users who may write at the same time: none of their texts replaces another unseen.
  if to_regprocedure('sync.merge_all_texts(regclass)') is not null then
    if not exists (select from sync.guards g where g."table" = tracked and g.scope = 'lines') then
      perform sync.merge_all_texts(tracked);
    end if;
  end if;
end
$$;

do $$
declare
  tracked regclass;
begin
  if to_regprocedure('sync.merge_all_texts(regclass)') is null then
    return;
  end if;
  for tracked in
    select t.tgrelid from pg_catalog.pg_trigger t
     where t.tgname = 'holdfast_history' and not t.tgisinternal
       and not exists (select from sync.guards g where g."table" = t.tgrelid and g.scope = 'lines')
  loop
    perform sync.merge_all_texts(tracked);
  end loop;
end
$$;
