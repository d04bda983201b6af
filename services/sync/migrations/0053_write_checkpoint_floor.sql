-- A log that was built again, or restored from a backup, answers every write checkpoint that was asked for before it was there: what had committed by then is in
-- it. Their numbers may be gone with what was restored over, so a device that has no newer one gets this number, which is above all of them.
alter table sync.state add column write_checkpoint_floor bigint;
