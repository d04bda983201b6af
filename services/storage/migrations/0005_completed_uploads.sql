-- Not of Supabase: uploads of S3 that were completed within the last day. A client whose answer was lost completes again, and is told the same.
create table if not exists storage.s3_completed_uploads (
  id text primary key,
  bucket_id text not null,
  key text not null collate "C",
  etag text not null,
  owner_id text,
  completed_at timestamptz not null default now()
);
create index if not exists s3_completed_uploads_completed_at on storage.s3_completed_uploads (completed_at);
comment on table storage.s3_completed_uploads is 'What completed uploads of S3 were answered, for clients that ask again. For nobody but Holdfast.';
alter table storage.s3_completed_uploads enable row level security;
grant select, insert, delete on storage.s3_completed_uploads to service_role;
