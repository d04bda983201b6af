-- Tables of hosted projects refer to vault.secrets. Foreign keys are checked with the rights of the owner of the table that they refer to, and may call a conversion
-- that a project made. So no superuser owns it.
do $$
begin
  if to_regclass('vault.secrets') is null
     or not exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin' and rolname = current_user)
     or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper)
     or (select c.relowner <> 10 from pg_catalog.pg_class c where c.oid = to_regclass('vault.secrets')) then
    return;
  end if;
  begin
    create role holdfast_vault nologin noinherit;
  exception when duplicate_object or unique_violation then
    -- Another database of the cluster has made it.
    null;
  end;
  grant usage on schema vault to holdfast_vault;
  alter table vault.secrets owner to holdfast_vault;
  grant references on vault.secrets to postgres with grant option;
end
$$;
