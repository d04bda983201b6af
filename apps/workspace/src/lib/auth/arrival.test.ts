import { expect, test } from 'vitest'
import { readArrival } from './arrival.ts'

test.each([
  ['/auth/callback?code=c1&flow=link', { kind: 'code', code: 'c1', flowId: undefined }],
  ['/?code=c1&sb_flow_id=f', { kind: 'code', code: 'c1', flowId: 'f' }],
  [
    '/#access_token=a&refresh_token=r&type=invite&expires_in=3600',
    { kind: 'tokens', accessToken: 'a', refreshToken: 'r', type: 'invite' },
  ],
  [
    '/auth/callback?error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid',
    { kind: 'error', code: 'otp_expired', description: 'Email link is invalid' },
  ],
  ['/#error=access_denied&error_description=No', { kind: 'error', code: 'access_denied', description: 'No' }],
  ['/#message=Confirmation+link+accepted', { kind: 'message', text: 'Confirmation link accepted' }],
  // A session in the query would appear in server logs, so it is never accepted.
  ['/?access_token=a&refresh_token=r', undefined],
  ['/w/x/t/actions?q=code', undefined],
])('%s', (path, arrival) => {
  expect(readArrival(new URL(path, 'http://localhost'))).toEqual(arrival)
})
