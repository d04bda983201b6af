-- Accounts of the console. They are not users of the project: its role can read these tables but change none, so that nobody who may run SQL through the console
-- can raise their own role. What it reads is useless without the server's secret: hashes of random keys, peppered passwords, encrypted secrets.
create schema if not exists holdfast_console;
comment on schema holdfast_console is 'Operators of the console, their sessions, and what they did.';
revoke all on schema holdfast_console from public;

create table holdfast_console.operators (
  id uuid primary key default gen_random_uuid(),
  email text not null,
  name text not null,
  role text not null check (role in ('viewer', 'developer', 'owner')),
  -- bcrypt of the password's HMAC.
  password_hash text not null,
  -- Encrypted base32; without `totp_confirmed_at` the operator has not entered a first code yet.
  totp_secret text,
  totp_confirmed_at timestamptz,
  -- A code works once.
  totp_last_step bigint,
  created_at timestamptz not null default now(),
  last_seen_at timestamptz,
  disabled_at timestamptz
);
create unique index operators_email on holdfast_console.operators (lower(email));

create table holdfast_console.invitations (
  -- SHA-256 of the key in the link.
  key_hash bytea primary key,
  -- Null in the link that a fresh server prints: its first user enters an address.
  email text,
  role text not null check (role in ('viewer', 'developer', 'owner')),
  -- An existing operator who gets a new password by this link.
  operator_id uuid references holdfast_console.operators on delete cascade,
  invited_by text,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create unique index invitations_email on holdfast_console.invitations (lower(email));

create table holdfast_console.sessions (
  id uuid primary key default gen_random_uuid(),
  -- SHA-256 of the cookie's value.
  key_hash bytea not null unique,
  operator_id uuid not null references holdfast_console.operators on delete cascade,
  -- False until the second factor has been checked.
  is_complete boolean not null,
  created_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  address text,
  user_agent text
);
create index on holdfast_console.sessions (operator_id);
create index on holdfast_console.sessions (used_at);

create table holdfast_console.audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null default now(),
  -- No foreign key: an entry outlives its operator.
  operator_id uuid,
  operator text not null,
  role text,
  action text not null,
  target text,
  before jsonb,
  after jsonb,
  -- Null for an action that succeeded.
  error text,
  address text,
  request_id text
);
create index on holdfast_console.audit_log (at);
