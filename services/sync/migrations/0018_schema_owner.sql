-- As the other schemas of Holdfast: see platform/0005_schema_owner.
do $$
begin
  if (select rolsuper from pg_catalog.pg_roles where rolname = current_user) then
    alter schema subscription owner to supabase_admin;
  end if;
end
$$;
