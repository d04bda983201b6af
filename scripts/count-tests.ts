import { textOfFailures, type Failure } from './name-failures.ts'

/** Limit of flaky tests. On a busy machine a test may occasionally time out; more indicate a defect. */
export const FLAKY_MAX = 3

/** Result of a test runner. */
export interface RunResult {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Whether the runner exited with 0. */
  readonly isOk: boolean
  readonly failures: readonly Failure[]
  /** Tests that failed first and passed on retry. */
  readonly secondTries: readonly Failure[]
}

/** Sum of several runs. A runner that fails without naming a test counts as one failed test. */
export interface Total {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly failures: readonly Failure[]
  readonly secondTries: readonly Failure[]
}

export const EMPTY_TOTAL: Total = { passed: 0, failed: 0, skipped: 0, failures: [], secondTries: [] }

export function countRun({ passed, failed, skipped, isOk, failures, secondTries }: RunResult): Total {
  return { passed, failed: isOk ? failed : Math.max(1, failed), skipped, failures, secondTries }
}

export function addRuns(one: Total, other: Total): Total {
  return {
    passed: one.passed + other.passed,
    failed: one.failed + other.failed,
    skipped: one.skipped + other.skipped,
    failures: [...one.failures, ...other.failures],
    secondTries: [...one.secondTries, ...other.secondTries],
  }
}

export function isPassed({ failed, secondTries }: Total): boolean {
  return failed === 0 && secondTries.length <= FLAKY_MAX
}

/** Returns what was flaky and what failed, and as the last line the count of all tests. */
export function textOfTotal({ passed, failed, skipped, failures, secondTries }: Total): string {
  const tooMany = secondTries.length > FLAKY_MAX ? `, more than the ${FLAKY_MAX} allowed` : ''
  return [
    textOfFailures('flaky', secondTries),
    textOfFailures('failed', failures),
    secondTries.length > 0 ? `${secondTries.length} flaky${tooMany}\n` : '',
    `${passed} passed, ${failed} failed, ${skipped} skipped\n`,
  ].join('')
}
