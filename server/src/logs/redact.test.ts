import { expect, test } from 'vitest'
import { redactFields, redactPath, redactText } from './redact.ts'

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'

test.each([
  [`invalid token ${JWT}`, 'invalid token [hidden]'],
  ['key sb_secret_AbC-12', 'key [hidden]'],
  ['authorization: Bearer abcdefgh12', 'authorization: Bearer [hidden]'],
  ['postgres://app:s3cret@db:5432/x', 'postgres://app:[hidden]@db:5432/x'],
  ['smtp_password=hunter2, port=25', 'smtp_password=[hidden], port=25'],
  [`{"access_token":"abc","name":"x"}`, `{"access_token":[hidden],"name":"x"}`],
  ['-----BEGIN PRIVATE KEY-----\nabc', '[hidden]'],
  ['invalid token: it has expired', 'invalid token: it has expired'],
  ['user 0190a1b2-0000-7000-8000-000000000000', 'user 0190a1b2-0000-7000-8000-000000000000'],
])('%j is kept as %j', (text, kept) => expect(redactText(text)).toBe(kept))

test('fields with the name of a secret are hidden, at any depth', () => {
  expect(
    redactFields({ refreshToken: 'abc', error: new Error(`no ${JWT}`), deep: [{ apiKey: 1, count: 2n }] }),
  ).toMatchObject({
    refreshToken: '[hidden]',
    error: expect.stringContaining('no [hidden]'),
    deep: [{ apiKey: '[hidden]', count: '2' }],
  })
})

test.each([
  ['/rest/v1/orders?apikey=abc', '/rest/v1/orders'],
  ['/app/v1/join/AbCdEf0123456789AbCdEf0123456789', '/app/v1/join/[hidden]'],
  [
    '/auth/v1/admin/users/0190a1b2-0000-7000-8000-000000000000',
    '/auth/v1/admin/users/0190a1b2-0000-7000-8000-000000000000',
  ],
  ['/storage/v1/object/photos/IMG_20261130_1234567890.jpg', '/storage/v1/object/photos/IMG_20261130_1234567890.jpg'],
])('of the URL %s, %s is kept', (url, kept) => expect(redactPath(url)).toBe(kept))
