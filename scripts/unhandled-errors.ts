import { writeFileSync } from 'node:fs'

/** An error that no test awaited: Vitest fails the run without naming a test. */
export interface UnhandledError {
  /** Absolute path of the running test file; absent if a worker exited early. */
  readonly file?: string
  readonly message: string
}

interface SerializedError {
  readonly name?: string
  readonly message?: string
  readonly stack?: string
  readonly VITEST_TEST_PATH?: string
}

/** A Vitest reporter that writes a run's unhandled errors as JSON to the file named by `HOLDFAST_UNHANDLED_ERRORS`. */
export default class UnhandledErrorsReporter {
  /** Called by Vitest at the end of the run. */
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
