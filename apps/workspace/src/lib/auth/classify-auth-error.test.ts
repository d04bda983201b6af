import {
  AuthApiError,
  AuthPKCECodeVerifierMissingError,
  AuthRetryableFetchError,
  AuthWeakPasswordError,
} from '@supabase/supabase-js'
import { describe, expect, test } from 'vitest'
import { classifyAuthError } from './classify-auth-error.ts'

describe('classifyAuthError', () => {
  test.each([
    [
      'a wrong password',
      new AuthApiError('Invalid login credentials', 400, 'invalid_credentials'),
      'password',
      'HF-AUTH-BADLOGIN',
    ],
    [
      'an unconfirmed address',
      new AuthApiError('Email not confirmed', 400, 'email_not_confirmed'),
      'unconfirmed',
      'HF-AUTH-UNCONFIRMED',
    ],
    ['too many attempts', new AuthApiError('Slow down', 429, 'over_request_rate_limit'), 'rate', 'HF-AUTH-RATE'],
    [
      'a mail asked for too soon',
      new AuthApiError(
        'For security purposes, you can only request this after 12 seconds.',
        429,
        'over_email_send_rate_limit',
      ),
      'rate',
      'HF-AUTH-RATE',
    ],
    ['a wrong code', new AuthApiError('Token has expired or is invalid', 403, 'otp_expired'), 'code', 'HF-AUTH-OTP'],
    ['a wrong second factor', new AuthApiError('x', 422, 'mfa_verification_failed'), 'code', 'HF-AUTH-MFA-CODE'],
    ['a leaked password', new AuthWeakPasswordError('weak', 422, ['pwned']), 'new_password', 'HF-AUTH-WEAK'],
    ['a link of another browser', new AuthPKCECodeVerifierMissingError(), 'other_browser', 'HF-AUTH-FLOW'],
    [
      'a passkey that was not chosen',
      Object.assign(new Error('The operation timed out'), { name: 'NotAllowedError' }),
      'cancelled',
      'HF-AUTH-WEBAUTHN',
    ],
    ['a blocked account', new AuthApiError('User is banned', 400, 'user_banned'), 'form', 'HF-AUTH-BANNED'],
    ['a method that is off', new AuthApiError('Off', 422, 'email_provider_disabled'), 'form', 'HF-AUTH-PROVIDER'],
    ['a failing server', new AuthApiError('Oops', 500, 'unexpected_failure'), 'form', 'HF-AUTH-HOOK'],
    ['no answer', new AuthRetryableFetchError('Failed to fetch', 0), 'form', 'HF-NET-UNREACHABLE'],
    ['anything else', new Error('?'), 'form', 'HF-AUTH-UNKNOWN'],
  ])('puts %s into words', (_, error, kind, code) => {
    expect(classifyAuthError(error, 'Northline')).toMatchObject({ kind, code })
  })

  test('waits as long as the server says', () => {
    const error = new AuthApiError('You can only request this after 12 seconds.', 429, 'over_email_send_rate_limit')
    expect(classifyAuthError(error, 'x')).toMatchObject({ waitS: 12 })
  })

  test('never says whether the address or the password was wrong', () => {
    const failure = classifyAuthError(new AuthApiError('Invalid login credentials', 400, 'invalid_credentials'), 'x')
    expect(failure).toMatchObject({ message: 'E-mail or password is not right' })
  })
})
