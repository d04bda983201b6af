-- Migrations of hosted projects say `grant all on all routines in schema realtime to …`, which fails at the first function that the role has no right on. The first
-- two run with the rights of whoever calls them, and the others are called by event triggers only, which superusers make.
do $$
begin
  if exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    grant execute on function realtime.keep_partitions(integer), realtime.publish_generated_columns(), realtime.on_publication_change(),
      realtime.on_publication_made() to postgres;
  end if;
end
$$;
