import { gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import { expect, test } from 'vitest'
import { VersionedJson } from './versioned-json.ts'

const LARGE = { version: 'one', tables: Array.from({ length: 500 }, (_, index) => ({ name: `table ${index}` })) }
const SMALL = { version: 'small', tables: [] }

async function ask(
  body: { readonly version: string },
  headers: Readonly<Record<string, string>>,
  compresses = true,
): Promise<{ readonly status: number; readonly encoding: unknown; readonly bytes: Buffer; readonly vary: unknown }> {
  await using app = fastify()
  const json = new VersionedJson(compresses)
  app.get('/', (request, reply) => json.send(request, reply, body))
  const { statusCode, headers: got, rawPayload } = await app.inject({ url: '/', headers })
  return { status: statusCode, encoding: got['content-encoding'], bytes: rawPayload, vary: got['vary'] }
}

test('a device that accepts gzip gets the same JSON in a fraction of the bytes', async () => {
  const { encoding, bytes, vary } = await ask(LARGE, { 'accept-encoding': 'gzip, deflate, br' })
  expect(encoding).toBe('gzip')
  expect(vary).toContain('accept-encoding')
  expect(JSON.parse(gunzipSync(bytes).toString())).toEqual(LARGE)
  expect(bytes.length).toBeLessThan(JSON.stringify(LARGE).length / 3)
})

test.each([
  ['accepts none', LARGE, {}, true],
  ['refuses gzip', LARGE, { 'accept-encoding': 'gzip;q=0' }, true],
  ['asks for little', SMALL, { 'accept-encoding': 'gzip' }, true],
  ['meets a server that does not compress', LARGE, { 'accept-encoding': 'gzip' }, false],
] as const)('a device that %s gets plain JSON', async (_, body, headers, compresses) => {
  const { encoding, bytes } = await ask(body, headers, compresses)
  expect(encoding).toBeUndefined()
  expect(JSON.parse(bytes.toString())).toEqual(body)
})

test('a device that has the version gets no bytes', async () => {
  const answer = await ask(LARGE, { 'accept-encoding': 'gzip', 'if-none-match': '"one"' })
  expect(answer).toMatchObject({ status: 304, bytes: Buffer.alloc(0) })
})

test('an answer is compressed once per version', async () => {
  await using app = fastify()
  const json = new VersionedJson(true)
  let bodies = 0
  app.get('/', (request, reply) =>
    json.send(request, reply, {
      version: 'one',
      get tables() {
        bodies++
        return LARGE.tables
      },
    }),
  )
  for (let time = 0; time < 3; time++) await app.inject({ url: '/', headers: { 'accept-encoding': 'gzip' } })
  expect(bodies).toBe(1)
})
