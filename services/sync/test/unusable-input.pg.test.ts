import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ALICE, BOB, openWorld, type World } from './sync-world.ts'

// Input that any client may send to sync: impossible values are refused with 400, and the stored part is bounded.

let world: World

beforeAll(async () => {
  world = await openWorld()
})

afterAll(async () => world?.[Symbol.asyncDispose]())

const as = (userId: string): Record<string, string> => ({ authorization: `Bearer ${world.token(userId)}` })

function checkpoint(query: string, userId = ALICE): Promise<Response> {
  return fetch(`${world.url}/write-checkpoint2.json?${query}`, { headers: as(userId) })
}

function requestCheckpoint(body: unknown, userId = ALICE): Promise<Response> {
  return fetch(`${world.url}/sync/checkpoint-request`, {
    method: 'POST',
    headers: { ...as(userId), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function stream(body: unknown): Promise<number> {
  const answer = await fetch(`${world.url}/sync/stream`, {
    method: 'POST',
    headers: { ...as(ALICE), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await answer.body?.cancel()
  return answer.status
}

describe('a write checkpoint with a number of the device', () => {
  test.each([
    ['no number', { client_id: 'a' }],
    ['zero', { client_id: 'a', checkpoint_request_id: '0' }],
    ['a negative number', { client_id: 'a', checkpoint_request_id: -1 }],
    ['a fraction', { client_id: 'a', checkpoint_request_id: 1.5 }],
    ['a number that is not exact', { client_id: 'a', checkpoint_request_id: 2 ** 53 }],
    ['a number above which there is none', { client_id: 'a', checkpoint_request_id: '9223372036854775807' }],
    ['SQL', { client_id: 'a', checkpoint_request_id: '1); drop table items; --' }],
    ['a NUL', { client_id: 'a\0b', checkpoint_request_id: '1' }],
    ['a list', [1]],
    ['null', null],
  ])('is refused for %s', async (_title, body) => {
    const answer = await requestCheckpoint(body)
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 400,
      body: { error: { code: 'PSYNC_S2001' } },
    })
  })

  test('confirms the newest number, takes higher ones, and answers lower ones with a new one', async () => {
    const ask = async (number: bigint | number): Promise<bigint> => {
      const answer = await requestCheckpoint({
        client_id: 'numbering',
        checkpoint_request_id: typeof number === 'bigint' ? String(number) : number,
      })
      const { data } = (await answer.json()) as { readonly data: { readonly checkpoint_request_id: string } }
      return BigInt(data.checkpoint_request_id)
    }
    const positionOf = async (): Promise<unknown> =>
      (await world.rows(`select id::text, lsn::text from sync.write_checkpoints where client_id = 'numbering'`))[0]
    const [state] = await world.rows<{ floor: string }>(`select write_checkpoint_floor::text as floor from sync.state`)
    const floor = BigInt(state?.floor ?? 0)

    const first = await ask(1)
    expect(first).toBeGreaterThan(floor)
    const stored = await positionOf()
    await world.run(`insert into items (owner_id, title) values ('${ALICE}', 'later')`)
    expect(await ask(first)).toBe(first)
    expect(await positionOf()).toEqual(stored)
    expect(await ask(first + 5n)).toBe(first + 5n)
    expect(await positionOf()).not.toEqual(stored)
    expect(await ask(first + 1n)).toBe(first + 6n)
    const legacy = await (await checkpoint('client_id=numbering')).json()
    const { data } = legacy as { readonly data: { readonly write_checkpoint: string } }
    expect(BigInt(data.write_checkpoint)).toBeGreaterThan(first + 6n)
    const highest = 2n ** 62n
    expect(await ask(highest)).toBe(highest)
    expect(await ask(first)).toBe(highest + 1n)
  })
})

describe('a write checkpoint', () => {
  test.each([
    ['a client id that is too long', `client_id=${'x'.repeat(12_000)}`],
    ['a NUL', 'client_id=a%00b'],
    ['two client ids', 'client_id=a&client_id=b'],
  ])('for %s is refused', async (_title, query) => {
    const answer = await checkpoint(query)
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 400,
      body: { error: { code: 'PSYNC_S2001' } },
    })
  })

  test('is kept for the newest hundred devices of a person, and of others as before', async () => {
    await checkpoint('client_id=other', BOB)
    for (let index = 0; index < 120; index++) expect((await checkpoint(`client_id=device-${index}`)).status).toBe(200)
    const rows = await world.rows<{ user_id: string; n: number; newest: boolean }>(`
      select user_id, count(*)::int as n, bool_or(client_id in ('device-119', 'other')) as newest
        from sync.write_checkpoints group by user_id order by user_id`)
    expect(rows).toEqual([
      { user_id: ALICE, n: 100, newest: true },
      { user_id: BOB, n: 1, newest: true },
    ])
  })

  test('of a device that was forgotten has a higher number than all before', async () => {
    const numberOf = async (client: string): Promise<bigint> => {
      const { data } = (await (await checkpoint(`client_id=${client}`)).json()) as {
        data: { write_checkpoint: string }
      }
      return BigInt(data.write_checkpoint)
    }
    let last = await numberOf('forgotten')
    for (let index = 0; index < 5; index++) {
      const next = await numberOf('forgotten')
      expect(next).toBeGreaterThan(last)
      last = next
    }
    await world.run(`delete from sync.write_checkpoints where client_id = 'forgotten'`)
    expect(await numberOf('forgotten')).toBeGreaterThan(last)
  })

  test('that is old is deleted when a new device comes', async () => {
    await checkpoint('client_id=aged', BOB)
    await world.run(`update sync.write_checkpoints set at = now() - interval '91 days' where client_id = 'aged'`)
    await checkpoint('client_id=fresh', ALICE)
    expect(await world.rows(`select from sync.write_checkpoints where client_id = 'aged'`)).toEqual([])
  })
})

describe('a stream', () => {
  const subscription = (name: string, parameters: unknown): unknown => ({
    streams: { subscriptions: [{ stream: name, parameters, override_priority: null }] },
  })

  test.each([
    ['a client id that is too long', { client_id: 'x'.repeat(12_000) }],
    ['a client id with a NUL', { client_id: 'a\0b' }],
    ['a bucket with a NUL', { buckets: [{ name: 'a\0b', after: '0' }] }],
    ['a bucket whose name is too long', { buckets: [{ name: 'x'.repeat(2_000), after: '0' }] }],
    ['a stream whose name is too long', subscription('x'.repeat(2_000), {})],
    ['a stream with a NUL', subscription('a\0b', {})],
    ['a parameter with a NUL', subscription('everything', { deep: [{ value: 'a\0b' }] })],
    ['the name of a parameter with a NUL', subscription('everything', { 'a\0b': 1 })],
  ])('with %s is refused', async (_title, body) => {
    expect(await stream(body)).toBe(400)
  })
})
