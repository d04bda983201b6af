-- Not part of GoTrue, which forgets a code when it is used. Kept, a code that turns up a second time is recognised as stolen, and the
-- session that its first use began ends. Codes are kept as hashes.
alter table auth.oauth_authorizations
  add column if not exists code_used_at timestamptz,
  add column if not exists session_id uuid;
create index if not exists oauth_authorizations_expires_at_idx on auth.oauth_authorizations using btree (expires_at);
create index if not exists oauth_authorizations_client_id_idx on auth.oauth_authorizations using btree (client_id);
