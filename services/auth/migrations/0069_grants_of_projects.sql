-- Migrations of hosted projects say `grant all on all routines in schema auth to …`, which fails at the first function that the role has no right on. In a packaged
-- database these belong to the accounts service, whose rights `postgres` has: no superuser runs them, so that whoever puts one on another table gains nothing.
do $$
begin
  if not exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin' and rolname = current_user)
     or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    return;
  end if;
  alter function auth.announce_endings(text, uuid[]) owner to supabase_auth_admin;
  alter function auth.on_sessions_deleted() owner to supabase_auth_admin;
  alter function auth.on_session_changed() owner to supabase_auth_admin;
  alter function auth.on_user_changed() owner to supabase_auth_admin;
  alter function auth.on_sessions_truncated() owner to supabase_auth_admin;
end
$$;
