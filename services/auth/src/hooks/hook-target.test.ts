import { describe, expect, test } from 'vitest'
import { parseHookTarget } from './hook-target.ts'

const SECRET = `v1,whsec_${Buffer.alloc(32, 1).toString('base64')}`
const OTHER = `v1,whsec_${Buffer.alloc(24, 2).toString('base64')}`

const parse = (uri: string, secrets: string | undefined = SECRET) =>
  parseHookTarget({ option: 'hookSendSmsUri', uri, secrets })

describe('the address of a hook', () => {
  test('names a function of the database', () => {
    expect(parse('pg-functions://postgres/public/my_hook', undefined)).toEqual({
      kind: 'postgres',
      uri: 'pg-functions://postgres/public/my_hook',
      schema: 'public',
      function: 'my_hook',
    })
  })

  test('names a service with its secrets', () => {
    expect(parse('https://hooks.example/sms', `${SECRET}|${OTHER}`)).toMatchObject({
      kind: 'http',
      secrets: [Buffer.alloc(32, 1), Buffer.alloc(24, 2)],
    })
  })

  test.each(['http://localhost:9/x', 'http://127.0.0.1/x', 'http://[::1]/x', 'http://host.docker.internal/x'])(
    'may be %s without TLS',
    (uri) => {
      expect(parse(uri).kind).toBe('http')
    },
  )

  test.each([
    ['http://hooks.example/sms', SECRET, 'hookSendSmsUri: http: is for this machine only'],
    ['ftp://hooks.example/sms', SECRET, 'hookSendSmsUri: ftp://hooks.example/sms is neither'],
    ['my_hook', SECRET, 'hookSendSmsUri: my_hook is neither'],
    ['pg-functions://postgres/my_hook', undefined, 'does not read pg-functions://postgres/<schema>/<function>'],
    ['pg-functions://postgres/public/a"b', undefined, 'does not read'],
    ['pg-functions://postgres/public/a;drop', undefined, 'does not read'],
    ['pg-functions://postgres/public/a/b', undefined, 'does not read'],
    ['https://hooks.example/sms', '', 'hookSendSmsSecrets: a hook over HTTP needs a secret'],
    ['https://hooks.example/sms', 'whsec_abc', 'hookSendSmsSecrets: a secret reads v1,whsec_<base64>'],
    ['https://hooks.example/sms', `${SECRET}|v1,whsec_short`, 'hookSendSmsSecrets: a secret reads'],
    ['https://hooks.example/sms', 'v1a,whpk_x:whsk_y', 'hookSendSmsSecrets: a secret reads'],
  ])('%s is refused', (uri, secrets, message) => {
    expect(() => parse(uri, secrets)).toThrow(message)
  })
})
