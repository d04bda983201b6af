-- Tells two kinds of readers when tables, policies, grants or functions change: those who cache the catalog (NOTIFY, on commit) and the reader of
-- the replication stream (a message at the very place of the change in the log).

-- Definer rights, so that whoever changes something needs no right to emit messages.
create function holdfast.on_catalog_change() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  tags text;
begin
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

comment on function holdfast.on_catalog_change() is 'Announces changes of the catalog on channel holdfast_catalog and in the replication stream.';
revoke all on function holdfast.on_catalog_change() from public;

-- A rewrite changes rows without a change of a row in the log. Fires for ALTER TABLE and ALTER TYPE, not for VACUUM FULL or CLUSTER.
create function holdfast.on_table_rewrite() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform pg_logical_emit_message(true, 'holdfast:rewrite', pg_event_trigger_table_rewrite_oid()::int8::text);
end
$$;

comment on function holdfast.on_table_rewrite() is 'Tells the reader of the replication stream which table has to be read again.';
revoke all on function holdfast.on_table_rewrite() from public;

do $$
begin
  create event trigger holdfast_rewrite on table_rewrite execute function holdfast.on_table_rewrite();
  create event trigger holdfast_ddl on ddl_command_end execute function holdfast.on_catalog_change();
  create event trigger holdfast_drop on sql_drop execute function holdfast.on_catalog_change();
exception
  when insufficient_privilege then
    raise notice 'no superuser, so changes of the catalog are not announced: restart Holdfast after changing tables or policies';
end
$$;
