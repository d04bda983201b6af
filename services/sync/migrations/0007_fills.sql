-- Definitions whose buckets are being filled in the background, with the key of the last row that is in them, as texts; null: none yet.
-- A definition that is not here is complete.
create table sync.fills (
  definition integer primary key references sync.definitions (number) on delete cascade,
  filled_to text[]
);
revoke all on sync.fills from public;
