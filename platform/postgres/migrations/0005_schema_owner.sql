-- Holdfast's schemas belong to a role that no project acts as, named as in Supabase: the CLI's `db reset`, for one, drops every schema but those of
-- `supabase_admin`. Nobody can log in as it here, and it has no rights but these. Where Holdfast itself is no superuser, they stay with whom it is.
do $$
declare
  owned name;
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    return;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'supabase_admin') then
    begin
      create role supabase_admin nologin noinherit;
    exception when duplicate_object or unique_violation then
      -- Another database of the cluster was faster.
      null;
    end;
  end if;
  -- Schema `subscription` follows in the migration that makes it, or later.
  foreach owned in array array['auth', 'holdfast', 'sync'] loop
    execute format('alter schema %I owner to supabase_admin', owned);
  end loop;
end
$$;
