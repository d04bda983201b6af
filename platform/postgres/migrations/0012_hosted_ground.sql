-- What migrations of hosted projects find there besides: roles and schemas that their dumps name, `extensions` in the path of the project's own sessions, and the
-- vault. Roles belong to the whole cluster and may exist already.

do $$
declare
  one name;
begin
  foreach one in array array['dashboard_user', 'supabase_functions_admin', 'supabase_read_only_user', 'supabase_replication_admin', 'pgbouncer'] loop
    if not exists (select from pg_catalog.pg_roles where rolname = one) then
      begin
        -- Names to grant to and to take from. Nobody logs in as them.
        execute format('create role %I nologin noinherit', one);
      exception when duplicate_object or unique_violation then
        -- Another database of the cluster was faster.
        null;
      end;
    end if;
  end loop;
end
$$;

create schema if not exists graphql;
create schema if not exists graphql_public;
grant usage on schema graphql, graphql_public to anon, authenticated, service_role;

-- The rest is for a packaged database, where projects act as `postgres` and the key of the vault lies beside the database files.
do $migration$
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     or not exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin')
     or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    return;
  end if;
  alter schema graphql owner to supabase_admin;
  alter schema graphql_public owner to supabase_admin;
  grant all on schema graphql, graphql_public to postgres with grant option;
  begin
    -- A path that a person has chosen stays.
    if not exists (select from pg_catalog.pg_db_role_setting s, unnest(s.setconfig) setting
                    where s.setrole = 'postgres'::pg_catalog.regrole and setting like 'search_path=%') then
      alter role postgres set search_path = "$user", public, extensions;
    end if;
  exception when unique_violation or internal_error then
    null;
  end;
  if pg_catalog.to_regclass('vault.secrets') is not null then
    return;
  end if;
  begin
  execute $ddl$

create schema if not exists vault;
alter schema vault owner to supabase_admin;
comment on schema vault is 'Secrets, encrypted with a key that is not in the database: tables and functions of supabase_vault.';

create table vault.secrets (
  id uuid primary key default pg_catalog.gen_random_uuid(),
  name text,
  description text not null default '',
  secret text not null,
  key_id uuid,
  nonce bytea,
  created_at timestamptz not null default current_timestamp,
  updated_at timestamptz not null default current_timestamp
);
create unique index secrets_name_idx on vault.secrets (name) where name is not null;
comment on table vault.secrets is 'Secrets as they are stored: AES-256 by pgcrypto. Read them in vault.decrypted_secrets.';

-- Straight from the library of pgcrypto: functions of the extension lie in a schema of the project, which could put others in their place.
create function vault.holdfast_encrypt(data text, key text, options text) returns bytea
  language c volatile strict as '$libdir/pgcrypto', 'pgp_sym_encrypt_text';
create function vault.holdfast_decrypt(data bytea, key text) returns text
  language c immutable strict as '$libdir/pgcrypto', 'pgp_sym_decrypt_text';

-- The file is beside the folder of the database, so that neither a dump nor a copy of the database files has it.
create function vault.holdfast_key() returns text
  language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return btrim(pg_read_file('../vault-key'), E' \n');
exception when undefined_file or insufficient_privilege then
  raise exception using errcode = 'object_not_in_prerequisite_state', message = 'The key of the vault is missing.',
    hint = 'The file "vault-key" of the data folder has it. Restore it from a backup of the folder.';
end
$$;

-- The id is encrypted along with the secret, so that nobody can put one secret in the place of another.
create function vault.holdfast_seal(secret text, id uuid) returns text
  language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  select encode(vault.holdfast_encrypt(id::text || secret, vault.holdfast_key(),
                                       'cipher-algo=aes256, compress-algo=0, s2k-mode=1, s2k-digest-algo=sha256'), 'base64')
$$;
create function vault.holdfast_open(secret text, id uuid) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  opened text;
begin
  begin
    opened := vault.holdfast_decrypt(decode(secret, 'base64'), vault.holdfast_key());
  exception when external_routine_invocation_exception or data_exception then
    raise exception using errcode = 'data_exception', message = format('The secret %s was encrypted with another key.', id),
      hint = 'The file "vault-key" of the data folder is not the one that it had.';
  end;
  if left(opened, 36) <> id::text then
    raise exception using errcode = 'data_exception', message = format('The secret %s was stored for another row.', id);
  end if;
  return substr(opened, 37);
end
$$;

create function vault.holdfast_encrypt_secret() returns trigger
  language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  if tg_op = 'INSERT' then
    new.secret := vault.holdfast_seal(new.secret, new.id);
  else
    if new.id <> old.id then
      raise exception using errcode = 'feature_not_supported', message = 'The id of a secret cannot change.';
    end if;
    if new.secret <> old.secret then
      new.secret := vault.holdfast_seal(new.secret, new.id);
    end if;
    new.updated_at := now();
  end if;
  return new;
end
$$;
create trigger holdfast_encrypt_secret before insert or update on vault.secrets
  for each row execute function vault.holdfast_encrypt_secret();

create view vault.decrypted_secrets as
  select id, name, description, secret, vault.holdfast_open(secret, id) as decrypted_secret, key_id, nonce, created_at, updated_at
    from vault.secrets;

create function vault.create_secret(new_secret text, new_name text default null, new_description text default '', new_key_id uuid default null)
  returns uuid
  language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  insert into vault.secrets (secret, name, description) values (new_secret, new_name, coalesce(new_description, '')) returning id
$$;
create function vault.update_secret(
  secret_id uuid, new_secret text default null, new_name text default null, new_description text default null, new_key_id uuid default null
) returns void
  language sql volatile security definer set search_path = pg_catalog, pg_temp
as $$
  update vault.secrets s
     set secret = coalesce(new_secret, s.secret), name = coalesce(new_name, s.name), description = coalesce(new_description, s.description)
   where s.id = secret_id
$$;

revoke all on all functions in schema vault from public;
grant usage on schema vault to postgres with grant option;
grant usage on schema vault to service_role;
grant select, insert, update, delete on vault.secrets to postgres with grant option;
grant select on vault.decrypted_secrets to postgres with grant option;
grant select, delete on vault.secrets to service_role;
grant select on vault.decrypted_secrets to service_role;
grant execute on function vault.create_secret(text, text, text, uuid), vault.update_secret(uuid, text, text, text, uuid), vault.holdfast_open(text, uuid)
  to postgres with grant option;
grant execute on function vault.create_secret(text, text, text, uuid), vault.update_secret(uuid, text, text, text, uuid), vault.holdfast_open(text, uuid)
  to service_role;
  $ddl$;
  exception when undefined_file then
    -- An installed Postgres may lack its contrib modules. Holdfast itself needs none.
    raise notice 'there is no vault without pgcrypto: %', sqlerrm;
  end;
end
$migration$;
