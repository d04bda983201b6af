import { expect, test } from 'vitest'
import { maskEmail, maskName, maskPhone } from './mask.ts'

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
