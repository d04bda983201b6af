import { AuthApiError, AuthRetryableFetchError } from '@supabase/supabase-js'
import { describe, expect, test } from 'vitest'
import { classifySignInError } from './classify-sign-in-error.ts'

describe('classifySignInError', () => {
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
    ['a blocked account', new AuthApiError('User is banned', 400, 'user_banned'), 'form', 'HF-AUTH-BANNED'],
    ['a method that is off', new AuthApiError('Off', 422, 'email_provider_disabled'), 'form', 'HF-AUTH-PROVIDER'],
    ['a failing server', new AuthApiError('Oops', 500, 'unexpected_failure'), 'form', 'HF-AUTH-HOOK'],
    ['no answer', new AuthRetryableFetchError('Failed to fetch', 0), 'form', 'HF-NET-UNREACHABLE'],
    ['anything else', new Error('?'), 'form', 'HF-AUTH-UNKNOWN'],
  ])('puts %s into words', (_, error, kind, code) => {
    expect(classifySignInError(error, 'Northline')).toMatchObject({ kind, code })
  })

  test('never says whether the address or the password was wrong', () => {
    const failure = classifySignInError(new AuthApiError('Invalid login credentials', 400, 'invalid_credentials'), 'x')
    expect(failure).toMatchObject({ message: 'E-mail or password is not right' })
  })
})
