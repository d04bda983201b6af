import { relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'

/** Lines printed of a failure's message: expected and actual values, without the stack. */
const MESSAGE_LINES = 14
const LINE_CHARACTERS = 300

/** A test file in Vitest's JSON report, with the fields read here. */
export interface FileReport {
  /** Its absolute path. */
  readonly name: string
  readonly status: string
  /** Why the file could not be loaded. */
  readonly message?: string
  readonly assertionResults: readonly {
    readonly status: string
    readonly fullName: string
    readonly failureMessages?: readonly string[]
  }[]
}

/** A suite in Playwright's JSON report, with the fields read here. */
export interface JourneySuite {
  readonly suites?: readonly JourneySuite[]
  readonly specs?: readonly {
    readonly title: string
    readonly file: string
    readonly tests: readonly {
      /** `flaky`: passed on retry; `unexpected`: failed. */
      readonly status: string
      readonly results: readonly { readonly error?: { readonly message?: string } }[]
    }[]
  }[]
}

/** A failed test and its message. */
export interface Failure {
  /** File and test name. */
  readonly name: string
  /** First lines of its message. */
  readonly message: readonly string[]
}

/** @returns the failed tests of a file; the file itself if it could not be loaded or set up, because its report then names no tests */
export function failuresOfFile({ name, message, assertionResults }: FileReport): Failure[] {
  const file = relative(process.cwd(), name)
  const failed = assertionResults.filter(({ status }) => status === 'failed')
  if (failed.length === 0) return [{ name: file, message: beginningOf(message) }]
  return failed.map(({ fullName, failureMessages }) => ({
    name: `${file}: ${fullName}`,
    message: beginningOf(failureMessages?.[0]),
  }))
}

/**
 * @param suites - from Playwright's report
 * @param status - `unexpected` for failed journeys, `flaky` for those that passed on retry
 */
export function failuresOfJourneys(suites: readonly JourneySuite[], status: 'unexpected' | 'flaky'): Failure[] {
  return suites.flatMap((suite) => [
    ...failuresOfJourneys(suite.suites ?? [], status),
    ...(suite.specs ?? []).flatMap(({ title, file, tests }) =>
      tests
        .filter((test) => test.status === status)
        .map(({ results }) => ({
          name: `${file}: ${title}`,
          message: beginningOf(results.find(({ error }) => error !== undefined)?.error?.message),
        })),
    ),
  ])
}

/** Renders failures, a paragraph each. */
export function textOfFailures(heading: string, failures: readonly Failure[]): string {
  return failures
    .map(({ name, message }) => [`${heading}: ${name}`, ...message.map((line) => `    ${line}`)].join('\n') + '\n')
    .join('')
}

function beginningOf(message: string | undefined): string[] {
  const lines = stripVTControlCharacters(message ?? '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return lines.slice(0, MESSAGE_LINES).map((line) => line.slice(0, LINE_CHARACTERS))
}
