import { expect, test } from 'vitest'
import { scopeOf } from './policy-scope.ts'

test.each([
  [`(bucket_id = 'avatars'::text)`, 'this'],
  [`((bucket_id = 'docs'::text) AND (owner_id = (auth.uid())::text))`, 'others'],
  [`(bucket_id = ANY (ARRAY['docs'::text, 'avatars'::text]))`, 'this'],
  [`(bucket_id = ANY (ARRAY['docs'::text, 'plans'::text]))`, 'others'],
  [`(owner_id = (auth.uid())::text)`, 'any'],
  [`(name = 'avatars'::text)`, 'any'],
  [null, 'any'],
])('%s', (using, scope) => {
  expect(scopeOf({ using, check: null }, 'avatars')).toBe(scope)
  expect(scopeOf({ using: null, check: using }, 'avatars')).toBe(scope)
})

test('quotes in names', () => {
  expect(scopeOf({ using: `(bucket_id = 'dana''s'::text)`, check: null }, "dana's")).toBe('this')
})
