-- Users with an address or number that nobody has proven while credentials could be set: the credentials end when it is proven.
create table auth.unverified_credentials (
  user_id uuid not null,
  channel text not null,
  created_at timestamptz not null default now(),
  constraint unverified_credentials_pkey primary key (user_id, channel),
  constraint unverified_credentials_user_id_fkey foreign key (user_id) references auth.users (id) on delete cascade,
  constraint unverified_credentials_channel_check check (channel in ('email', 'phone'))
);
comment on table auth.unverified_credentials is 'auth: credentials of these users may be those of another person; they end at the first proof of the address or number';

alter table auth.unverified_credentials enable row level security;
revoke all on auth.unverified_credentials from public, anon, authenticated, service_role;

do $$ begin
  -- As in 0040: in a packaged database no superuser owns a table of the accounts service.
  if exists (select from pg_catalog.pg_class
              where oid = 'auth.users'::pg_catalog.regclass and relowner <> 10) and
     (select rolsuper from pg_catalog.pg_roles where rolname = current_user) and
     exists (select from pg_catalog.pg_roles where rolname = 'supabase_auth_admin') then
    alter table auth.unverified_credentials owner to supabase_auth_admin;
    if exists (select from pg_catalog.pg_roles where rolname = 'postgres' and not rolsuper) then
      grant all on auth.unverified_credentials to postgres;
    end if;
  end if;
end $$;
