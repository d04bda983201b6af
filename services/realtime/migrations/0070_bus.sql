-- The bus between the servers of one database: messages go by NOTIFY, encrypted, and those that are too long for it through a table.

-- Encrypts what the servers tell each other, because every role that may log in can listen to a channel and notify it.
create table if not exists realtime.bus_key (
  only_row boolean primary key default true check (only_row),
  key bytea not null check (octet_length(key) = 32)
);
comment on table realtime.bus_key is 'Key of the messages between the servers of this database.';

create unlogged table if not exists realtime.bus_frames (
  id uuid primary key,
  frame bytea not null,
  stored_at timestamptz not null default now()
);
comment on table realtime.bus_frames is 'Messages between servers that are too long for NOTIFY, for a minute.';

-- Migrations of hosted projects grant all on all tables of the schema; without a policy the rows stay hidden.
alter table realtime.bus_key enable row level security;
alter table realtime.bus_frames enable row level security;
revoke all on realtime.bus_key, realtime.bus_frames from public, anon, authenticated, service_role;
