import { coverageOfPackages, type CoverageSummary, type PackageCoverage } from './package-coverage.ts'
import { readReport } from './read-report.ts'

/** Vitest's report, as configured in `vitest.config.ts`. */
const SUMMARY_PATH = '.cache/reports/coverage/coverage-summary.json'

export const FLOORS_PATH = 'scripts/coverage-floors.json'

/** Reads the coverage of the last run that measured it; `undefined` if there is none. */
export function readPackageCoverage(): PackageCoverage | undefined {
  const summary = readReport<CoverageSummary>(SUMMARY_PATH)
  return summary === undefined ? undefined : coverageOfPackages(summary, process.cwd())
}

export function readFloors(): PackageCoverage {
  return readReport<PackageCoverage>(FLOORS_PATH) ?? {}
}
