-- As sync/0006_partitions has it, for databases where schema holdfast was dropped and is made again: a rewrite is of the partition, and what is read again is
-- its table.
create or replace function holdfast.on_table_rewrite() returns event_trigger
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  rewritten oid := pg_event_trigger_table_rewrite_oid();
begin
  perform pg_logical_emit_message(true, 'holdfast:rewrite', coalesce(pg_partition_root(rewritten)::oid, rewritten)::int8::text);
end
$$;
