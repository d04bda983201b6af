import { AuthApiError, AuthRetryableFetchError, AuthWeakPasswordError } from '@supabase/supabase-js'
import { describe, expect, test } from 'vitest'
import { describeAccountError } from './account-failure.ts'

describe('an error of the account screens', () => {
  test('that the server names is put into words, without its own text', () => {
    const failure = describeAccountError(new AuthApiError('A user with this email…', 422, 'email_exists'))
    expect(failure.code).toBe('email_exists')
    expect(failure.message).toMatch(/^Another account has this address/)
    expect(failure.technical).toBeUndefined()
  })

  test('without words of its own keeps its text in the details', () => {
    const failure = describeAccountError(new AuthApiError('strange', 418, 'brand_new_code'))
    expect(failure).toEqual({
      code: 'brand_new_code',
      message: 'This did not work',
      technical: '418 AuthApiError: strange',
    })
  })

  test('of a missing connection is not blamed on the person', () => {
    expect(describeAccountError(new AuthRetryableFetchError('Failed to fetch', 0)).code).toBe('HF-NET-UNREACHABLE')
    expect(describeAccountError(new TypeError('Failed to fetch')).code).toBe('HF-NET-UNREACHABLE')
  })

  test('of too many requests says to wait, whatever its code', () => {
    expect(describeAccountError(new AuthApiError('slow', 429, undefined)).message).toMatch(/Wait a minute/)
  })

  test('about a weak password carries the reasons', () => {
    const failure = describeAccountError(new AuthWeakPasswordError('weak', 422, ['length', 'pwned']))
    expect(failure.reasons).toEqual(['length', 'pwned'])
  })

  test.each([
    ['NotAllowedError', undefined, 'HF-PASSKEY-CANCELLED'],
    ['AbortError', 'ERROR_CEREMONY_ABORTED', 'HF-PASSKEY-CANCELLED'],
    ['InvalidStateError', 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED', 'HF-PASSKEY-REGISTERED'],
    ['SecurityError', 'ERROR_INVALID_RP_ID', 'HF-PASSKEY-DOMAIN'],
  ])('of the browser, %s, is %s', (name, code, expected) => {
    const error = Object.assign(new Error('The operation…'), { name, ...(code === undefined ? {} : { code }) })
    expect(describeAccountError(error).code).toBe(expected)
  })
})
