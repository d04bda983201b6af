-- Anyone may name as many devices as they like, so that what is kept of a person's devices is bounded, and what no device asked for in a long time is deleted.
alter table sync.write_checkpoints add column at timestamptz not null default now();
create index write_checkpoints_at on sync.write_checkpoints (at);

-- A device whose line was deleted must not begin at 1 again: it would take an old number for a new one.
create sequence sync.write_checkpoint_ids;
select setval('sync.write_checkpoint_ids', (select coalesce(max(id), 0) + 1 from sync.write_checkpoints));
