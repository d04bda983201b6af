-- Changes of the catalog are announced from sessions with `session_replication_role = replica`, too: dumps and restores begin with that, and a policy that is
-- replaced there takes rows from people as any other is. Such a session is also how Holdfast does what has to be announced to no reader: it says so by
-- `holdfast.publishes`.

create or replace function holdfast.on_catalog_change() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  tags text;
begin
  if current_setting('session_replication_role') = 'replica' and current_setting('holdfast.publishes', true) = 'on' then
    return;
  end if;
  if tg_event = 'sql_drop' then
    select string_agg(distinct 'DROP ' || upper(object_type), ',')
      into tags
      from pg_event_trigger_dropped_objects()
     where not is_temporary
       and schema_name is distinct from 'sync'
       and object_type not like 'publication%'
       -- Parts that go with their table, and are said by the table.
       and (original or normal);
  else
    select string_agg(distinct command_tag, ',')
      into tags
      from pg_event_trigger_ddl_commands()
     where schema_name is distinct from 'pg_temp'
       and schema_name is distinct from 'sync'
       and object_type not like 'publication%'
       -- They rewrite contents or change nothing that a reader of the catalog sees.
       and command_tag not in ('REFRESH MATERIALIZED VIEW', 'REINDEX', 'CREATE STATISTICS', 'ALTER STATISTICS');
  end if;
  if tags is null then
    return;
  end if;
  perform pg_notify('holdfast_catalog', 'changed');
  perform pg_logical_emit_message(true, 'holdfast:ddl', tags);
end
$$;

do $$
declare
  name name;
begin
  foreach name in array array['holdfast_rewrite', 'holdfast_ddl', 'holdfast_drop'] loop
    if exists (select from pg_catalog.pg_event_trigger where evtname = name) then
      execute pg_catalog.format('alter event trigger %I enable always', name);
    end if;
  end loop;
exception
  when insufficient_privilege then
    raise notice 'no superuser, so changes of the catalog in sessions with session_replication_role = replica are not announced';
end
$$;
