import { expect, test } from 'vitest'
import { maskEmail, maskEmails, maskName, maskPhone } from './mask.ts'

test('masks keep what tells two users apart, not who they are', () => {
  expect(maskEmail('dana.okafor@northline.example')).toBe('d•••@n•••')
  expect(maskPhone('+49301234567')).toBe('•••67')
  expect(maskName('Dana Okafor')).toBe('D• O•')
})

test('masks of nothing are nothing', () => {
  expect([maskEmail(null), maskEmail(''), maskPhone(null), maskPhone(''), maskName(null)]).toEqual([
    null,
    '',
    null,
    '',
    null,
  ])
})

test('addresses in a text are masked, and the rest of it stays', () => {
  expect(maskEmails('room:dana@example.com/ada@x.org')).toBe('room:d•••@e•••/a•••@x•••')
  expect(maskEmails('room:42')).toBe('room:42')
})
