-- Servers that do not read the change stream follow the operation log. The reader notes with each batch what they cannot find in the log. Both tables are
-- unlogged: they cost no write-ahead log, and a follower that misses them starts again at the log's current position.

create unlogged table sync.batch_notes (
  -- The epoch of the lease in the upper half, then a count without gaps: a follower that finds a gap starts again.
  number bigint primary key,
  at timestamptz not null default clock_timestamp(),
  from_op_id bigint not null,
  to_op_id bigint not null,
  end_lsn pg_lsn not null,
  -- JSON. Text, because only servers read it.
  content text not null,
  -- The documents of the batch's operations, if they are few.
  docs bytea
);
alter table sync.batch_notes alter column docs set storage external;
create index batch_notes_at on sync.batch_notes (at);

-- The plan that devices are served by.
create unlogged table sync.served_plan (
  only_row boolean primary key default true check (only_row),
  -- In force after this note, until a later note names another plan or none.
  after_note bigint not null,
  -- Null while no checkpoint may be sent.
  serial bigint,
  document text
);
revoke all on sync.batch_notes, sync.served_plan from public;
