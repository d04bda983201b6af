import { expect, test } from 'vitest'
import { addRuns, countRun, EMPTY_TOTAL, FLAKY_MAX, isPassed, textOfTotal, type RunResult } from './count-tests.ts'

const GOOD: RunResult = { passed: 3, failed: 0, skipped: 1, isOk: true, failures: [], secondTries: [] }
const flaky = (count: number): RunResult => ({
  ...GOOD,
  secondTries: Array.from({ length: count }, (_, index) => ({ name: `test ${index}`, message: ['timed out'] })),
})

test('runs are added up in the last line', () => {
  const total = addRuns(countRun(GOOD), countRun({ ...GOOD, failed: 1, isOk: false }))
  expect(textOfTotal(total)).toMatch(/^6 passed, 1 failed, 2 skipped\n$/)
  expect(isPassed(total)).toBe(false)
})

test('a runner that broke without naming a test fails the run', () => {
  const total = countRun({ ...GOOD, passed: 0, isOk: false })
  expect(total.failed).toBe(1)
  expect(isPassed(total)).toBe(false)
})

test('flaky tests are named and counted, and too many fail the run', () => {
  const few = addRuns(EMPTY_TOTAL, countRun(flaky(FLAKY_MAX)))
  expect(isPassed(few)).toBe(true)
  expect(textOfTotal(few)).toContain('flaky: test 0\n    timed out\n')
  expect(textOfTotal(few)).toContain('3 flaky\n3 passed')
  const many = addRuns(few, countRun(flaky(1)))
  expect(isPassed(many)).toBe(false)
  expect(textOfTotal(many)).toContain('4 flaky, more than the 3 allowed\n')
})
