/** Endpoint that lists a device's incomplete tables. Specific to Holdfast; the stream reports them in `errors`, which public clients only log. */
export const INCOMPLETE_PATH = '/sync/v1/incomplete'

/**
 * Why rows of a table that a person may read are not on their device: they are in more separate groups than fit on one; they have more different values than
 * are followed; the person, or another person, brought more different values than one account may; a policy fails for the person; the server is still reading
 * the table after a change of the schema, and its rows arrive together when that is done; the device itself could not
 * create the table.
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
  /** The table's name on devices. */
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
