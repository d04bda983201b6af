-- In a packaged database the accounts service is `supabase_auth_admin`, as on Supabase: triggers of a project on these tables and hooks that are functions run
-- as it, and foreign keys that refer to a table are checked with the rights of the table's owner. So no superuser owns one. It makes nothing in the schema, and
-- the functions here, which policies call, stay with the superuser.
do $$
declare
  one regclass;
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     or not exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin')
     or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    return;
  end if;
  grant usage on schema auth to supabase_auth_admin, postgres;
  for one in
    select c.oid from pg_catalog.pg_class c
     where c.relnamespace = 'auth'::pg_catalog.regnamespace and c.relkind in ('r', 'p') and c.relowner = 10
  loop
    execute format('alter table %s owner to supabase_auth_admin', one);
  end loop;
  -- A migration drops its trigger on auth.users before it creates it, and Postgres lets only the owner of a table drop one. Nothing is lost by that: what a
  -- trigger or hook of the project runs has these rights, too.
  -- As a text, since Postgres 15 cannot read it.
  execute 'grant supabase_auth_admin to postgres with inherit true, set false';
  grant all on all tables in schema auth to postgres;
  grant all on all sequences in schema auth to postgres;

  -- Whoever ends a session or an account announces it.
  alter function auth.on_sessions_deleted() security definer;
  alter function auth.on_session_changed() security definer;
  alter function auth.on_user_changed() security definer;
  alter function auth.on_sessions_truncated() security definer;
end
$$;
