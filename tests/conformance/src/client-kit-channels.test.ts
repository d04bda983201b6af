import { channelsOf, type SharedChannel } from '@holdfast/client'
import { sql } from '@holdfast/postgres'
import { openDevice, openFaultyLink, openHoldfast, type Holdfast, type TestDevice } from '@holdfast/test-support'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'

/*
 * Channels of the client kit: all components share one membership, joined only while connected and signed in, and only if the policies allow it.
 */

/** Generous, for busy machines. */
const PATIENCE = { timeout: 60_000 }
const DANA = 'dana.okafor@northline.example'
const MINA = 'mina.kaya@northline.example'
const SAM = 'sam.reyes@northline.example'

let holdfast: Holdfast
let dana: TestDevice
let mina: TestDevice
let topic: string
/** Gives each test its own topic. */
let topics = 0

beforeAll(async () => {
  holdfast = await openHoldfast({ sample: true })
  ;[dana, mina] = await Promise.all([openDevice(holdfast, { email: DANA }), openDevice(holdfast, { email: MINA })])
})

afterAll(async () => {
  await dana?.[Symbol.asyncDispose]()
  await mina?.[Symbol.asyncDispose]()
  await holdfast?.[Symbol.asyncDispose]()
})

beforeEach(() => {
  topic = `ws:test${(topics += 1)}:t:actions`
})

/** Holds a channel until the end of the test, like a component. */
function use({ client }: TestDevice, of = topic): { readonly channel: SharedChannel; readonly release: () => void } {
  const channel = channelsOf(client).open(of)
  const release = channel.hold()
  let isOver = false
  const once = (): void => {
    if (!isOver) release()
    isOver = true
  }
  onTestFinished(once)
  return { channel, release: once }
}

const emailOf = ({ email }: TestDevice): string => email.split('.')[0] ?? ''
const joined = async (channel: SharedChannel): Promise<void> => {
  await expect.poll(() => channel.state.get(), PATIENCE).toEqual({ kind: 'joined' })
}
const shownIn = (channel: SharedChannel): readonly unknown[] => channel.people.get().people.map(({ state }) => state)

/** Joins two users and waits until they see each other. */
async function meet(): Promise<{ readonly hers: SharedChannel; readonly minas: SharedChannel }> {
  const [hers, minas] = [use(dana).channel, use(mina).channel]
  hers.show('test', { name: emailOf(dana) })
  minas.show('test', { name: emailOf(mina) })
  for (const channel of [hers, minas]) {
    await expect.poll(() => shownIn(channel).length, PATIENCE).toBe(2)
    expect(shownIn(channel)).toEqual(expect.arrayContaining([{ name: 'dana' }, { name: 'mina' }]))
  }
  return { hers, minas }
}

describe('presence', () => {
  test('shows all members with their state until they leave', async () => {
    const { hers } = await meet()
    expect(
      hers.people
        .get()
        .people.map(({ isMe }) => isMe)
        .toSorted(),
    ).toEqual([false, true])
    const another = use(mina).channel
    another.show('another component', { record: 'a' })
    await expect.poll(() => shownIn(hers), PATIENCE).toContainEqual({ name: 'mina', record: 'a' })
    another.show('another component', undefined)
    await expect.poll(() => shownIn(hers), PATIENCE).toContainEqual({ name: 'mina' })
  })

  test('shares one channel between components and leaves it with the last one', async () => {
    const [first, second] = [use(dana), use(dana)]
    expect(first.channel).toBe(second.channel)
    await joined(first.channel)
    const ofTopic = (): number =>
      dana.client.supabase.getChannels().filter((one) => one.topic === `realtime:${topic}`).length
    expect(ofTopic()).toBe(1)
    first.release()
    const again = use(dana)
    second.release()
    again.release()
    await expect.poll(ofTopic, PATIENCE).toBe(0)
  })
})

