-- When a user signs out and keeps their data on a device, the client encrypts it. The private key of a device is encrypted with a key that only this server
-- can derive, for the user who signs in again.

create table holdfast.lock_secret (
  is_only boolean primary key default true check (is_only),
  secret bytea not null
);
comment on table holdfast.lock_secret is 'The secret that keys of locked devices are derived from. Only holdfast.lock_key reads it. Without it, data that is locked on devices opens with the password only.';
insert into holdfast.lock_secret (secret)
  values (sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())) || sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())));
alter table holdfast.lock_secret enable row level security;
revoke all on holdfast.lock_secret from public, anon, authenticated, service_role;

create function holdfast.lock_key(lock uuid) returns text
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  if holdfast.user_id() is null then
    raise exception 'Only the user of an account gets the keys of its devices.' using errcode = 'insufficient_privilege', hint = 'lock.account';
  end if;
  if coalesce(auth.jwt() ->> 'aal', 'aal1') <> 'aal2'
     and exists (select from auth.mfa_factors f where f.user_id = holdfast.user_id() and f.status = 'verified') then
    raise exception 'Enter the second factor first.' using errcode = 'insufficient_privilege', hint = 'lock.second_factor';
  end if;
  -- Hashed twice with the secret first, as in HMAC, so that no key tells another.
  return (select encode(sha256(s.secret || sha256(s.secret || uuid_send(holdfast.user_id()) || uuid_send(lock))), 'base64') from holdfast.lock_secret s);
end
$$;
comment on function holdfast.lock_key(uuid) is 'The key, 32 bytes in base64, that opens a device''s lock of the signed-in user. A session without the user''s second factor gets none.';

revoke all on function holdfast.lock_key(uuid) from public;
grant execute on function holdfast.lock_key(uuid) to authenticated;
do $$
declare
  project name := (select pg_catalog.pg_get_userbyid(relowner) from pg_catalog.pg_class where oid = 'holdfast.comments'::pg_catalog.regclass);
begin
  if project = current_user then
    return;
  end if;
  execute format('grant select, insert, update, delete, truncate on holdfast.lock_secret to %I', project);
  execute format('alter function holdfast.lock_key(uuid) owner to %I', project);
end
$$;
