/**
 * Runs every test: unit, Postgres, conformance, fault and browser. Arguments are passed on to Vitest; `--no-browser` leaves the browser out.
 * Ends with one line that counts them all, and leaves it in `.cache/reports/total.txt`.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { ensureChromium } from './chromium.ts'
import { run } from './run.ts'

const REPORTS = '.cache/reports'

interface Counts {
  passed: number
  failed: number
  skipped: number
}

const arguments_ = process.argv.slice(2)
const withBrowser = !arguments_.includes('--no-browser')
const vitestArguments = arguments_.filter((argument) => argument !== '--no-browser')

function readReport<T>(name: string): T | undefined {
  try {
    return JSON.parse(readFileSync(`${REPORTS}/${name}`, 'utf8')) as T
  } catch {
    return undefined // the runner ended before it wrote one: its exit code says that it failed
  }
}

rmSync(REPORTS, { recursive: true, force: true })
mkdirSync(REPORTS, { recursive: true })
const total: Counts = { passed: 0, failed: 0, skipped: 0 }
let failedRuns = 0
let flaky = 0

const built = await run('node', ['scripts/build-if-stale.ts', '--with-test-support'])
if (built !== 0) process.exit(built)

const vitest = await run('vitest', [
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile.json=${REPORTS}/vitest.json`,
  ...vitestArguments,
])
if (vitest !== 0) failedRuns++
const vitestReport = readReport<{ numPassedTests: number; numFailedTests: number; numPendingTests: number }>(
  'vitest.json',
)
total.passed += vitestReport?.numPassedTests ?? 0
total.failed += vitestReport?.numFailedTests ?? 0
total.skipped += vitestReport?.numPendingTests ?? 0

if (withBrowser) {
  const chromium = await ensureChromium()
  const playwright = await run('playwright', ['test', '--config', 'tests/e2e/playwright.config.ts'], {
    CHROMIUM_PATH: chromium,
    PLAYWRIGHT_JSON_OUTPUT_NAME: `${process.cwd()}/${REPORTS}/playwright.json`,
  })
  if (playwright !== 0) failedRuns++
  const report = readReport<{ stats: { expected: number; unexpected: number; flaky: number; skipped: number } }>(
    'playwright.json',
  )
  total.passed += (report?.stats.expected ?? 0) + (report?.stats.flaky ?? 0)
  total.failed += report?.stats.unexpected ?? 0
  total.skipped += report?.stats.skipped ?? 0
  flaky = report?.stats.flaky ?? 0
}

if (failedRuns > 0 && total.failed === 0) total.failed = failedRuns // a runner broke without naming a test
if (flaky > 0) console.log(`${flaky} passed on the second try only`)
const totalLine = `${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`
writeFileSync(`${REPORTS}/total.txt`, `${totalLine}\n`)
console.log(totalLine)
process.exit(total.failed > 0 ? 1 : 0)
