-- How long checkpoints may still wait for tables that are being read, as it was when they began to wait or had waited, and for how long they were to wait at most: a
-- server that was killed meanwhile goes on with what is left, so that kills in a row do not hold checkpoints each time.
alter table sync.state
  add column hold_left_ms double precision,
  add column hold_ms double precision,
  add column hold_noted_at timestamptz;