test('messages reach the other members, not the sender, and are not sent unless joined', async () => {
  const { hers, minas } = await meet()
  const got: unknown[] = []
  minas.listen('cursor', (payload) => got.push(payload))
  hers.listen('cursor', (payload) => got.push(payload))
  expect(hers.send('cursor', { field: 'title' })).toBe(true)
  await expect.poll(() => got, PATIENCE).toEqual([{ field: 'title' }])
  expect(channelsOf(dana.client).open('ws:nobody:t:actions').send('cursor', {})).toBe(false)
})

test('a device that stops syncing leaves the channel, knows it is offline, and rejoins with its state', async () => {
  const { hers, minas } = await meet()
  await dana.goOffline()
  await expect.poll(() => shownIn(minas), PATIENCE).toEqual([{ name: 'mina' }])
  expect(hers.state.get()).toEqual({ kind: 'offline' })
  expect(shownIn(hers)).toEqual([])
  expect(dana.client.supabase.realtime.isConnected()).toBe(false)
  dana.goOnline()
  await expect.poll(() => shownIn(minas).length, PATIENCE).toBe(2)
  await joined(hers)
})

test('a cut connection is restored', async () => {
  await using link = await openFaultyLink(holdfast.url)
  await using device = await openDevice({ ...holdfast, url: link.url }, { email: DANA })
  const { channel } = use(device)
  const minas = use(mina).channel
  channel.show('test', { name: 'dana' })
  await expect.poll(() => shownIn(minas), PATIENCE).toEqual([{ name: 'dana' }])
  const states: string[] = []
  channel.state.subscribe(() => states.push(channel.state.get().kind))
  link.cut()
  await expect.poll(() => states.at(0), PATIENCE).toMatch(/joining|offline/)
  await expect.poll(() => states.at(-1), PATIENCE).toBe('joined')
  await expect.poll(() => shownIn(minas), PATIENCE).toEqual([{ name: 'dana' }])
})

test('a user whom policies refuse sees no other user, retries only with the next token, and is admitted by a new policy', async () => {
  await using sam = await openDevice(holdfast, { email: SAM })
  const hers = use(dana).channel
  hers.show('test', { name: 'dana' })
  const { channel } = use(sam)
  channel.show('test', { name: 'sam' })
  await expect.poll(() => channel.state.get().kind, PATIENCE).toBe('refused')
  expect(channel.state.get()).toMatchObject({ reason: expect.stringContaining('Unauthorized') as string })
  await expect.poll(() => shownIn(hers), PATIENCE).toEqual([{ name: 'dana' }])
  expect(shownIn(channel)).toEqual([])
  expect(sam.client.supabase.getChannels()).toEqual([])

  const name = `'${topic}'`
  await holdfast.admin.withClient((client) =>
    client.query(`
      create policy test_reads on realtime.messages for select to authenticated using (realtime.topic() = ${name});
      create policy test_sends on realtime.messages for insert to authenticated with check (realtime.topic() = ${name});`),
  )
  const { error } = await sam.client.supabase.auth.refreshSession()
  expect(error).toBeNull()
  await joined(channel)
  await expect.poll(() => shownIn(hers).length, PATIENCE).toBe(2)
})

test('signing out leaves the channel', async () => {
  await using device = await openDevice(holdfast, { email: DANA })
  const { channel } = use(device)
  const minas = use(mina).channel
  channel.show('test', { name: 'dana' })
  await expect.poll(() => shownIn(minas), PATIENCE).toEqual([{ name: 'dana' }])
  await device.client.signOut('keep')
  await expect.poll(() => shownIn(minas), PATIENCE).toEqual([])
  expect(channel.state.get()).toEqual({ kind: 'offline' })
})

test('a user who may read a record may join its channel', async () => {
  const [row] = await holdfast.admin.query<{ id: string }>(sql`
    select a.id from public.actions a join public.people p on p.contractor_id = a.contractor_id
     where p.name = 'Sam Reyes' order by a.id limit 1`)
  await using sam = await openDevice(holdfast, { email: SAM })
  const { channel } = use(sam, `${topic}:r:${row?.id}`)
  await joined(channel)
})
