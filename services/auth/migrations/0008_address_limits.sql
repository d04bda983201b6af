-- Not part of GoTrue. What was asked or tried lately for an address or number, whether or not it has an account: a limit that were kept
-- with the account would tell who has one, and one kept by the asker's network address would let many of them guess one person's code.
create table auth.address_limits (
  -- Of the address, so that the table is no list of what people typed.
  digest text not null,
  kind text not null,
  -- A leaking bucket: how full it was at `updated_at`.
  level double precision not null,
  updated_at timestamptz not null,
  constraint address_limits_pkey primary key (digest, kind)
);
create index address_limits_updated_at_idx on auth.address_limits using btree (updated_at);

alter table auth.address_limits enable row level security;
revoke all on auth.address_limits from public, anon, authenticated, service_role;
