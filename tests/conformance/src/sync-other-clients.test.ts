import { request, type IncomingMessage } from 'node:http'
import { createGunzip } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { Holdfast } from '@holdfast/test-support'
import { addNotes, ANN, openNotesServer } from './sync-app.ts'

/*
 * Requests of clients that cannot run here, as their public sources send them: powersync.dart 1490673c, powersync-kotlin cd8c6aed, powersync-swift b855d499,
 * powersync-dotnet ad7c5cea, powersync-native 2fc180eb. All have the same core, which builds the body.
 */

const BSON = 'application/vnd.powersync.bson-stream'
const NDJSON = 'application/x-ndjson'
const EITHER = `${BSON};q=0.9,${NDJSON};q=0.8`

type Headers = Readonly<Record<string, string>>

interface Client {
  readonly name: string
  readonly headers: Headers
  /** Of `GET /write-checkpoint2.json`; the others are the same. */
  readonly checkpointHeaders?: Headers
  readonly gets: typeof BSON | typeof NDJSON
}

const CLIENTS: readonly Client[] = [
  {
    name: 'Dart 2.2.0',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      accept: EITHER,
      'accept-encoding': 'gzip',
      'user-agent': 'powersync-dart-core/2.2.0 Dart/3.11.0 android',
    },
    gets: BSON,
  },
  {
    name: 'Dart 2.2.0 in a browser',
    headers: {
      'content-type': 'application/json; charset=utf-8',
      accept: EITHER,
      'accept-encoding': 'gzip, deflate, br, zstd',
      'x-user-agent': 'powersync-dart-core/2.2.0 Dart (flutter-web)',
    },
    gets: BSON,
  },
  {
    name: 'Kotlin 1.13.0',
    headers: {
      'content-type': 'application/json',
      accept: NDJSON,
      'user-agent': 'powersync-kotlin/1.13.0 android/36',
    },
    gets: NDJSON,
  },
  {
    name: 'Swift 1.14.4',
    headers: {
      'content-type': 'application/json',
      accept: NDJSON,
      'accept-encoding': 'gzip, deflate, br',
      'user-agent': 'powersync-swift/1.14.4',
    },
    gets: NDJSON,
  },
  {
    name: '.NET 0.1.2',
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-user-agent': 'powersync-dotnet/0.1.2' },
    gets: NDJSON,
  },
  {
    name: 'Rust 0.0.5',
    headers: { 'content-type': 'application/json', accept: EITHER },
    checkpointHeaders: { accept: 'application/json' },
    gets: BSON,
  },
]

function bodyOf(clientId: string): string {
  return JSON.stringify({
    buckets: [],
    include_checksum: true,
    raw_data: true,
    binary_data: true,
    client_id: clientId,
    parameters: null,
    streams: { include_defaults: true, subscriptions: [] },
    app_metadata: {},
  })
}

let holdfast: Holdfast
let token: string

beforeAll(async () => {
  holdfast = await openNotesServer()
  await addNotes(holdfast, ANN, ['a', 'b'])
  token = (await (await holdfast.supabase(ANN)).auth.getSession()).data.session?.access_token ?? ''
})

afterAll(async () => holdfast?.[Symbol.asyncDispose]())

