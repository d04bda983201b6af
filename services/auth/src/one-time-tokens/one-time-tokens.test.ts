import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createOneTimeToken, createOtp, hashOneTimeToken, isPkceToken } from './one-time-tokens.ts'

const otp = fc.stringMatching(/^\d{6,10}$/)
const address = fc.emailAddress().map((email) => email.toLowerCase())

describe('codes', () => {
  test('have the digits that are asked for, and every one of them', () => {
    fc.assert(
      fc.property(fc.integer({ min: 6, max: 10 }), (digits) => {
        expect(createOtp(digits)).toMatch(new RegExp(`^\\d{${digits}}$`))
      }),
    )
    const first = new Set(Array.from({ length: 1_000 }, () => createOtp(6).charAt(0)))
    expect(first.size).toBe(10)
  })

  test('are not the same twice', () => {
    const codes = new Set(Array.from({ length: 500 }, () => createOtp(10)))
    expect(codes.size).toBe(500)
  })
})

describe('the stored hash of a code', () => {
  test('is worth something for its address only', () => {
    fc.assert(
      fc.property(address, address, otp, (one, two, code) => {
        fc.pre(one !== two)
        expect(hashOneTimeToken(one, code)).not.toBe(hashOneTimeToken(two, code))
      }),
    )
  })

  test('is what GoTrue keeps when there is no salt', () => {
    // `printf 'a@example.org123456' | sha224sum`
    expect(hashOneTimeToken('a@example.org', '123456')).toBe('b344080ca0d8e7950d9ee88e6303e531965c0d3b3cd2597b4f22f51b')
  })

  test('differs each time, so that a link cannot be made of an address and a code', () => {
    fc.assert(
      fc.property(address, otp, fc.boolean(), (relatesTo, code, isPkce) => {
        const make = () => createOneTimeToken({ type: 'recovery_token', relatesTo, otp: code, isPkce })
        const [one, two] = [make(), make()]
        expect(one.tokenHash).not.toBe(two.tokenHash)
        expect(one.tokenHash).not.toContain(hashOneTimeToken(relatesTo, code))
        expect(isPkceToken(one.tokenHash)).toBe(isPkce)
      }),
    )
  })
})
