/**
 * Runs every test: unit, Postgres, conformance, fault and browser. Arguments are passed on to Vitest; `--no-browser` leaves the browser out. A file or journey that
 * fails is run once more when the machine is quiet; what passes only then is named, and fails the nightly run, which has no second tries.
 * `HOLDFAST_TEST_SECONDS_MAX`: after so many seconds no further part of the journeys begins, and the parts that are left out are named.
 * Ends with what failed, named with its message, and one line that counts them all; leaves both in `.cache/reports/total.txt`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { ensureChromium } from './chromium.ts'
import { textOfFailures } from './name-failures.ts'
import { run } from './run.ts'
import { runJourneys } from './run-journeys.ts'
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
  const limit = process.env['HOLDFAST_TEST_SECONDS_MAX']
  const journeys = await runJourneys({
    reports: REPORTS,
    chromium,
    secondsMax: limit === undefined ? undefined : Number(limit),
  })
  if (!journeys.isOk) failedRuns++
  total.passed += journeys.passed
  total.failed += journeys.failed
  total.skipped += journeys.skipped
  named += textOfFailures('passed on the second try only', journeys.secondTries)
  named += textOfFailures('failed', journeys.failures)
  if (journeys.leftOut !== undefined)
    named += `not run after ${Math.round(process.uptime())} s: ${journeys.leftOut} of the browser journeys\n`
}

if (failedRuns > 0 && total.failed === 0) total.failed = failedRuns // a runner broke without naming a test
const totalLine = `${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`
writeFileSync(`${REPORTS}/total.txt`, `${named}${totalLine}\n`)
console.log(`\n${named}${totalLine}`)
process.exit(total.failed > 0 ? 1 : 0)
