-- Dumps of hosted projects make this extension, which lets a project bring extensions as text. Those are made for all databases of a server, by a library in C.
create function pgtle.install_extension(name text, version text, description text, ext text, requires text[] default null) returns boolean
  language plpgsql set search_path = pg_catalog
as $$
begin
  raise exception using errcode = 'feature_not_supported', message = 'Extensions in the database (pg_tle) are not part of Holdfast.',
    hint = 'Put the SQL of the extension into a migration, or use a Postgres that has pg_tle (--postgres-bin, DATABASE_URL).';
end
$$;
-- None can have been installed.
create function pgtle.uninstall_extension_if_exists(extname text) returns boolean
  language sql set search_path = pg_catalog
as $$ select false $$;
create function pgtle.available_extensions(out name name, out default_version text, out comment text) returns setof record
  language sql stable set search_path = pg_catalog
as $$ select null::name, null::text, null::text where false $$;
