import { runsOf } from '@holdfast/test-support'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { broadcastPush, openRealtimeWorld, type RealtimeWorld, type TestSocket } from './realtime-world.ts'

// Receivers get every JSON payload character by character as sent.

let world: RealtimeWorld
let sender: TestSocket
let oldSender: TestSocket
/** Texts received by each of the two clients. */
const arrived: string[][] = [[], []]

beforeAll(async () => {
  world = await openRealtimeWorld({
    realtimePresenceCallsMax: 100_000,
    realtimeMessagesPerSecondMax: 100_000,
  })
  sender = await world.connect()
  oldSender = await world.connect('apikey=anon')
  const receivers = [await world.connect(), await world.connect('apikey=anon')]
  for (const [index, { socket }] of receivers.entries())
    socket.on('message', (data: Buffer) => void arrived[index]?.push(data.toString('utf8')))
  const config = { presence: { enabled: true } }
  for (const one of [sender, oldSender, ...receivers]) await one.join('realtime:room', { config })
})

afterAll(() => world[Symbol.asyncDispose]())

const number = fc.constantFrom('1836486125467611137', '1.10', '-0', '1e400', '1E+2', '0.1e-9')
const string = fc.oneof(
  fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
  fc.constantFrom('"\\u0041\\/"', '"\\\\"', '"\\"]}"', '"phx_ref"', '"__proto__"'),
)
const value = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    number,
    string,
    fc.constantFrom('true', 'null', ' [ ] '),
    fc.array(tie('value'), { maxLength: 3 }).map((all) => `[${all.join(' ,')}]`),
    fc.array(fc.tuple(string, tie('value')), { maxLength: 3 }).map(renderObject),
  ),
})).value
/** With duplicate and numeric names. */
const object = fc
  .array(fc.tuple(fc.oneof(string, fc.constantFrom('"10"', '"9"')), value), { maxLength: 4 })
  .map(renderObject)

function renderObject(members: readonly (readonly [name: string, value: string])[]): string {
  return `{${members.map(([name, text]) => `${name}: ${text}`).join(',')}}`
}

async function post(path: string, body: string): Promise<void> {
  const answer = await fetch(`${world.url}/api/broadcast${path}`, {
    method: 'POST',
    body,
    headers: { 'content-type': 'application/json' },
  })
  expect(answer.status).toBe(202)
}

const ways: Readonly<Record<string, (payload: string) => void | Promise<void>>> = {
  'a text of protocol 2.0.0': (payload) =>
    sender.socket.send(`[null,null,"realtime:room","broadcast",{"type":"broadcast","event":"e","payload":${payload}}]`),
  'a text of protocol 1.0.0': (payload) =>
    oldSender.socket.send(
      `{"topic":"realtime:room","event":"broadcast","payload":{"event":"e", "payload" :${payload}},"ref":null}`,
    ),
  'bytes of protocol 2.0.0': (payload) =>
    sender.socket.send(broadcastPush('realtime:room', 'e', Buffer.from(payload), 1)),
  'a request with one message': (payload) => post('/room/events/e', payload),
  'a request with many messages': (payload) =>
    post(
      '',
      `{"messages":[{"topic":"room","event":"d","payload":{}},{"topic":"room","event":"e","payload":${payload}}]}`,
    ),
  presence: (payload) =>
    sender.socket.send(`[null,null,"realtime:room","presence",{"event":"track","payload":${payload}}]`),
}

test.each(Object.entries(ways))('the payload of %s', async (name, send) => {
  let count = 0
  await fc.assert(
    fc.asyncProperty(object, async (own) => {
      // Always different, so that presence changes.
      const payload = own === '{}' ? `{"n":${++count}}` : `{"n":${++count},${own.slice(1)}`
      for (const texts of arrived) texts.length = 0
      await send(payload)
      const wanted = name === 'presence' ? payload.slice(0, -1) : payload
      for (const texts of arrived) await expect.poll(() => texts.some((text) => text.includes(wanted))).toBe(true)
    }),
    { numRuns: runsOf(15) },
  )
})

test('in the state of presence, for who comes later', async () => {
  const shown = '{"big":1836486125467611137,"price":1.10,"big":1e400'
  sender.socket.send(`[null,null,"realtime:room","presence",{"event":"track","payload":${shown}}}]`)
  await sender.beat()
  const late = await world.connect()
  const texts: string[] = []
  late.socket.on('message', (data: Buffer) => void texts.push(data.toString('utf8')))
  await late.join('realtime:room', { config: { presence: { enabled: true } } })
  await expect.poll(() => texts.some((text) => text.includes('presence_state') && text.includes(shown))).toBe(true)
})
