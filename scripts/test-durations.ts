/** Records the durations of long test files in the last `npm test` on an idle machine, so that a new clone starts them first. */
import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import { DURATIONS_PATH } from './long-files-first.ts'
import { readReport } from './read-report.ts'

const REPORT = '.cache/reports/core/vitest.json'

/** Threshold in seconds. Shorter files are ordered by size. */
const LONG_S = 5

interface Report {
  readonly testResults: readonly { readonly name: string; readonly startTime: number; readonly endTime: number }[]
}

const report = readReport<Report>(REPORT)
if (report === undefined) {
  console.error(`There is no ${REPORT}. Run "npm test" first.`)
  process.exit(1)
}
const long = report.testResults
  .map(
    ({ name, startTime, endTime }) =>
      [relative(process.cwd(), name), Math.round((endTime - startTime) / 1_000)] as const,
  )
  .filter(([, seconds]) => seconds >= LONG_S)
  .toSorted(([one], [other]) => (one < other ? -1 : 1))
writeFileSync(DURATIONS_PATH, `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`)
console.log(`${long.length} files of ${LONG_S} s and more`)
