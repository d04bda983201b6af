import { relative } from 'node:path'
import { failuresOfFile, type Failure, type FileReport } from './name-failures.ts'
import { readReport } from './read-report.ts'
import { run } from './run.ts'
import { PROJECTS, type Scope } from './test-scope.ts'
import type { UnhandledError } from './unhandled-errors.ts'

/** Maximum failed files to retry. More are not a coincidence. */
const SECOND_TRIES_MAX = 10

export interface VitestResult {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly isOk: boolean
  /** Tests that also failed on retry. */
  readonly failures: readonly Failure[]
  /** Tests that failed first and passed on retry. */
  readonly secondTries: readonly Failure[]
}

/** Vitest's JSON report, with the fields read here. */
interface Report {
  readonly testResults: readonly FileReport[]
}

interface Run {
  readonly code: number
  readonly files: readonly FileReport[]
  /** Unhandled errors that belong to no file of the report. */
  readonly unplaced: readonly FileReport[]
}

/**
 * Runs the Vitest projects of a scope. Failed files run once more, one at a time with nothing else running, unless `args` select tests.
 *
 * @param reports - folder for the reports
 * @param args - further arguments of Vitest
 * @param withCoverage - whether the first run measures coverage; the retry of a few files would overwrite the report
 */
export async function runVitest(
  reports: string,
  scope: Scope,
  args: readonly string[],
  withCoverage = false,
): Promise<VitestResult> {
  const projects = args.includes('--project') ? [] : PROJECTS[scope].map((project) => `--project=${project}`)
  const coverage = withCoverage ? ['--coverage'] : []
  const first = await runOnce(`${reports}/vitest.json`, [...projects, ...coverage, ...args])
  const failed = first.files.filter(({ status }) => status === 'failed')
  const deservesSecond =
    args.length === 0 && first.unplaced.length === 0 && failed.length > 0 && failed.length <= SECOND_TRIES_MAX
  if (first.code === 0 || !deservesSecond) {
    return {
      ...countOf(first.files),
      isOk: first.code === 0,
      failures: [...failed, ...first.unplaced].flatMap(failuresOfFile),
      secondTries: [],
    }
  }
  const names = failed.map(({ name }) => relative(process.cwd(), name))
  console.log(`\nonce more: ${names.join(' ')}`)
  const second = await runOnce(`${reports}/vitest-second.json`, [...projects, '--no-file-parallelism', ...names])
  const others = first.files.filter((file) => !failed.includes(file))
  const failedTwice = second.files.filter(({ status }) => status === 'failed')
  const passedThen = failed.filter(({ name }) => !failedTwice.some((file) => file.name === name))
  return {
    ...countOf([...others, ...second.files]),
    isOk: second.code === 0,
    failures: [...failedTwice, ...second.unplaced].flatMap(failuresOfFile),
    secondTries: passedThen.flatMap(failuresOfFile),
  }
}

async function runOnce(path: string, args: readonly string[]): Promise<Run> {
  const unhandledPath = path.replace('.json', '-unhandled.json')
  const reporters = ['default', 'json', './scripts/unhandled-errors.ts'].map((name) => `--reporter=${name}`)
  const code = await run('vitest', ['run', ...reporters, `--outputFile.json=${path}`, ...args], {
    HOLDFAST_UNHANDLED_ERRORS: unhandledPath,
  })
  const files = readReport<Report>(path)?.testResults ?? []
  const unhandled = code === 0 ? [] : (readReport<UnhandledError[]>(unhandledPath) ?? [])
  const unplaced = unhandled
    .filter(({ file }) => !files.some(({ name }) => name === file))
    .map(({ file, message }): FileReport => ({
      name: file ?? 'vitest',
      status: 'failed',
      message,
      assertionResults: [],
    }))
  return { code, files: files.map((file) => withUnhandled(file, unhandled)), unplaced }
}

/** @returns a file's report, marked as failed if an unhandled error occurred in it */
function withUnhandled(file: FileReport, unhandled: readonly UnhandledError[]): FileReport {
  const own = unhandled.find((error) => error.file === file.name)
  if (own === undefined || file.status === 'failed') return file
  return { ...file, status: 'failed', message: `an error that no test waited for\n${own.message}` }
}

function countOf(files: readonly FileReport[]): { passed: number; failed: number; skipped: number } {
  const statuses = files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
  const passed = statuses.filter((status) => status === 'passed').length
  const failed = statuses.filter((status) => status === 'failed').length
  return { passed, failed, skipped: statuses.length - passed - failed }
}
