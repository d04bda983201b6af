/**
 * Tables of schema `sync` that are derived from the project's tables and one cluster's write-ahead log. A logical dump omits their rows, whose positions
 * would be wrong after a restore. `uploads`, `streams` and `guards` are not derived.
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
  'devices',
] as const
