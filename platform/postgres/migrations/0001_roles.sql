-- Roles, schemas and default privileges, named and granted as in Supabase, so that its clients, policies and migrations fit.
-- Roles belong to the whole cluster and may exist already: in an external database, or in a second database of one cluster.

do $$
begin
  if not exists (select from pg_catalog.pg_roles where rolname = 'anon') then
    create role anon nologin noinherit;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'authenticated') then
    create role authenticated nologin noinherit;
  end if;
  if not exists (select from pg_catalog.pg_roles where rolname = 'service_role') then
    create role service_role nologin noinherit bypassrls;
  end if;
  -- Requests log in as this role and have no right of their own: each transaction takes one of the three above. Its password is set by the
  -- server when it starts.
  if not exists (select from pg_catalog.pg_roles where rolname = 'authenticator') then
    create role authenticator login noinherit;
    alter role authenticator set search_path = public, extensions;
    -- A request that hangs in the middle of a transaction gives its locks back.
    alter role authenticator set idle_in_transaction_session_timeout = '60s';
    alter role authenticator set lock_timeout = '8s';
    alter role authenticator set statement_timeout = '30s';
    alter role anon set statement_timeout = '3s';
    alter role authenticated set statement_timeout = '8s';
    grant anon, authenticated, service_role to authenticator;
  end if;
end
$$;

create schema if not exists auth;
create schema if not exists extensions;
create schema if not exists holdfast;
create schema if not exists sync;

comment on schema auth is 'Users, sessions and signing keys.';
comment on schema extensions is 'Extensions, out of the way of the tables of the project.';
comment on schema holdfast is 'Migrations, settings and administration of Holdfast.';
comment on schema sync is 'What the sync service knows about buckets and checkpoints.';

grant usage on schema public, auth, extensions to anon, authenticated, service_role;
-- Policies live in the project's own migrations; nobody makes tables through the API.
revoke create on schema public from public;

-- Row-level security decides about rows; without a policy a table with it enabled shows nothing.
alter default privileges in schema public grant all on tables to anon, authenticated, service_role;
alter default privileges in schema public grant all on sequences to anon, authenticated, service_role;
alter default privileges in schema public grant all on routines to anon, authenticated, service_role;
alter default privileges in schema extensions grant execute on routines to anon, authenticated, service_role;

do $$
begin
  create extension if not exists pgcrypto with schema extensions;
  create extension if not exists "uuid-ossp" with schema extensions;
exception
  -- An external database may not carry them, or not let us. Holdfast itself needs neither.
  when undefined_file or insufficient_privilege or feature_not_supported then
    raise notice 'pgcrypto and uuid-ossp are not available: %', sqlerrm;
end
$$;
