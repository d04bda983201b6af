import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld({ drainMs: 3_000 })
  await world.run(`
    insert into public.items (id, owner_id, title, n)
    select gen_random_uuid(), '${ALICE}', 'Item number ' || n || repeat(' and more', 20), n from generate_series(1, 3000) n`)
})

afterAll(async () => {
  await world[Symbol.asyncDispose]()
})

interface Line {
  readonly checkpoint_complete?: object
  readonly token_expires_in?: number
  readonly data?: { readonly data: readonly object[] }
}

/** Reads a stream as the public clients do: with the platform's `fetch`, which asks for gzip and undoes it. */
async function open(
  userId: string,
  encoding: string,
): Promise<{ response: Response; next: () => Promise<Line | undefined>; close: () => void }> {
  const abort = new AbortController()
  const response = await fetch(`${world.url}/sync/stream`, {
    method: 'POST',
    headers: {
      authorization: `Token ${world.token(userId)}`,
      'content-type': 'application/json',
      'accept-encoding': encoding,
    },
    body: JSON.stringify({ raw_data: true, client_id: encoding }),
    signal: abort.signal,
  })
  const lines = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>
  const reader = (response.body as ReadableStream<Uint8Array>).pipeThrough(lines).getReader()
  let text = ''
  return {
    response,
    close: () => abort.abort(),
    async next() {
      while (!text.includes('\n')) {
        const { done, value } = await reader.read()
        if (done) return undefined
        text += value
      }
      const end = text.indexOf('\n')
      const line = JSON.parse(text.slice(0, end)) as Line
      text = text.slice(end + 1)
      return line
    },
  }
}

async function operationsUntilComplete(next: () => Promise<Line | undefined>): Promise<number> {
  let count = 0
  for (let line = await next(); line && !line.checkpoint_complete; line = await next())
    count += line.data?.data.length ?? 0
  return count
}

describe('a stream', () => {
  test.each([
    ['gzip, deflate', 'gzip'],
    ['gzip, deflate, br, zstd', 'gzip'],
    ['br', null],
    ['gzip;q=0', null],
    ['identity', null],
  ])(
    'that is asked for with %s is encoded as %s, and every checkpoint arrives whole at once',
    async (encoding, wanted) => {
      const stream = await open(ALICE, encoding)
      expect(stream.response.headers.get('content-encoding')).toBe(wanted)
      expect(await operationsUntilComplete(stream.next)).toBeGreaterThanOrEqual(3_000)
      await world.run(`insert into public.items (owner_id, title) values ('${ALICE}', 'small')`)
      expect(await operationsUntilComplete(stream.next)).toBe(1)
      await world.run(
        `insert into public.items (owner_id, title) select '${ALICE}', repeat(md5(n::text), 20) from generate_series(1, 300) n`,
      )
      expect(await operationsUntilComplete(stream.next)).toBe(300)
      stream.close()
    },
  )
})

test('a server that stops lets devices finish, tells them to come back at once, and takes no new ones', async () => {
  const leaves = await open(BOB, 'gzip')
  const stays = await open(BOB, 'identity')
  await operationsUntilComplete(leaves.next)
  await operationsUntilComplete(stays.next)
  const stopped = world.stop()
  expect(await leaves.next()).toEqual({ token_expires_in: 10 })
  expect(await stays.next()).toEqual({ token_expires_in: 10 })
  const late = await fetch(`${world.url}/sync/stream`, {
    method: 'POST',
    headers: { authorization: `Token ${world.token(BOB)}`, 'content-type': 'application/json' },
    body: '{}',
  })
  expect(late.status).toBe(503)
  leaves.close()
  // A device that does not go is let go in the end.
  expect(await stays.next()).toBeUndefined()
  await stopped
  await world.restart()
})
