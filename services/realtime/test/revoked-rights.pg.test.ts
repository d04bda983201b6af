import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openTestDatabase, type TestDatabase } from '@holdfast/test-support'
import { realtimeMigrations } from '../src/index.ts'
import { broadcastPush, isEvent, openRealtimeWorld, type TestSocket } from './realtime-world.ts'

let database: TestDatabase

beforeAll(async () => {
  database = await openTestDatabase({ migrations: [realtimeMigrations] })
})
afterAll(() => database[Symbol.asyncDispose]())

const run = (text: string) => database.pool.withClient((client) => client.query(text))

/** A topic whose policies read rights from a table. */
async function openTopic(name: string) {
  await run(`
    create table if not exists public.allowed (topic text, action text, extension text);
    grant select on public.allowed to authenticated;
    insert into public.allowed select '${name}', action, extension
      from unnest('{read,write}'::text[]) action, unnest('{broadcast,presence}'::text[]) extension;
    create policy "read ${name}" on realtime.messages for select to authenticated using (exists (
      select from public.allowed a where a.topic = realtime.topic() and a.action = 'read' and a.extension = messages.extension));
    create policy "write ${name}" on realtime.messages for insert to authenticated with check (exists (
      select from public.allowed a where a.topic = realtime.topic() and a.action = 'write' and a.extension = messages.extension));`)
  const world = await openRealtimeWorld({ realtimeRightsSeconds: 1 }, database)
  onTestFinished(() => world[Symbol.asyncDispose]())
  const join = async (token: string): Promise<TestSocket> => {
    const client = await world.connect()
    const config = { private: true, broadcast: { ack: true }, presence: { enabled: true, key: token } }
    expect(await client.join(`realtime:${name}`, { config, access_token: token })).toMatchObject({ status: 'ok' })
    return client
  }
  const revoke = (action: string, extension: string) =>
    run(`delete from public.allowed where topic = '${name}' and action = '${action}' and extension = '${extension}'`)
  const grant = (action: string, extension: string) =>
    run(`insert into public.allowed values ('${name}', '${action}', '${extension}')`)
  return { join, revoke, grant }
}

const push = (topic: string, event: string): Buffer =>
  broadcastPush(`realtime:${topic}`, event, Buffer.from('{}'), 1, 'b')

describe('a right that is revoked', () => {
  test('to read anything ends the membership', async () => {
    const { join, revoke } = await openTopic('ended')
    const alice = await join('alice')
    await revoke('read', 'broadcast')
    await revoke('read', 'presence')
    expect(await alice.next(isEvent('system'))).toMatchObject({
      4: { status: 'error', message: 'You no longer have permission to read from this Channel topic: ended' },
    })
    await alice.next(isEvent('phx_close'))
    await alice.beat()
  })

  test('to read broadcasts ends them, and presence goes on', async () => {
    const { join, revoke } = await openTopic('muted')
    const [alice, service] = [await join('alice'), await join('service')]
    await revoke('read', 'broadcast')
    await expect
      .poll(async () => {
        service.socket.send(push('muted', 'x'))
        await service.next(isEvent('phx_reply'))
        await alice.beat()
        return alice.received.splice(0).some(Buffer.isBuffer)
      })
      .toBe(false)
    service.send(null, 'p', 'realtime:muted', 'presence', { event: 'track', payload: {} })
    await alice.next(isEvent('presence_diff'))
  })

  test('to read presence and granted again brings the state as it is then', async () => {
    const { join, revoke, grant } = await openTopic('blind')
    const [alice, service] = [await join('alice'), await join('service')]
    await revoke('read', 'presence')
    const track = async (at: number): Promise<void> => {
      service.send(null, `p${at}`, 'realtime:blind', 'presence', { event: 'track', payload: { at } })
      await service.next((message) => !Buffer.isBuffer(message) && message[1] === `p${at}`)
    }
    let at = 0
    await expect
      .poll(
        async () => {
          await track(++at)
          await alice.beat()
          return alice.received.splice(0).some(isEvent('presence_diff'))
        },
        { interval: 250 },
      )
      .toBe(false)
    await grant('read', 'presence')
    expect(await alice.next(isEvent('presence_state'))).toMatchObject({ 4: { service: { metas: [{ at }] } } })
    await track(++at)
    await alice.next(isEvent('presence_diff'))
  })

  test('to send mutes the member, and takes back what it shows', async () => {
    const { join, revoke } = await openTopic('silenced')
    const [alice, service] = [await join('alice'), await join('service')]
    alice.send(null, 'p', 'realtime:silenced', 'presence', { event: 'track', payload: {} })
    await service.next(
      (message) => isEvent('presence_diff')(message) && JSON.stringify(message).includes('"joins":{"alice"'),
    )
    alice.socket.send(push('silenced', 'x'))
    await service.next(Buffer.isBuffer)
    await revoke('write', 'broadcast')
    await revoke('write', 'presence')
    await service.next(
      (message) => isEvent('presence_diff')(message) && JSON.stringify(message).includes('"leaves":{"alice"'),
    )
    service.received.length = 0
    alice.socket.send(push('silenced', 'refused'))
    await alice.beat()
    await service.beat()
    expect(service.received.filter(Buffer.isBuffer)).toEqual([])
    expect(alice.received.filter(isEvent('phx_close'))).toEqual([])
  })
})
