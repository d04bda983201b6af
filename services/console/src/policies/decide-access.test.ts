import { expect, test } from 'vitest'
import type { PolicyResult } from '@holdfast/protocol'
import { decideAccess } from './decide-access.ts'

const result = (given: Partial<PolicyResult>): PolicyResult => ({
  policy: 'own',
  isPermissive: true,
  command: 'update',
  row: 'existing',
  expression: 'true',
  passes: true,
  ...given,
})

const HIDDEN = { isAllowed: false, isPolicyRefusal: true } as const

test('the verdict is Postgres’s, also where the policies of the proposed values would pass', () => {
  const results = [result({ command: 'select' }), result({}), result({ row: 'new' })]
  const { isAllowed, reason } = decideAccess('update', 'authenticated', results, HIDDEN, true)
  expect(isAllowed).toBe(false)
  expect(reason).toContain('a trigger may have changed or skipped the row')
})

test('an update of a row that the user does not see names the policy of select', () => {
  const results = [result({ command: 'select', policy: 'seen', passes: false }), result({})]
  expect(decideAccess('update', 'authenticated', results, HIDDEN, true)).toMatchObject({
    policy: 'seen',
    reason: 'The only policy for select, “seen”, is false for this row.',
  })
})

test('a missing grant comes before policies', () => {
  const outcome = { isAllowed: false, isPolicyRefusal: false, error: 'permission denied for table notes.' }
  expect(decideAccess('update', 'anon', [result({ passes: false })], outcome, true).reason).toBe(
    'permission denied for table notes.',
  )
})

test('several failing policies are counted, and null and errors are named', () => {
  const results = [result({ passes: false }), result({ policy: 'other', passes: null })].map((one) => ({
    ...one,
    command: 'delete' as const,
  }))
  expect(
    decideAccess('delete', 'authenticated', [result({ command: 'select' }), ...results], HIDDEN, true).reason,
  ).toBe('None of the 2 policies for delete passes for this row.')
  const failing = [result({ command: 'select', passes: null, fails: 'division by zero.' })]
  expect(decideAccess('select', 'authenticated', failing, HIDDEN, true).reason).toContain('fails (division by zero.)')
})

test('without row-level security grants decide', () => {
  const allowed = { isAllowed: true, isPolicyRefusal: false }
  expect(decideAccess('select', 'anon', [], allowed, false).reason).toContain('grants alone decide')
})
