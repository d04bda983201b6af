-- Not of Supabase: uploads in parts of the last day. Their versions are in use before any object has them, and their parts are on one server.
create table if not exists storage.resumable_uploads (
  version text primary key,
  server_id text not null,
  created_at timestamptz not null default now()
);
comment on table storage.resumable_uploads is 'Versions that uploads in parts are going to have, and which server has the parts. For nobody but Holdfast.';
alter table storage.resumable_uploads enable row level security;
grant select, insert on storage.resumable_uploads to service_role;
