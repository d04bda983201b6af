import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { collect, openClient, signUp, subscribe } from './realtime-world.ts'

let holdfast: Holdfast

/** A project's policies: signed-in users may read and write the topic `team`, and read `news`. */
const POLICIES = `
  create policy "read" on realtime.messages for select to authenticated
    using ((select realtime.topic()) in ('team', 'news') and extension in ('broadcast', 'presence'));
  create policy "write" on realtime.messages for insert to authenticated
    with check ((select realtime.topic()) = 'team' and extension in ('broadcast', 'presence'));
`

beforeAll(async () => {
  holdfast = await openHoldfast()
  await holdfast.admin.withClient((client) => client.query(POLICIES))
})

afterAll(async () => {
  await holdfast?.[Symbol.asyncDispose]()
})

const PRIVATE = { config: { private: true, broadcast: { ack: true } } }

async function openPerson(name: string) {
  const client = openClient(holdfast)
  await signUp(client, name)
  return client
}

describe('a private channel', () => {
  test('admits users whom the policies allow', async () => {
    const [alice, bob] = [await openPerson('alice'), await openPerson('bob')]
    const channel = bob.channel('team', PRIVATE)
    const got = collect(channel, 'x')
    expect((await subscribe(channel)).statuses).toEqual(['SUBSCRIBED'])
    const sending = await subscribe(alice.channel('team', PRIVATE))
    expect(await sending.channel.send({ type: 'broadcast', event: 'x', payload: { a: 1 } })).toBe('ok')
    await expect.poll(() => got).toMatchObject([{ payload: { a: 1 } }])
    expect(await alice.channel('team', PRIVATE).httpSend('x', { a: 2 })).toEqual({ success: true })
    await expect.poll(() => got.length).toBe(2)
  })

  test('refuses anonymous clients, and other topics', async () => {
    const anybody = await subscribe(openClient(holdfast).channel('team', PRIVATE))
    expect(anybody.statuses[0]).toMatch(
      /Unauthorized: You do not have permissions to read from this Channel topic: team/,
    )
    const elsewhere = await subscribe((await openPerson('alice')).channel('elsewhere', PRIVATE))
    expect(elsewhere.statuses[0]).toMatch(/Unauthorized/)
  })

  test('ignores a send that the policies do not allow: the push times out', async () => {
    const alice = await openPerson('alice')
    const { channel } = await subscribe(alice.channel('news', PRIVATE))
    expect(await channel.send({ type: 'broadcast', event: 'x', payload: {} }, { timeout: 1_000 })).toBe('timed out')
    await expect(channel.httpSend('x', {})).rejects.toThrow('Unauthorized')
  })
})
