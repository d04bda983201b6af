/** Counts of changes and files that are not on the server yet. */
export interface UnsentCount {
  /** Operations in the outbox. */
  readonly waiting: number
  /** Refused changes without a decision. */
  readonly attention: number
  /** Files that others cannot see yet: their bytes are nowhere else, or no row says that they are on the server. Those that were refused included. */
  readonly files: number
}

/** Live queries of the count use the same words. */
export const COUNT_UNSENT_SQL = `select (select count(*) from ps_crud) as waiting,
       (select count(*) from hf_local_attention where state = 'open') as attention,
       (select count(*) from hf_local_files where state in ('captured', 'preparing', 'queued', 'uploading', 'uploaded', 'refused')) as files`
