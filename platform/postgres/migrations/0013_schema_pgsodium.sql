-- Dumps of hosted projects of 2023 and 2024 say `create extension pgsodium with schema pgsodium`, and do not make the schema. Only a packaged database has the stand-in.
do $$
begin
  if (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     and exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin')
     and exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    create schema if not exists pgsodium;
  end if;
end
$$;
