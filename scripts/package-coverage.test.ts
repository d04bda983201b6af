import { expect, test } from 'vitest'
import {
  coverageFailures,
  coverageOfPackages,
  type CoverageSummary,
  floorsOf,
  textOfCoverage,
} from './package-coverage.ts'

const counts = (covered: number, total: number): { total: number; covered: number } => ({ total, covered })

const SUMMARY: CoverageSummary = {
  total: { lines: counts(1, 1), branches: counts(1, 1) },
  '/r/services/rest/src/a.ts': { lines: counts(9, 10), branches: counts(0, 0) },
  '/r/services/rest/src/b/c.ts': { lines: counts(0, 5), branches: counts(1, 3) },
  '/r/server/src/start.ts': { lines: counts(2, 2), branches: counts(0, 0) },
}

test('files are added up by package, and a package without branches has all of them covered', () => {
  const packages = coverageOfPackages(SUMMARY, '/r')
  expect(packages).toEqual({
    server: { lines: 100, branches: 100 },
    'services/rest': { lines: 60, branches: expect.closeTo(33.33) },
  })
  expect(floorsOf(packages)['services/rest']).toEqual({ lines: 60, branches: 33 })
  expect(textOfCoverage(packages, { server: { lines: 99, branches: 98 } })).toBe(
    [
      'coverage in %  lines  floor  branches  floor',
      'server         100.0     99     100.0     98',
      'services/rest   60.0      –      33.3      –',
      '',
    ].join('\n'),
  )
})

test.each([
  { title: 'at its floor', measured: { lines: 60, branches: 50 }, says: [] },
  { title: 'a point below', measured: { lines: 59, branches: 49 }, says: [] },
  { title: 'more than a point below in lines', measured: { lines: 58.9, branches: 50 }, says: [/58\.9 % of lines/u] },
  {
    title: 'more than a point below in both',
    measured: { lines: 40, branches: 30 },
    says: [/40\.0 % of lines .* floor is 60 %/u, /30\.0 % of branches/u],
  },
])('a package $title', ({ measured, says }) => {
  const failures = coverageFailures({ 'services/rest': measured }, { 'services/rest': { lines: 60, branches: 50 } })
  expect(failures.map(({ name }) => name)).toEqual(says.length > 0 ? ['coverage of services/rest'] : [])
  const text = failures.flatMap(({ message }) => message).join('\n')
  for (const words of says) expect(text).toMatch(words)
  expect(text.match(/%/gu)?.length ?? 0).toBe(2 * says.length)
})

test('a new package needs a floor, and a package that is no longer measured fails', () => {
  const measured = { lines: 1, branches: 1 }
  expect(coverageFailures({ new: measured }, {})).toEqual([
    { name: 'coverage of new', message: [expect.stringContaining('no floor'), expect.stringContaining('--write')] },
  ])
  expect(coverageFailures({}, { gone: measured }).map(({ name }) => name)).toEqual(['coverage of gone'])
})
