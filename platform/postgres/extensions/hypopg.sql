-- Dumps of hosted projects make this extension, whose indexes exist only for the planner of a session. The planner here knows none.
create function @extschema@.hypopg_create_index(sql_order text, out indexrelid oid, out indexname text) returns setof record
  language plpgsql set search_path = pg_catalog
as $$
begin
  raise exception using errcode = 'feature_not_supported', message = 'Hypothetical indexes are not part of Holdfast.',
    hint = 'Make the index in a transaction that you roll back, or use a Postgres that has hypopg (--postgres-bin, DATABASE_URL).';
end
$$;
-- None can have been made.
create function @extschema@.hypopg_reset() returns void
  language sql set search_path = pg_catalog
as $$ $$;
create function @extschema@.hypopg_drop_index(indexid oid) returns boolean
  language sql set search_path = pg_catalog
as $$ select false $$;
create view @extschema@.hypopg_list_indexes as
  select null::oid as indexrelid, null::text as index_name, null::name as schema_name, null::name as table_name, null::name as am_name where false;
