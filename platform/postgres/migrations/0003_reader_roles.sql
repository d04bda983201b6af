-- The roles under which Holdfast reads tables and evaluates what users wrote. Both log in by themselves: `set role` in a superuser's session is no
-- barrier, as any function can reset it. The server sets their passwords when it starts. Roles belong to the whole cluster and may exist already.

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'holdfast_reader') then
    create role holdfast_reader nologin;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'holdfast_evaluator') then
    create role holdfast_evaluator nologin;
  end if;
exception
  when duplicate_object or unique_violation then
    -- Another database of the cluster was faster.
    null;
end
$$;

-- Reads every table past its policies, and the catalog for the compiler of policies. Writes nothing.
do $$
begin
  alter role holdfast_reader bypassrls;
  grant pg_read_all_data to holdfast_reader;
exception
  when insufficient_privilege then
    raise notice 'holdfast_reader cannot be given what it needs: %', sqlerrm;
end
$$;
do $$
begin
  -- The compiler makes temporary functions, which no event trigger has to see.
  if current_setting('server_version_num')::int >= 150000 then
    execute 'grant set on parameter session_replication_role to holdfast_reader';
  end if;
  execute format('grant temporary on database %I to holdfast_reader', current_database());
exception
  when insufficient_privilege then
    raise notice 'holdfast_reader cannot hold event triggers off: %', sqlerrm;
end
$$;

-- Evaluates the row filters of policies. It may call what the API roles may call; it cannot become one of them, nor pass their policies as a user.
do $$
begin
  if current_setting('server_version_num')::int >= 160000 then
    execute 'grant anon, authenticated to holdfast_evaluator with inherit true, set false';
  else
    grant anon, authenticated to holdfast_evaluator;
  end if;
end
$$;
