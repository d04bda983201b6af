import type { HostProblem } from '@holdfast/protocol'

/** An error of the test server; the message says what to do. */
export class TestingError extends Error {
  override readonly name = 'TestingError'
  /** Identifies the reason, such as `project_sql_failed`. */
  readonly code: string

  constructor({ code, message, detail, hint }: HostProblem, cause?: unknown) {
    super([message, detail, hint].filter((text) => text !== undefined).join('\n'), { cause })
    this.code = code
  }
}
