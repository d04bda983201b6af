-- A server that starts, on whatever this database was restored from, answers every write checkpoint that was asked for before. The position of its floor: all that
-- had committed when any of them was asked for is before it.
alter table sync.state add column write_checkpoint_floor_lsn pg_lsn not null default '0/0';

-- The latest time at which policies that read the clock were evaluated. A present time before it means that the clock was set back, and that rows may have come
-- or gone too early.
alter table sync.state add column clock_seen timestamptz;
