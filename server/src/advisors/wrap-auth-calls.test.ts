import { expect, test } from 'vitest'
import { wrapAuthCalls } from './wrap-auth-calls.ts'

test.each([
  ['(owner_id = auth.uid())', '(owner_id = (select auth.uid()))'],
  ["((auth.jwt() ->> 'role'::text) = 'x'::text)", "(((select auth.jwt()) ->> 'role'::text) = 'x'::text)"],
  [
    '((owner_id = ( SELECT auth.uid() AS uid)) OR (a = auth.uid()))',
    '((owner_id = ( SELECT auth.uid() AS uid)) OR (a = (select auth.uid())))',
  ],
])('%s', (before, after) => expect(wrapAuthCalls(before)).toBe(after))

test.each([
  '(owner_id = ( SELECT auth.uid() AS uid))',
  '(role = ( SELECT (auth.jwt() ->> \'role\'::text) AS "?column?"))',
  '(is_public)',
])('%s stays', (expression) => expect(wrapAuthCalls(expression)).toBeUndefined())

test('no expression stays none', () => expect(wrapAuthCalls(null)).toBeUndefined())
