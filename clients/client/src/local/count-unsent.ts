/** Counts of unsent changes and files. */
export interface UnsentCount {
  /** Operations in the outbox. */
  readonly waiting: number
  /** Rejected changes without a decision. */
  readonly attention: number
  /** Files others cannot see yet, including refused ones: the bytes are unsent, or no row announces them. */
  readonly files: number
}

/** Shared with the live query of the count. */
export const COUNT_UNSENT_SQL = `select (select count(*) from ps_crud) as waiting,
       (select count(*) from hf_local_attention where state = 'open') as attention,
       (select count(*) from hf_local_files where state in ('captured', 'preparing', 'queued', 'uploading', 'uploaded', 'refused')) as files`
