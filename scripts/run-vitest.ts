import { relative } from 'node:path'
import { readReport } from './read-report.ts'
import { run } from './run.ts'

/** Failed files beyond this number are no accident: they get no second try. */
const SECOND_TRIES_MAX = 10

export interface VitestResult {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly isOk: boolean
  /** Tests, by file and name, that failed at first. */
  readonly secondTries: readonly string[]
}

/** What Vitest's JSON reporter leaves, as far as it is read here. */
interface Report {
  readonly testResults: readonly FileReport[]
}

interface FileReport {
  /** Its absolute path. */
  readonly name: string
  readonly status: string
  readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[]
}

/**
 * Runs Vitest, and in a run of everything the files that failed once more, one at a time with nothing beside it.
 *
 * @param reports - the folder that gets the reports
 * @param args - passed on to Vitest; none: a run of everything
 */
export async function runVitest(reports: string, args: readonly string[]): Promise<VitestResult> {
  const first = await runOnce(`${reports}/vitest.json`, args)
  const failed = first.files.filter(({ status }) => status === 'failed')
  const deservesSecond = args.length === 0 && failed.length > 0 && failed.length <= SECOND_TRIES_MAX
  if (first.code === 0 || !deservesSecond) {
    return { ...countOf(first.files), isOk: first.code === 0, secondTries: [] }
  }
  const names = failed.map(({ name }) => relative(process.cwd(), name))
  console.log(`\nonce more: ${names.join(' ')}`)
  const second = await runOnce(`${reports}/vitest-second.json`, ['--no-file-parallelism', ...names])
  const isOk = second.code === 0
  const others = first.files.filter((file) => !failed.includes(file))
  return { ...countOf([...others, ...second.files]), isOk, secondTries: isOk ? failed.flatMap(namesOfFailed) : [] }
}

async function runOnce(
  path: string,
  args: readonly string[],
): Promise<{ readonly code: number; readonly files: readonly FileReport[] }> {
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${path}`]
  const code = await run('vitest', ['run', ...reporters, ...args])
  return { code, files: readReport<Report>(path)?.testResults ?? [] }
}

function countOf(files: readonly FileReport[]): { passed: number; failed: number; skipped: number } {
  const statuses = files.flatMap(({ assertionResults }) => assertionResults.map(({ status }) => status))
  const passed = statuses.filter((status) => status === 'passed').length
  const failed = statuses.filter((status) => status === 'failed').length
  return { passed, failed, skipped: statuses.length - passed - failed }
}

function namesOfFailed({ name, assertionResults }: FileReport): string[] {
  const file = relative(process.cwd(), name)
  const failed = assertionResults.filter(({ status }) => status === 'failed')
  // A file that could not be loaded or set up names no test.
  return failed.length > 0 ? failed.map(({ fullName }) => `${file}: ${fullName}`) : [file]
}
