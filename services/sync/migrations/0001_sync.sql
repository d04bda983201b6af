-- The derived state of sync: operations per bucket, where the change reader stands, write checkpoints.
-- Everything here can be thrown away and made again from the tables; devices then download anew.

create schema if not exists sync;
revoke all on schema sync from public;
-- Key functions of security-definer policies live here and run as the caller's role.
grant usage on schema sync to anon, authenticated, service_role, authenticator;

create table sync.state (
  only_row boolean primary key default true check (only_row),
  slot_name text not null,
  -- Everything that committed before this position is in the operation log.
  confirmed_lsn pg_lsn,
  last_op_id bigint not null default 0,
  last_bucket_id integer not null default 0
);

create table sync.definitions (
  number integer generated always as identity primary key,
  -- The definition's id in the compiled plan and the random tag of the snapshot it was filled from: both are in the bucket names.
  id text not null,
  tag text not null,
  -- The table and columns that were read: the same definition over a table made anew, or over rows that ALTER TABLE has rewritten, is filled again.
  shape text not null,
  -- Transactions that committed before this position are in the snapshot already.
  active_from pg_lsn not null,
  created_at timestamptz not null default now()
);

create table sync.buckets (
  id integer primary key,
  name text not null unique,
  definition integer not null,
  -- Sum of the checksums of all operations, modulo 2^32, and their number.
  checksum bigint not null,
  count bigint not null,
  last_op_id bigint not null
) with (fillfactor = 70);
create index buckets_definition on sync.buckets (definition);

create table sync.ops (
  op_id bigint not null,
  bucket_id integer not null,
  checksum integer not null,
  -- Identifies the row within the bucket while this operation is its newest version; null once superseded, and for removals.
  row_key bytea,
  -- The operation as a BSON document, as it goes on the wire.
  doc bytea not null,
  primary key (bucket_id, op_id)
);
alter table sync.ops alter column doc set storage external;
create unique index ops_current on sync.ops (bucket_id, row_key) where row_key is not null;

create table sync.write_checkpoints (
  user_id text not null,
  client_id text not null,
  id bigint not null,
  lsn pg_lsn not null,
  primary key (user_id, client_id)
);

create function sync.int32_le(value integer) returns bytea
  language sql immutable strict parallel safe
  return substring(int4send(value) from 4 for 1) || substring(int4send(value) from 3 for 1)
      || substring(int4send(value) from 2 for 1) || substring(int4send(value) from 1 for 1);

-- The BSON document of a superseded operation: {"op_id": "…", "op": "MOVE", "checksum": …}. It keeps its place and checksum, nothing else.
create function sync.move_doc(op_id bigint, checksum integer) returns bytea
  language sql immutable strict parallel safe
  return sync.int32_le(length(op_id::text) + 44)
      || '\x026f705f696400'::bytea || sync.int32_le(length(op_id::text) + 1) || convert_to(op_id::text, 'UTF8') || '\x00'::bytea
      || '\x026f7000050000004d4f564500'::bytea
      || '\x10636865636b73756d00'::bytea || sync.int32_le(checksum) || '\x00'::bytea;

revoke all on all tables in schema sync from public;
