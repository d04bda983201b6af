import { failuresOfJourneys, type Failure, type JourneySuite } from './name-failures.ts'
import { readReport } from './read-report.ts'
import { run } from './run.ts'

/** Parts of the journeys that are run one after the other where time is limited. */
const PARTS = 8
const HOUR_MS = 3_600_000

export interface JourneyResults {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Whether every run of the tool ended well. */
  readonly isOk: boolean
  readonly secondTries: readonly Failure[]
  readonly failures: readonly Failure[]
  /** Parts that were not begun, as `parts 3, 4 of 8`; `undefined` when all were. */
  readonly leftOut: string | undefined
}

export interface JourneyRun {
  /** Folder of the reports. */
  readonly reports: string
  /** The program of the browser. */
  readonly chromium: string
  /** Seconds of this process after which no further part begins; without it all journeys run at once. */
  readonly secondsMax: number | undefined
}

interface Report {
  readonly suites: JourneySuite[]
  readonly stats: {
    readonly expected: number
    readonly unexpected: number
    readonly flaky: number
    readonly skipped: number
  }
}

/**
 * Runs the journeys in the browser: all of them, or those that a slow machine has time for. It begins at another part each hour, so that no journey is left out by every
 * run of such a machine.
 */
export async function runJourneys({ reports, chromium, secondsMax }: JourneyRun): Promise<JourneyResults> {
  const parts = secondsMax === undefined ? 1 : PARTS
  const found: Report[] = []
  let isOk = true
  const first = Math.floor(Date.now() / HOUR_MS) % parts
  const order = Array.from({ length: parts }, (_, index) => ((first + index) % parts) + 1)
  const leftOut: number[] = []
  for (const part of order) {
    if (secondsMax !== undefined && process.uptime() >= secondsMax) {
      leftOut.push(part)
      continue
    }
    const report = `${reports}/playwright-${part}.json`
    const code = await run(
      'playwright',
      ['test', '--config', 'tests/e2e/playwright.config.ts', `--shard=${part}/${parts}`],
      { CHROMIUM_PATH: chromium, PLAYWRIGHT_JSON_OUTPUT_NAME: `${process.cwd()}/${report}` },
    )
    if (code !== 0) isOk = false
    const read = readReport<Report>(report)
    if (read) found.push(read)
  }
  const count = (name: keyof Report['stats']): number => found.reduce((sum, { stats }) => sum + stats[name], 0)
  const suites = found.flatMap((report) => report.suites)
  return {
    passed: count('expected') + count('flaky'),
    failed: count('unexpected'),
    skipped: count('skipped'),
    isOk,
    secondTries: failuresOfJourneys(suites, 'flaky'),
    failures: failuresOfJourneys(suites, 'unexpected'),
    leftOut: leftOut.length === 0 ? undefined : `parts ${leftOut.toSorted((a, b) => a - b).join(', ')} of ${parts}`,
  }
}
