import { expect, test } from 'vitest'
import { toMethods } from './sign-in-methods.ts'

test('the ways in are what the server has switched on', () => {
  const body = {
    external: { anonymous_users: true, email: true, phone: false, github: true, google: false, azure: true },
    disable_signup: false,
    mailer_autoconfirm: true,
    passkeys_enabled: true,
    custom_providers: [{ identifier: 'custom:works', name: 'Waterworks' }, { identifier: 'city-hall' }],
  }
  expect(toMethods(body)).toEqual({
    email: true,
    phone: false,
    passkeys: true,
    guest: true,
    signUp: true,
    providers: [
      { id: 'github', name: 'GitHub' },
      { id: 'azure', name: 'Microsoft' },
      { id: 'custom:works', name: 'Waterworks' },
      { id: 'custom:city-hall', name: 'City hall' },
    ],
  })
})

test('what a server does not name is off', () => {
  expect(toMethods({ external: {}, disable_signup: true })).toEqual({
    email: false,
    phone: false,
    passkeys: false,
    guest: false,
    signUp: false,
    providers: [],
  })
})
