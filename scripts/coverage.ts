/** Prints each package's coverage in the last run of `npm test -- --coverage` and its floor. `--write` sets the floors to the current coverage. */
import { writeFileSync } from 'node:fs'
import { FLOORS_PATH, readFloors, readPackageCoverage } from './read-coverage.ts'
import { floorsOf, textOfCoverage } from './package-coverage.ts'

const packages = readPackageCoverage()
if (packages === undefined) {
  console.error('No coverage has been measured yet. Run `npm test -- --no-browser --coverage` first.')
  process.exit(1)
}
if (process.argv.includes('--write')) writeFileSync(FLOORS_PATH, `${JSON.stringify(floorsOf(packages), null, 2)}\n`)
process.stdout.write(textOfCoverage(packages, readFloors()))
