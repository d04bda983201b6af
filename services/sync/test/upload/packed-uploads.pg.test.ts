import { randomBytes, randomUUID } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { UPLOAD_PATH } from '@holdfast/protocol'
import { ALICE, caller, openUploadWorld, type UploadWorld } from './upload-world.ts'

let world: UploadWorld

beforeAll(async () => {
  world = await openUploadWorld()
})

afterAll(() => world[Symbol.asyncDispose]())

async function send(
  payload: Buffer,
  headers: Readonly<Record<string, string>> = { 'content-encoding': 'gzip' },
): Promise<{ readonly status: number; readonly body: unknown; readonly accepts: unknown }> {
  const answer = await world.app.inject({
    method: 'POST',
    url: UPLOAD_PATH,
    payload,
    headers: { 'content-type': 'application/json', 'x-caller': JSON.stringify(caller(ALICE)), ...headers },
  })
  return { status: answer.statusCode, body: answer.json(), accepts: answer.headers['accept-encoding'] }
}

const packed = (body: unknown): Buffer => gzipSync(JSON.stringify(body))

test('a packed upload is judged as any other', async () => {
  const id = randomUUID()
  const answer = await send(packed(world.transaction({ op: 'PUT', id, data: { title: 'packed' } })))
  expect(answer).toMatchObject({ status: 200, body: { status: 'applied' } })
  expect(await world.tasks()).toContainEqual(expect.objectContaining({ id, title: 'packed' }))
})

test('a body that becomes more than an upload may have is refused while it is unpacked', async () => {
  const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024, 'x'))
  expect(bomb.length).toBeLessThan(1024 * 1024)
  expect(await send(bomb)).toMatchObject({ status: 413, body: { error: { code: 'FST_ERR_CTP_BODY_TOO_LARGE' } } })
  expect(world.underWay.size).toBe(0)
})

test.each([
  ['is no gzip', randomBytes(2_000)],
  ['ends early', packed(randomBytes(2_000).toString('hex')).subarray(0, 500)],
  ['is damaged', Buffer.concat([packed({}).subarray(0, 12), randomBytes(40)])],
  ['has something behind it', Buffer.concat([packed({}), randomBytes(40)])],
  ['is JSON as it is', Buffer.from('{}')],
])('a packed body that %s is refused', async (_, body) => {
  expect(await send(body)).toMatchObject({ status: 400, body: { error: { status: 400 } } })
  expect(world.underWay.size).toBe(0)
})

test('another encoding is refused with the one that is known', async () => {
  const answer = await send(brotliCompressSync('{}'), { 'content-encoding': 'br' })
  expect(answer).toMatchObject({ status: 415, body: { error: { code: 'PSYNC_S2001' } }, accepts: 'gzip' })
})
