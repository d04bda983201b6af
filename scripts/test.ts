/**
 * Runs the tests: by default unit, Postgres, conformance and the core journeys; with `--all` everything; with `--rest` what the default leaves out. `--no-browser`
 * leaves the browser out. Other arguments go to Vitest.
 *
 * A file or journey that fails is run once more when the machine is quiet. A test that passes only then is named and counted as flaky; more than three flaky tests
 * fail the run. The last line counts everything; `scripts/total.ts` adds up several runs.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { ensureChromium } from './chromium.ts'
import { addRuns, countRun, isPassed, textOfTotal } from './count-tests.ts'
import { run } from './run.ts'
import { runJourneys } from './run-journeys.ts'
import { runVitest } from './run-vitest.ts'
import { parseTestCommand } from './test-scope.ts'

const { scope, withBrowser, vitest } = parseTestCommand(process.argv.slice(2))
const reports = `.cache/reports/${scope}`

rmSync(reports, { recursive: true, force: true })
mkdirSync(reports, { recursive: true })

const built = await run('node', ['scripts/build-if-stale.ts', '--with-test-support'])
if (built !== 0) process.exit(built)

let total = countRun(await runVitest(reports, scope, vitest))
if (withBrowser) {
  const chromium = await ensureChromium()
  total = addRuns(total, countRun(await runJourneys({ reports, chromium, scope })))
}

writeFileSync(`${reports}/total.json`, JSON.stringify(total))
process.stdout.write(`\n${textOfTotal(total)}`)
process.exit(isPassed(total) ? 0 : 1)
