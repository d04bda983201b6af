-- Devices seen recently, for operators. Written when a stream opens, when it ends, and every few minutes in between; never read to serve a device.
create table sync.devices (
  -- The token's subject. Text, because a foreign issuer's subject need not be a uuid.
  user_id text not null,
  client_id text not null,
  -- The process that had its newest stream.
  node text not null,
  user_agent text not null,
  -- JSON. Text, because a device may send what the json type refuses.
  app_metadata text,
  address text not null,
  connected_at timestamptz not null,
  seen_at timestamptz not null,
  ended_at timestamptz,
  end_reason text,
  -- The last checkpoint that was sent whole.
  checkpoint bigint,
  completed_at timestamptz,
  buckets integer not null default 0,
  operations bigint not null default 0,
  primary key (user_id, client_id)
);
create index devices_seen_at on sync.devices (seen_at desc, user_id, client_id);
revoke all on sync.devices from public;
