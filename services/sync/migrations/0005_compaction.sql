-- What superseded operations leave behind is dropped in the background; see docs/explanation/the-operation-log.md.
alter table sync.buckets
  -- Superseded operations up to here are one: a device that stands before it, and not at the start, begins the bucket anew.
  add column floor bigint not null default 0,
  -- How often superseded operations became one.
  add column compactions integer not null default 0,
  -- Rows in the bucket when compaction last counted them.
  add column live bigint not null default 0;
create index ops_superseded on sync.ops (bucket_id, op_id) where row_key is null;
-- Superseded and dropped operations are to be reused as space before they are a fifth of millions.
alter table sync.ops set (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 10000);
-- Definitions that nobody needs any more: their operations are deleted in the background.
alter table sync.definitions add column dropped boolean not null default false;
