-- When an access class first came, and who brought it: which classes are kept when there are too many follows from it, also when the buckets are made again.
create table sync.class_origins (
  -- Identifies the table and the columns that make its classes; buckets that are made again have other definitions, and the same list.
  list text not null,
  -- The values, as in the name of a bucket.
  key text not null,
  -- The order in which they came.
  number bigint generated always as identity,
  -- Null: not through the API, or with the service key.
  author text,
  noted_at timestamptz not null default now(),
  primary key (list, key)
);
revoke all on sync.class_origins from public;