/** Sends exactly these headers, unlike `fetch`. */
function send(method: string, path: string, headers: Headers, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(`${holdfast.url}${path}`, { method, headers, agent: false }, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
}

/** Reads lines until a checkpoint is complete, framed as the content type says. */
async function readLines(answer: IncomingMessage): Promise<readonly string[]> {
  const unpacked = answer.headers['content-encoding'] === 'gzip' ? answer.pipe(createGunzip()) : answer
  let bytes = Buffer.alloc(0)
  const lines: string[] = []
  for await (const chunk of unpacked) {
    bytes = Buffer.concat([bytes, chunk as Buffer])
    for (let end = endOfLine(answer, bytes); end > 0 && end <= bytes.length; end = endOfLine(answer, bytes)) {
      lines.push(bytes.toString('utf8', 0, end))
      bytes = bytes.subarray(end)
    }
    if (lines.some((line) => line.includes('checkpoint_complete'))) break
  }
  answer.destroy()
  return lines
}

function endOfLine({ headers }: IncomingMessage, bytes: Buffer): number {
  if (headers['content-type'] !== BSON) return bytes.indexOf(10) + 1
  return bytes.length < 4 ? 0 : bytes.readInt32LE(0)
}

/** Returns the single key of a line, whatever its format. */
function keyOf(line: string): string {
  return (
    /(token_expires_in|partial_checkpoint_complete|checkpoint_complete|checkpoint_diff|checkpoint|data)/.exec(
      line,
    )?.[0] ?? line
  )
}

function expectFirstSync(lines: readonly string[]): void {
  const keys = lines.map(keyOf)
  expect(keys[0]).toBe('checkpoint')
  expect(keys.at(-1)).toBe('checkpoint_complete')
  const data = lines
    .filter((line) => keyOf(line) === 'data')
    .join('')
    .replaceAll('\\', '')
  expect(data).toContain('"title":"a"')
  expect(data).toContain('"title":"b"')
}

describe('requests as other clients send them', () => {
  test.each(CLIENTS)(
    '$name gets the first sync in its format, and a write checkpoint',
    async ({ name, headers, gets, ...client }) => {
      const clientId = `client of ${name}`
      const authorization = `Token ${token}`
      const answer = await send('POST', '/sync/stream', { ...headers, authorization }, bodyOf(clientId))
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['content-type']).toBe(gets)
      expectFirstSync(await readLines(answer))

      const path = `/write-checkpoint2.json?client_id=${encodeURIComponent(clientId)}`
      const checkpoint = await send('GET', path, { ...headers, ...client.checkpointHeaders, authorization })
      const text = (await checkpoint.toArray()).join('')
      expect(JSON.parse(text)).toEqual({
        data: { write_checkpoint: expect.stringMatching(/^[1-9]\d{0,18}$/) as string },
      })
    },
  )

  test('Kotlin 1.13.0 on platforms without back-pressure gets the first sync over RSocket', async () => {
    const json = 'application/json'
    const metadata = JSON.stringify({ token: `Bearer ${token}`, user_agent: 'powersync-kotlin/1.13.0 iOS' })
    const types = [json, json].flatMap((type) => [number(type.length, 1), Buffer.from(type)])
    const fields = [number(1, 2), number(0, 2), number(20_000, 4), number(30_000, 4), ...types]
    const setup = frame(0, 1, [...fields, ...payload(metadata, '{}')])
    const ask = frame(1, 6, [number(64, 4), ...payload('{"path":"/sync/stream"}', bodyOf('client of Kotlin'))])
    const keepalive = frame(0, 3, [Buffer.alloc(8)], 0x80)

    const lines: string[] = []
    let replies = 0
    const socket = new WebSocket(`${holdfast.url.replace('http', 'ws')}/sync/stream`)
    socket.binaryType = 'arraybuffer'
    socket.addEventListener('open', () => {
      for (const message of [setup, ask, keepalive]) socket.send(message)
    })
    socket.addEventListener('message', ({ data }: { readonly data: unknown }) => {
      const bytes = Buffer.from(data as ArrayBuffer)
      if (bytes.readUInt16BE(4) >> 10 === 3) replies++
      else lines.push(bytes.toString('utf8', 6))
    })
    await vi.waitFor(() => expect(lines.map(keyOf)).toContain('checkpoint_complete'), { timeout: 60_000 })
    expectFirstSync(lines)
    await vi.waitFor(() => expect(replies).toBe(1), { timeout: 60_000 })
    socket.close()
  })
})

function number(value: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes)
  buffer.writeUIntBE(value, 0, bytes)
  return buffer
}

function payload(metadata: string, data: string): readonly Buffer[] {
  return [number(Buffer.byteLength(metadata), 3), Buffer.from(metadata), Buffer.from(data)]
}

/** An RSocket frame; with metadata unless `flags` say otherwise. */
function frame(streamId: number, type: number, fields: readonly Buffer[], flags = 0x100): Buffer<ArrayBuffer> {
  return Buffer.concat([number(streamId, 4), number(type * 1_024 + flags, 2), ...fields])
}
