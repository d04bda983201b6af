export interface RestResponse {
  readonly status: number
  /** The words after the status, when a function chose them. */
  readonly statusText?: string | undefined
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string | string[]>>
  /** Empty for no body. */
  readonly body: string | Buffer
}
