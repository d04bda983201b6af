-- What a project declares with functions of schema sync, in a packaged database as `postgres`, which is no superuser. The tables that they write have no
-- triggers or keys of the project's: nobody may give them any.
do $$
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     or not exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin')
     or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    return;
  end if;
  grant usage on schema sync, subscription to postgres;
  grant select, insert, update, delete on sync.streams, sync.guards to postgres;
  grant execute on function
    sync.create_stream(text, text, integer, boolean), sync.create_stream(text, text[], integer, boolean), sync.drop_stream(text, boolean),
    sync.resolve_stream_query(text, text), sync.check_stream_query(text),
    sync.set_guard(regclass, text, name[]), sync.guard_columns(regclass, name[]), sync.guard_rows(regclass, name[])
    to postgres;
end
$$;

-- These run with the superuser's rights in a session of whoever changes tables, and read partitions. Between finding a partition and reading it, its owner may
-- put a view in its place, whose functions would run. Of older releases of Postgres, not all know the setting.
do $$
begin
  alter function sync.follow_partitions() set restrict_nonsystem_relation_kind = 'view, foreign-table';
  alter function sync.follow_next_partition(boolean) set restrict_nonsystem_relation_kind = 'view, foreign-table';
exception
  when undefined_object then
    raise notice 'partitions are read without a guard against views: %', sqlerrm;
end
$$;
