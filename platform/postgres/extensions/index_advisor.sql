-- Dumps of hosted projects make this extension, which tries indexes of hypopg. There are none here.
create function @extschema@.index_advisor(query text)
  returns table (
    startup_cost_before jsonb, startup_cost_after jsonb, total_cost_before jsonb, total_cost_after jsonb, index_statements text[], errors text[]
  )
  language plpgsql set search_path = pg_catalog
as $$
begin
  raise exception using errcode = 'feature_not_supported', message = 'The index advisor is not part of Holdfast.',
    hint = 'Read the plan with "explain", or use a Postgres that has index_advisor (--postgres-bin, DATABASE_URL).';
end
$$;
