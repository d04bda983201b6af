import type { HostProblem } from '@holdfast/protocol'

/** Why a server for tests cannot be opened, or does not do what it was told; the message says what to do. */
export class TestingError extends Error {
  override readonly name = 'TestingError'
  /** Names the reason, such as `project_sql_failed`. */
  readonly code: string

  constructor({ code, message, detail, hint }: HostProblem, cause?: unknown) {
    super([message, detail, hint].filter((text) => text !== undefined).join('\n'), { cause })
    this.code = code
  }
}
