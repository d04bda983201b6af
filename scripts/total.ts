/**
 * Adds up runs of `scripts/test.ts` in this checkout: `node scripts/total.ts core rest`. Lists failed and flaky tests and ends with the total. A scope
 * without a result counts as failed.
 */
import { addRuns, EMPTY_TOTAL, isPassed, textOfTotal, type Total } from './count-tests.ts'
import { readReport } from './read-report.ts'

let total = EMPTY_TOTAL
for (const scope of process.argv.slice(2)) {
  const run = readReport<Total>(`.cache/reports/${scope}/total.json`)
  const missing = { name: `tests of the scope ${scope}`, message: ['They left no result.'] }
  total = addRuns(total, run ?? { ...EMPTY_TOTAL, failed: 1, failures: [missing] })
}
process.stdout.write(textOfTotal(total))
process.exit(isPassed(total) ? 0 : 1)
