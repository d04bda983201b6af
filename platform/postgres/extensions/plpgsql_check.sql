-- Dumps of hosted projects make this extension, which reads functions that were compiled by PL/pgSQL and is part of no packaged Postgres.
create function @extschema@.plpgsql_check_function(funcoid regprocedure, relid regclass default 0, format text default 'text') returns setof text
  language plpgsql set search_path = pg_catalog
as $$
begin
  raise exception using errcode = 'feature_not_supported', message = 'plpgsql_check is not part of Holdfast.',
    hint = 'Set plpgsql.extra_warnings, or use a Postgres that has plpgsql_check (--postgres-bin, DATABASE_URL).';
end
$$;
