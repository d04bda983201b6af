-- Access classes whose values do not fit into the name of their bucket. The others are read from the names.
create table sync.classes (
  name text primary key,
  definition integer not null references sync.definitions (number) on delete cascade,
  -- The values of the key columns as an array of texts and nulls.
  key jsonb not null
);
revoke all on sync.classes from public;
