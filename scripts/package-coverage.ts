import { relative } from 'node:path'
import type { Failure } from './name-failures.ts'

/** Percentages between 0 and 100; 100 where there is nothing to cover. */
export interface Coverage {
  readonly lines: number
  readonly branches: number
}

/** Coverage by package folder, such as `services/rest`. */
export type PackageCoverage = Readonly<Record<string, Coverage>>

/** Vitest's `coverage-summary.json`: the counts of each file by its absolute path, and their `total`. */
export type CoverageSummary = Readonly<Record<string, Readonly<Record<keyof Coverage, Counts>>>>

interface Counts {
  readonly total: number
  readonly covered: number
}

/** Allowed loss in percentage points, because timeouts and retries vary between runs. */
const TOLERANCE = 1

/** Sums the files of each package. @param root - folder of the repository */
export function coverageOfPackages(summary: CoverageSummary, root: string): PackageCoverage {
  const packages = Object.groupBy(
    Object.keys(summary).filter((path) => path !== 'total'),
    (path) => packageOf(relative(root, path)),
  )
  const sorted = Object.entries(packages).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(
    sorted.map(([name, paths = []]) => {
      const percent = (kind: keyof Coverage): number => {
        const sum = (count: keyof Counts): number =>
          paths.reduce((total, path) => total + (summary[path]?.[kind][count] ?? 0), 0)
        return sum('total') === 0 ? 100 : (sum('covered') / sum('total')) * 100
      }
      return [name, { lines: percent('lines'), branches: percent('branches') }]
    }),
  )
}

function packageOf(path: string): string {
  const [layer = '', name = ''] = path.split('/')
  return ['server', 'sample'].includes(layer) ? layer : `${layer}/${name}`
}

/** Rounds down to whole points, as they are committed. */
export function floorsOf(packages: PackageCoverage): PackageCoverage {
  return Object.fromEntries(
    Object.entries(packages).map(([name, { lines, branches }]) => [
      name,
      { lines: Math.floor(lines), branches: Math.floor(branches) },
    ]),
  )
}

/** Returns a failure for each package that is more than a point below its floor, has no floor, or was not measured. */
export function coverageFailures(packages: PackageCoverage, floors: PackageCoverage): readonly Failure[] {
  return [...new Set([...Object.keys(floors), ...Object.keys(packages)])].flatMap((name) => {
    const measured = packages[name]
    const floor = floors[name]
    const failed = (...message: readonly string[]): Failure => ({ name: `coverage of ${name}`, message })
    if (measured === undefined) return [failed('No file of this package was measured.')]
    if (floor === undefined) return [failed('This package has no floor.', HOW_TO_WRITE)]
    const drops = (['lines', 'branches'] as const).filter((kind) => measured[kind] < floor[kind] - TOLERANCE)
    if (drops.length === 0) return []
    return [
      failed(
        ...drops.map((kind) => `${measured[kind].toFixed(1)} % of ${kind} are covered; the floor is ${floor[kind]} %.`),
        'Add tests for what you changed. If the drop is right, lower the floor in scripts/coverage-floors.json.',
      ),
    ]
  })
}

const HOW_TO_WRITE = 'Run `node scripts/coverage.ts --write` after `npm test -- --coverage`.'

/** Renders a table with a row per package: what is covered, and the floor. */
export function textOfCoverage(packages: PackageCoverage, floors: PackageCoverage): string {
  const rows = Object.entries(packages).map(([name, { lines, branches }]) => {
    const cells = [lines, floors[name]?.lines, branches, floors[name]?.branches]
    const texts = cells.map((cell, index) => (cell === undefined ? '–' : cell.toFixed(index % 2 === 0 ? 1 : 0)))
    return [name, ...texts]
  })
  const table = [['coverage in %', 'lines', 'floor', 'branches', 'floor'], ...rows]
  const widthOf = (column: number): number => Math.max(...table.map((row) => row[column]?.length ?? 0))
  const lineOf = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widthOf(0)) : cell.padStart(widthOf(column))))
      .join('  ')
      .trimEnd()
  return table.map((row) => `${lineOf(row)}\n`).join('')
}
