import { expect, test } from 'vitest'
import { addressOf } from './address-of.ts'

test.each([
  ['url', 'https://example.com/a', 'https://example.com/a'],
  ['url', 'javascript:alert(1)', undefined],
  ['url', 'https://example.com two', undefined],
  ['email', 'ada@example.com', 'mailto:ada@example.com'],
  ['email', 'ada@example.com?bcc=eve@example.com', undefined],
  ['phone', '+49 (0)30/123-45', 'tel:+4903012345'],
  ['phone', 'ask Ada', undefined],
  ['text', 'https://example.com', undefined],
  ['phone', null, undefined],
] as const)('a value of kind %s, %s, opens %s', (kind, value, address) => {
  expect(addressOf({ kind }, value)).toBe(address)
})
