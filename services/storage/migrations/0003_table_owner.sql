-- In a packaged database the tables belong to `supabase_storage_admin`, as on Supabase, and `postgres`, which projects act as, inherits its rights: only the
-- owner of a table creates policies and triggers on it. Foreign keys are checked with the rights of the owner, so no superuser owns one. The functions, which
-- policies and triggers call, stay with the superuser.
do $$
declare
  one regclass;
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     or not exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin')
     or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    return;
  end if;
  alter schema storage owner to supabase_admin;
  grant usage on schema storage to postgres;
  for one in
    select c.oid from pg_catalog.pg_class c
     where c.relnamespace = 'storage'::pg_catalog.regnamespace and c.relkind in ('r', 'p') and c.relname <> 'byte_stores'
       and c.relowner <> 'supabase_storage_admin'::pg_catalog.regrole
  loop
    execute format('alter table %s owner to supabase_storage_admin', one);
  end loop;
  -- As a text, since Postgres 15 cannot read it.
  execute 'grant supabase_storage_admin to postgres with inherit true, set false';
  grant all on storage.buckets, storage.objects to postgres with grant option;
  grant all on storage.s3_multipart_uploads, storage.s3_multipart_uploads_parts, storage.buckets_analytics, storage.buckets_vectors, storage.vector_indexes
    to postgres;
  grant execute on all functions in schema storage to postgres;
end
$$;
