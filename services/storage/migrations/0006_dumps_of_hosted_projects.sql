-- For dumps of projects that are hosted by Supabase, whose storage has or had these: rows load as they stand, and nothing reads them here.
alter table storage.objects add column if not exists level integer;
comment on column storage.objects.level is 'For dumps of hosted projects: how deep a key is. Nothing reads it.';

create table if not exists storage.migrations (
  id integer primary key,
  name varchar(100) unique not null,
  hash varchar(40) not null,
  executed_at timestamp default current_timestamp
);
comment on table storage.migrations is 'For dumps of hosted projects: the migrations of Supabase Storage. Nothing reads it.';

create table if not exists storage.prefixes (
  bucket_id text not null references storage.buckets (id),
  name text not null collate "C",
  level integer generated always as (array_length(string_to_array(name, '/'), 1)) stored,
  created_at timestamptz default now(),
  updated_at timestamptz default now(),
  primary key (bucket_id, name)
);
comment on table storage.prefixes is 'For dumps of hosted projects: the folders of objects. Nothing reads it.';

alter table storage.migrations enable row level security;
alter table storage.prefixes enable row level security;
grant all on storage.migrations, storage.prefixes to service_role;

-- As the other tables of the schema, see 0003.
do $$
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     or not exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin')
     or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    return;
  end if;
  alter table storage.migrations owner to supabase_storage_admin;
  alter table storage.prefixes owner to supabase_storage_admin;
  grant all on storage.migrations, storage.prefixes to postgres;
end
$$;
