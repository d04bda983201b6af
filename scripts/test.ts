/**
 * Runs the tests: by default unit, Postgres, conformance and core journeys; with `--all` everything; with `--rest` what the default omits. `--no-browser`
 * omits the browser. `--coverage` (or `HOLDFAST_COVERAGE=1`) prints coverage per package; a run of all tests fails if a package is below its floor. Other
 * arguments go to Vitest.
 * A failed file or journey runs once more when the machine is quiet. A test that passes only then is listed and counted as flaky; more than three flaky tests
 * fail the run. The last line counts everything; `scripts/total.ts` adds up several runs.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { ensureChromium } from './chromium.ts'
import { addRuns, countRun, EMPTY_TOTAL, isPassed, textOfTotal, type Total } from './count-tests.ts'
import { coverageFailures, textOfCoverage } from './package-coverage.ts'
import { findProgram, installPackages } from './installed-program.ts'
import { readFloors, readPackageCoverage } from './read-coverage.ts'
import { run } from './run.ts'
import { runJourneys } from './run-journeys.ts'
import { runVitest } from './run-vitest.ts'
import { parseTestCommand } from './test-scope.ts'

const asksForCoverage = process.env['HOLDFAST_COVERAGE'] === '1'
const { scope, withBrowser, withCoverage, vitest } = parseTestCommand([
  ...process.argv.slice(2),
  ...(asksForCoverage ? ['--coverage'] : []),
])
const reports = `.cache/reports/${scope}`

rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

const built = await run('node', ['scripts/build-if-stale.ts', '--with-test-support'])
if (built !== 0) process.exit(built)

// Without them, the tests that need them are skipped, and say so.
const missing = ['nats-server', 'haproxy'].filter((name) => !findProgram(name))
if (missing.length > 0) await installPackages(missing)

let total = countRun(await runVitest(reports, scope, vitest, withCoverage))
if (withCoverage) total = addRuns(total, judgeCoverage())
if (withBrowser) {
  const chromium = await ensureChromium()
  total = addRuns(total, countRun(await runJourneys({ reports, chromium, scope })))
}

writeFileSync(`${reports}/total.json`, JSON.stringify(total))
process.stdout.write(`\n${textOfTotal(total)}`)
process.exit(isPassed(total) ? 0 : 1)

/** Prints coverage. Floors apply to full runs of scope `core` or `all`. */
function judgeCoverage(): Total {
  const packages = readPackageCoverage() ?? {}
  const floors = readFloors()
  process.stdout.write(`\n${textOfCoverage(packages, floors)}`)
  if (scope === 'rest' || vitest.length > 0) return EMPTY_TOTAL
  const failures = coverageFailures(packages, floors)
  return { ...EMPTY_TOTAL, failed: failures.length, failures }
}
