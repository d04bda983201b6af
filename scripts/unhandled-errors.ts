import { writeFileSync } from 'node:fs'

/** An error that no test waited for: Vitest fails its run, and names no test in its report. */
export interface UnhandledError {
  /** The absolute path of the file whose tests ran; a worker that ended early names none. */
  readonly file?: string
  readonly message: string
}

interface SerializedError {
  readonly name?: string
  readonly message?: string
  readonly stack?: string
  readonly VITEST_TEST_PATH?: string
}

/** A reporter of Vitest that leaves the unhandled errors of a run as JSON in the file that `HOLDFAST_UNHANDLED_ERRORS` names. */
export default class UnhandledErrorsReporter {
  /** Called by Vitest when all tests have ended. */
  onTestRunEnd(_modules: readonly unknown[], errors: readonly SerializedError[]): void {
    const path = process.env['HOLDFAST_UNHANDLED_ERRORS']
    if (path === undefined) return
    const unhandled: UnhandledError[] = errors.map(({ name, message, stack, VITEST_TEST_PATH: file }) => ({
      ...(file !== undefined && { file }),
      message: stack ?? `${name ?? 'Error'}: ${message ?? ''}`,
    }))
    writeFileSync(path, JSON.stringify(unhandled))
  }
}
