import { failuresOfJourneys, type Failure, type JourneySuite } from './name-failures.ts'
import { readReport } from './read-report.ts'
import { run } from './run.ts'
import type { Scope } from './test-scope.ts'

export interface JourneyResults {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** Whether Playwright exited with 0. */
  readonly isOk: boolean
  readonly secondTries: readonly Failure[]
  readonly failures: readonly Failure[]
}

export interface JourneyRun {
  /** Folder for the report. */
  readonly reports: string
  /** Path of the browser's executable. */
  readonly chromium: string
  readonly scope: Scope
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

const SELECTION: Readonly<Record<Scope, readonly string[]>> = {
  core: ['--grep', '@core'],
  rest: ['--grep-invert', '@core'],
  all: [],
}

/** Runs the browser journeys of a scope, or the part of them that `HOLDFAST_JOURNEYS` names (`2/3`). Retries a failed journey once. */
export async function runJourneys({ reports, chromium, scope }: JourneyRun): Promise<JourneyResults> {
  const path = `${reports}/playwright.json`
  const part = process.env['HOLDFAST_JOURNEYS']
  const selected = [...SELECTION[scope], ...(part ? [`--shard=${part}`] : [])]
  const code = await run('playwright', ['test', '--config', 'tests/e2e/playwright.config.ts', ...selected], {
    CHROMIUM_PATH: chromium,
    PLAYWRIGHT_JSON_OUTPUT_NAME: `${process.cwd()}/${path}`,
  })
  const report = readReport<Report>(path)
  const suites = report?.suites ?? []
  return {
    passed: (report?.stats.expected ?? 0) + (report?.stats.flaky ?? 0),
    failed: report?.stats.unexpected ?? 0,
    skipped: report?.stats.skipped ?? 0,
    isOk: code === 0,
    secondTries: failuresOfJourneys(suites, 'flaky'),
    failures: failuresOfJourneys(suites, 'unexpected'),
  }
}
