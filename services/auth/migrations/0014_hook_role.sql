-- GoTrue's own role. Hook functions run as the owner of schema auth here; but migrations written for Supabase grant them to this name, and
-- revoke them from everybody else. It has no right of its own and nobody can log in as it. Roles belong to the whole cluster.
do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'supabase_auth_admin') then
    create role supabase_auth_admin nologin noinherit;
  end if;
exception
  when duplicate_object or unique_violation then
    -- Another database of the cluster was faster.
    null;
end
$$;
