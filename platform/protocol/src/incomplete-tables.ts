/** Endpoint that lists a device's incomplete tables. Specific to Holdfast; the stream reports them in `errors`, which public clients only log. */
export const INCOMPLETE_PATH = '/sync/v1/incomplete'

/**
 * Why rows that a user may read are not on their device: too many separate groups for a device; more different values than are followed; more different
 * values than one account may bring, by this user or another; a policy fails for the user; the server is still reading the table after a schema change; the
 * device could not create the table.
 */
export type IncompleteReason =
  | 'too_many_groups'
  | 'too_many_values'
  | 'own_values'
  | 'others_values'
  | 'policy_fails'
  | 'being_read'
  | 'not_on_device'

export interface IncompleteTable {
  /** The table's local name. */
  readonly table: string
  readonly reason: IncompleteReason
  /** The policy whose rows are missing; other policies may supply some of them. */
  readonly policy?: string
}

export interface IncompleteAnswer {
  /** Whether the device has a stream whose tables were checked; otherwise the previous result still holds. */
  readonly known: boolean
  readonly tables: readonly IncompleteTable[]
}
