import { expect, test } from 'vitest'
import { failuresOfFile, failuresOfJourneys, textOfFailures } from './name-failures.ts'

test('a failed test is named with the beginning of its message, without colours', () => {
  const failures = failuresOfFile({
    name: `${process.cwd()}/a/b.test.ts`,
    status: 'failed',
    assertionResults: [
      { status: 'passed', fullName: 'one' },
      {
        status: 'failed',
        fullName: 'two',
        failureMessages: [`\u001B[31mexpected 1\u001B[39m\n\n${'at x\n'.repeat(50)}`],
      },
    ],
  })
  expect(failures.map(({ name }) => name)).toEqual(['a/b.test.ts: two'])
  expect(failures[0]?.message.slice(0, 2)).toEqual(['expected 1', 'at x'])
  expect(textOfFailures('failed', failures)).toMatch(/^failed: a\/b\.test\.ts: two\n {4}expected 1\n/u)
  expect(textOfFailures('failed', failures).split('\n').length).toBeLessThan(20)
})

test('a file that could not be loaded names itself, and why', () => {
  const file = { name: `${process.cwd()}/c.test.ts`, status: 'failed', message: 'no such module', assertionResults: [] }
  expect(failuresOfFile(file)).toEqual([{ name: 'c.test.ts', message: ['no such module'] }])
})

test('journeys that failed are told from those that passed on their second try', () => {
  const journey = (title: string, status: string) => ({
    title,
    file: 'd.spec.ts',
    tests: [{ status, results: [{ error: { message: `${title} timed out` } }, {}] }],
  })
  const suites = [
    { suites: [{ specs: [journey('x', 'flaky'), journey('y', 'unexpected'), journey('z', 'expected')] }] },
  ]
  expect(failuresOfJourneys(suites, 'flaky')).toEqual([{ name: 'd.spec.ts: x', message: ['x timed out'] }])
  expect(failuresOfJourneys(suites, 'unexpected')).toEqual([{ name: 'd.spec.ts: y', message: ['y timed out'] }])
  expect(textOfFailures('failed', [])).toBe('')
})
