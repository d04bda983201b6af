import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SERVER_MAIN } from '@holdfast/test-support'

let folder: string
let child: ChildProcess
let base: URL
let anonKey: string
let serviceRoleKey: string
let token: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-slow-'))
  child = spawn(
    process.execPath,
    [
      SERVER_MAIN,
      'start',
      '--json',
      '--port=0',
      '--db-port=0',
      `--data-dir=${join(folder, 'data')}`,
      '--request-body-silence-seconds=1',
    ],
    { cwd: tmpdir(), stdio: ['ignore', 'pipe', 'inherit'] },
  )
  const [line] = (await once(createInterface({ input: child.stdout as Readable }), 'line')) as [string]
  const ready = JSON.parse(line) as { readonly base: string; readonly anonKey: string; readonly serviceRoleKey: string }
  base = new URL(ready.base)
  anonKey = ready.anonKey
  serviceRoleKey = ready.serviceRoleKey
  await fetch(`${ready.base}/storage/v1/bucket`, {
    method: 'POST',
    headers: { apikey: serviceRoleKey, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'files' }),
  })
  const signedUp = await fetch(`${ready.base}/auth/v1/signup`, {
    method: 'POST',
    headers: { apikey: anonKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'slow@example.org', password: 'correct horse battery' }),
  })
  token = ((await signedUp.json()) as { access_token: string }).access_token
})

afterAll(async () => {
  if (child && child.exitCode === null) {
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    await gone
  }
  rmSync(folder, { recursive: true, force: true })
})

/** Sends the headers and the beginning of a body that never ends. */
async function stall(
  path: string,
  bearer = token,
): Promise<{ readonly status: string; readonly headers: string; readonly body: unknown }> {
  const socket = connect({ host: base.hostname, port: Number(base.port) })
  let text = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  socket.on('error', () => undefined)
  socket.write(
    [
      `POST ${path} HTTP/1.1`,
      `host: ${base.host}`,
      `apikey: ${anonKey}`,
      `authorization: Bearer ${bearer}`,
      'content-type: application/json',
      'content-length: 1000',
      '',
      '{"a":',
    ].join('\r\n'),
  )
  await once(socket, 'close')
  const [headers = '', body = ''] = text.split('\r\n\r\n')
  return { status: headers.slice(9, 12), headers: headers.toLowerCase(), body: JSON.parse(body) }
}

const MESSAGE = 'The body of the request was given up: nothing of it came for 1 s'

test.each([
  ['/rest/v1/anything', { code: 'PGRST102', message: MESSAGE, details: null, hint: null }],
  ['/auth/v1/token?grant_type=password', { code: 408, error_code: 'request_timeout', msg: MESSAGE }],
  [
    '/sync/v1/upload',
    { error: expect.objectContaining({ code: 'PSYNC_S2001', status: 408, description: MESSAGE }) as object },
  ],
])('a body that stalls on its way to %s is given up in the words of its service', async (path, body) => {
  const answer = await stall(path)
  expect(answer).toMatchObject({ status: '408', body })
  expect(answer.headers).toContain('access-control-allow-origin: *')
})

test('a file that stalls on its way is given up, and leaves nothing', async () => {
  const url = '/storage/v1/object/files/never.json'
  expect(await stall(url, serviceRoleKey)).toMatchObject({ body: { statusCode: '408', message: MESSAGE } })
  const got = await fetch(new URL(url, base), { headers: { apikey: serviceRoleKey } })
  expect(await got.json()).toMatchObject({ code: 'NoSuchKey' })
  expect(readdirSync(join(folder, 'data', 'storage', 'unfinished'))).toEqual([])
})

test('a stream is an answer, and may be silent for longer', async () => {
  const stop = new AbortController()
  const response = await fetch(new URL('/sync/stream', base), {
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ raw_data: true, include_checksum: true, client_id: 'a' }),
    signal: stop.signal,
  })
  expect(response.status).toBe(200)
  let isOpen = true
  const reading = (async () => {
    await response.arrayBuffer()
    isOpen = false
  })().catch(() => undefined)
  // Bodies that began later have been given up meanwhile.
  expect(await stall('/rest/v1/anything')).toMatchObject({ status: '408' })
  expect(await stall('/rest/v1/anything')).toMatchObject({ status: '408' })
  expect(isOpen).toBe(true)
  stop.abort()
  await reading
})
