import { expect, test } from 'vitest'
import { parseIdentifier } from './identifier.ts'

test.each([
  ['dana@northline.example ', { email: 'dana@northline.example' }],
  ['+44 (20) 7946-0123', { phone: '+442079460123' }],
  ['0044 20 7946 0123', { phone: '+442079460123' }],
  ['447946012345', { phone: '+447946012345' }],
  ['dana', { email: 'dana' }],
  ['1234@example.org', { email: '1234@example.org' }],
])('%s', (text, identifier) => {
  expect(parseIdentifier(text)).toEqual(identifier)
})
