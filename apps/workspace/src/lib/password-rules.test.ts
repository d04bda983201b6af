import { describe, expect, test } from 'vitest'
import { checkPassword } from './password-rules.ts'

const unmet = (password: string, requirements = '', lengthMin = 8): readonly string[] =>
  checkPassword(password, { lengthMin, requirements })
    .filter(({ isMet }) => !isMet)
    .map(({ rule }) => rule)

describe('the rules of a new password', () => {
  test.each([
    ['', '', ['length']],
    ['short', '', ['length']],
    ['long enough', '', []],
    ['12345678', 'letters_digits', ['letter']],
    ['abcdefgh', 'letters_digits', ['digit']],
    ['abcdefg1', 'lower_upper_letters_digits', ['upper']],
    ['Abcdefg1', 'lower_upper_letters_digits', []],
    ['Abcdefg1', 'lower_upper_letters_digits_symbols', ['symbol']],
    ['Abcdefg-1', 'lower_upper_letters_digits_symbols', []],
    ['Abcdefg 1', 'lower_upper_letters_digits_symbols', ['symbol']],
  ])('%j with %j lacks %j', (password, requirements, lacks) => {
    expect(unmet(password, requirements)).toEqual(lacks)
  })

  test('length counts bytes, as the server does', () => {
    expect(unmet('ééé', '', 6)).toEqual([])
    expect(unmet('ééé', '', 7)).toEqual(['length'])
  })

  test('the upper end is named only once it is passed', () => {
    expect(checkPassword('x'.repeat(72), { lengthMin: 6, requirements: '' }).map(({ rule }) => rule)).toEqual([
      'length',
    ])
    expect(unmet('x'.repeat(73))).toEqual(['longest'])
  })
})
