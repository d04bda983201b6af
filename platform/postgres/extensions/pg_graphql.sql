-- Dumps of hosted projects make this extension whether it is used or not. Who asks it a question is told that there is no GraphQL here.
create function @extschema@.resolve(
  query text, variables jsonb default '{}', "operationName" text default null, extensions jsonb default null
) returns jsonb
  language plpgsql set search_path = pg_catalog
as $$
begin
  raise exception using errcode = 'feature_not_supported', message = 'GraphQL is not part of Holdfast.',
    hint = 'Use the REST API, or a Postgres that has pg_graphql (--postgres-bin, DATABASE_URL).';
end
$$;
