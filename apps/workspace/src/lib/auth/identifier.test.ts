import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findEmailProblem, findIdentifierProblem, parseIdentifier } from './identifier.ts'

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

describe('an address', () => {
  test.each([
    ['', 'missing'],
    ['   ', 'missing'],
    ['dana', 'incomplete'],
    ['dana@', 'incomplete'],
    ['@northline.example', 'incomplete'],
    ['da na@northline.example', 'incomplete'],
    [' dana@northline.example ', undefined],
  ])('%j: %s', (text, problem) => {
    expect(findEmailProblem(text)).toBe(problem)
    expect(findIdentifierProblem(text)).toBe(problem)
  })

  test('may be a phone number where that is asked for', () => {
    expect(findIdentifierProblem('+44 20 7946 0018')).toBeUndefined()
    expect(findEmailProblem('+44 20 7946 0018')).toBe('incomplete')
  })

  test('of every mailbox that tools generate can be entered', () => {
    fc.assert(
      fc.property(fc.emailAddress(), (address) => {
        expect(findEmailProblem(address)).toBeUndefined()
      }),
    )
  })
})
