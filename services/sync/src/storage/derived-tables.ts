/**
 * Tables of schema `sync` that are derived from the tables of the project and from the write-ahead log of one cluster. A logical dump leaves their rows
 * out: after a restore elsewhere their positions would be those of another log. `uploads`, `streams` and `guards` are not derived.
 */
export const DERIVED_SYNC_TABLES = [
  'state',
  'definitions',
  'buckets',
  'ops',
  'classes',
  'class_origins',
  'partitions',
  'fills',
  'moments',
  'enum_labels',
  'write_checkpoints',
] as const
