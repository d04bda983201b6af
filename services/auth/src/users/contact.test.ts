import { expect, test } from 'vitest'
import { normalizePhone, parseEmail, parsePhone } from './contact.ts'

test.each([
  ['Ada@Example.ORG', 'ada@example.org'],
  ['ada+site@example.org', 'ada+site@example.org'],
  ["o'brien@sub.example.co", "o'brien@sub.example.co"],
  ['root@localhost', 'root@localhost'],
])('parseEmail(%j) is %j', (text, email) => {
  expect(parseEmail(text)).toBe(email)
})

test.each([
  '',
  'ada',
  '@example.org',
  'ada@',
  'a b@example.org',
  'ada@exa mple.org',
  'ada@example..org',
  'ada@-x.org',
  'a@b@c',
])('parseEmail refuses %j', (text) => {
  expect(() => parseEmail(text)).toThrow(expect.objectContaining({ code: 'validation_failed', status: 400 }))
})

test('parseEmail refuses an address longer than the column, quickly', () => {
  expect(() => parseEmail(`${'a'.repeat(300)}@example.org`)).toThrow('too long')
})

test('parsePhone keeps the digits of an international number', () => {
  expect(parsePhone('+44 20 7946 0018')).toBe('442079460018')
  expect(normalizePhone('+1 555')).toBe('1555')
})

test.each(['', '0123', '12a', '1234567890123456'])('parsePhone refuses %j', (text) => {
  expect(() => parsePhone(text)).toThrow(expect.objectContaining({ code: 'validation_failed' }))
})
