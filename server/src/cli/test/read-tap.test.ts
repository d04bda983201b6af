import { expect, test } from 'vitest'
import { faultOf, readTap } from './read-tap.ts'

const fault = (...lines: readonly string[]): string | undefined => faultOf(readTap(lines))

test('a file passes when as many tests as planned are ok, or are expected not to be', () => {
  expect(fault('1..2', 'ok 1 - one', 'ok 2')).toBeUndefined()
  expect(fault('ok 1', '1..1')).toBeUndefined()
  expect(fault('1..1', 'not ok 1 - later # TODO when there is time')).toBeUndefined()
  expect(fault('1..0 # SKIP nothing to do')).toBeUndefined()
  expect(fault('    not ok 1 - within', '    1..1', 'ok 1 - around', '1..1')).toBeUndefined()
})

test('a file fails by a test, its plan, or an end before its end', () => {
  expect(fault('1..3', 'ok 1', 'not ok 2 - two \\# TODO', '# Failed test 2', 'ok 3')).toBe('Failed 1 of 3: 2')
  expect(fault('1..3', 'ok 1')).toBe('Bad plan: 3 tests planned, 1 run')
  expect(fault('ok 1')).toMatch(/^No plan/)
  expect(fault()).toBe('No tests run')
  expect(fault('1..2', 'ok 1', 'Bail out!  no database')).toBe('Bailed out: no database')
})

test('what is said of a failure is kept, and nothing else', () => {
  const { diagnostics } = readTap([
    '1..2',
    '# begins',
    'not ok 1 - a',
    '# Failed test 1: "a"',
    '#     have: 1',
    'ok 2',
    '# after',
  ])
  expect(diagnostics).toEqual(['not ok 1 - a', '# Failed test 1: "a"', '#     have: 1'])
})
