-- Token buckets of rate limits, where several servers have one database: a sign-in that is refused on one is refused on all. Unlogged: after a crash of Postgres all buckets
-- are full, as after a restart of a single server, which keeps them in memory. Addresses of people stay for an hour at most.
create unlogged table auth.rate_limits (
  name text not null,
  key text not null,
  full_at timestamptz not null,
  constraint rate_limits_pkey primary key (name, key)
);
comment on table auth.rate_limits is 'When the bucket of a limit and a network, session or account is full again.';

alter table auth.rate_limits enable row level security;
revoke all on auth.rate_limits from public, anon, authenticated, service_role;

-- As in 0040.
do $$
begin
  if not (select rolsuper from pg_catalog.pg_roles where rolname = current_user)
     or not exists (select from pg_catalog.pg_roles where oid = 10 and rolname = 'supabase_admin')
     or not exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
    return;
  end if;
  alter table auth.rate_limits owner to supabase_auth_admin;
  grant all on auth.rate_limits to postgres;
end
$$;
