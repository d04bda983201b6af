/**
 * Runs every test: unit, Postgres, conformance, fault and browser. Arguments are passed on to Vitest; `--no-browser` leaves the browser out. A file or journey that
 * fails is run once more when the machine is quiet; what passes only then is named, and fails the nightly run, which has no second tries.
 * Ends with what failed, named with its message, and one line that counts them all; leaves both in `.cache/reports/total.txt`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { ensureChromium } from './chromium.ts'
import { failuresOfJourneys, textOfFailures, type JourneySuite } from './name-failures.ts'
import { readReport } from './read-report.ts'
import { run } from './run.ts'
import { runVitest } from './run-vitest.ts'

const REPORTS = '.cache/reports'

interface Counts {
  passed: number
  failed: number
  skipped: number
}

const commandLine = process.argv.slice(2)
const withBrowser = !commandLine.includes('--no-browser')
const vitestArguments = commandLine.filter((argument) => argument !== '--no-browser')

rmSync(REPORTS, { recursive: true, force: true })
mkdirSync(REPORTS, { recursive: true })
const total: Counts = { passed: 0, failed: 0, skipped: 0 }
let failedRuns = 0
let named = ''

const built = await run('node', ['scripts/build-if-stale.ts', '--with-test-support'])
if (built !== 0) process.exit(built)

const tested = await runVitest(REPORTS, vitestArguments)
total.passed += tested.passed
total.failed += tested.failed
total.skipped += tested.skipped
if (!tested.isOk) failedRuns++
named += textOfFailures('passed on the second try only', tested.secondTries) + textOfFailures('failed', tested.failures)

if (withBrowser) {
  const chromium = await ensureChromium()
  const playwright = await run('playwright', ['test', '--config', 'tests/e2e/playwright.config.ts'], {
    CHROMIUM_PATH: chromium,
    PLAYWRIGHT_JSON_OUTPUT_NAME: `${process.cwd()}/${REPORTS}/playwright.json`,
  })
  if (playwright !== 0) failedRuns++
  const report = readReport<{
    suites: JourneySuite[]
    stats: { expected: number; unexpected: number; flaky: number; skipped: number }
  }>(`${REPORTS}/playwright.json`)
  total.passed += (report?.stats.expected ?? 0) + (report?.stats.flaky ?? 0)
  total.failed += report?.stats.unexpected ?? 0
  total.skipped += report?.stats.skipped ?? 0
  named += textOfFailures('passed on the second try only', failuresOfJourneys(report?.suites ?? [], 'flaky'))
  named += textOfFailures('failed', failuresOfJourneys(report?.suites ?? [], 'unexpected'))
}

if (failedRuns > 0 && total.failed === 0) total.failed = failedRuns // a runner broke without naming a test
const totalLine = `${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`
writeFileSync(`${REPORTS}/total.txt`, `${named}${totalLine}\n`)
console.log(`\n${named}${totalLine}`)
process.exit(total.failed > 0 ? 1 : 0)
