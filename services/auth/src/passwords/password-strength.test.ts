import { describe, expect, test } from 'vitest'
import { judgePassword, requireAcceptablePassword, requireKnownRules } from './password-strength.ts'

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'

const judge = (password: string, passwordRequirements = '', minimumPasswordLength = 6) =>
  judgePassword(password, { passwordRequirements, minimumPasswordLength })

describe('judging a password', () => {
  test('names the length', () => {
    expect(judge('abcde')).toMatchObject({ message: 'Password should be at least 6 characters.', reasons: ['length'] })
    expect(judge('abcdef')).toBeUndefined()
  })

  test.each([
    ['letters_digits', 'abcdefgh'],
    ['letters_digits', '12345678'],
    ['lower_upper_letters_digits', 'abcdefg1'],
    ['lower_upper_letters_digits', 'ABCDEFG1'],
    ['lower_upper_letters_digits_symbols', 'Abcdefg1'],
    ['lower_upper_letters_digits_symbols', 'Äbcdefg1 '],
  ])('with %s refuses %s for its characters', (requirements, password) => {
    expect(judge(password, requirements)?.reasons).toEqual(['characters'])
  })

  test.each([
    ['', 'äöüäöü'],
    ['letters_digits', 'ABCDEF1'],
    ['lower_upper_letters_digits', 'Abcdefg1'],
    ...[...`!@#$%^&*()_+-=[]{};'\\:"|<>?,./\`~`].map((symbol) => [
      'lower_upper_letters_digits_symbols',
      `Abcdef1${symbol}`,
    ]),
  ])('with %s takes %s', (requirements, password) => {
    expect(judge(password ?? '', requirements)).toBeUndefined()
  })

  test('says everything at once, in GoTrue’s words', () => {
    expect(judge('abc', 'lower_upper_letters_digits', 8)).toMatchObject({
      code: 'weak_password',
      status: 422,
      message:
        'Password should be at least 8 characters. ' +
        `Password should contain at least one character of each: ${LETTERS}, ${LETTERS.toUpperCase()}, 0123456789.`,
      reasons: ['length', 'characters'],
    })
  })
})

test('a password that bcrypt would cut is refused', () => {
  const rules = { passwordRequirements: '', minimumPasswordLength: 6 }
  expect(() => requireAcceptablePassword('a'.repeat(72), rules)).not.toThrow()
  expect(() => requireAcceptablePassword('ä'.repeat(37), rules)).toThrow('Password cannot be longer than 72 characters')
  expect(() => requireAcceptablePassword('abc\0defgh', rules)).toThrow('NUL')
})

test('unknown requirements are refused at start', () => {
  const rules = { passwordRequirements: 'toString', minimumPasswordLength: 6 }
  expect(() => requireKnownRules(rules)).toThrow('passwordRequirements: toString is none of letters_digits')
})
