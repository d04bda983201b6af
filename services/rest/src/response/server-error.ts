/** The fields of an error that Postgres reported. */
export interface ServerError {
  readonly code: string
  readonly message: string
  readonly detail?: string
  readonly hint?: string
}
