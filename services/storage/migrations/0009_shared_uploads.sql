-- Not of Supabase: uploads in parts that any server of the database continues. Their bytes are in the store that the servers share.
alter table storage.resumable_uploads add column if not exists record jsonb;
comment on column storage.resumable_uploads.record is 'What the upload is going to be. Null if a server keeps that in its own folder.';
create table if not exists storage.resumable_parts (
  upload text not null references storage.resumable_uploads on delete cascade,
  -- Of its first byte.
  position bigint not null,
  size bigint not null check (size > 0),
  -- The name of its bytes in the store.
  version text not null unique,
  primary key (upload, position)
);
comment on table storage.resumable_parts is 'What has arrived of uploads in parts that all servers share. For nobody but Holdfast.';
alter table storage.resumable_parts enable row level security;
