import { expect, test } from 'vitest'
import { HISTORY_TEXT_BYTES_MAX } from '../limits.ts'
import { auditedText } from './audited-text.ts'

test.each([
  ["alter role app password 'se''cret'", "alter role app password '…'"],
  ["ALTER ROLE app WITH PASSWORD e'se\\'cret' LOGIN", "ALTER ROLE app WITH PASSWORD '…' LOGIN"],
  ['create user app password $x$secret$x$; select 1', "create user app password '…'; select 1"],
  ["select password from t where note = 'kept'", "select password from t where note = 'kept'"],
])('%s is kept without the password', (text, kept) => {
  expect(auditedText(text)).toEqual({ text: kept })
})

test.each(['x', '\n', '€', '😀'])('a long text of %j is cut to the size of an entry', (sign) => {
  const { text, isCut } = auditedText(sign.repeat(50_000))
  expect(isCut).toBe(true)
  expect(Buffer.byteLength(JSON.stringify(text))).toBeLessThanOrEqual(HISTORY_TEXT_BYTES_MAX)
  expect(text.isWellFormed()).toBe(true)
  expect(text.length).toBeGreaterThan(2_000)
})
