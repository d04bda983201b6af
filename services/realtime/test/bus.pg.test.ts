import { expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import type { Bus } from '../src/bus/bus.ts'
import { openLocalBus } from '../src/bus/local-bus.ts'
import { Topics, type Member } from '../src/channel/topics.ts'
import { createEntry } from '../src/bus/presence.ts'
import { describeBus } from './bus-suite.ts'
import { openWireBus } from './wire-bus.ts'

describeBus('one node', async () => {
  const bus = openLocalBus(silentLogger)
  return [bus, bus]
})
describeBus('two nodes that exchange bytes', async () => openWireBus(silentLogger))

/** A member of topic `room` on a node. */
function memberOn(bus: Bus, id: string) {
  const topics = new Topics(bus)
  const texts: string[] = []
  const member: Member = {
    id,
    isEchoed: false,
    canReadBroadcasts: true,
    canReadPresence: true,
    identity: undefined,
    deliver: (fanOut) => texts.push(fanOut.frame('2.0.0')?.data.toString('utf8') ?? ''),
  }
  topics.add('room', true, member)
  return { topics, texts }
}

test('members on two nodes get the broadcasts of each other and of the database, and see who is there', async () => {
  const [one, other] = openWireBus(silentLogger)
  const [ada, bob] = [memberOn(one, 'ada'), memberOn(other, 'bob')]
  const payload = Buffer.from('{"a":1}')
  ada.topics.publish('room', true, {
    kind: 'broadcast',
    from: 'ada',
    broadcast: { event: 'from-ada', encoding: 'json', payload },
  })
  ada.topics.publish('room', true, {
    kind: 'broadcast',
    from: undefined,
    broadcast: { event: 'from-database', encoding: 'json', payload, meta: '{"id":"1"}' },
    id: '1',
  })
  bob.topics.publish('room', true, { kind: 'text', from: 'bob', payload: '{"event":"from-bob"}' })
  const entry = createEntry('bob', 'ref', '{"at":1.10}', undefined)
  bob.topics.publish('room', true, { kind: 'presence', change: { joins: [entry], leaves: [] } })
  const eventsOf = (texts: readonly string[]): readonly string[] =>
    texts.flatMap((text) => /from-ada|from-database|from-bob|presence_diff/.exec(text) ?? [])
  await expect.poll(() => eventsOf(ada.texts).toSorted()).toEqual(['from-bob', 'from-database', 'presence_diff'])
  await expect.poll(() => eventsOf(bob.texts)).toEqual(['from-ada', 'from-database', 'presence_diff'])
  for (const { topics } of [ada, bob])
    expect(topics.presence('room', true)).toBe('{"bob":{"metas":[{"at":1.10,"phx_ref":"ref"}]}}')
  bob.topics.publish('room', true, { kind: 'presence', change: { joins: [], leaves: [entry] } })
  await expect.poll(() => ada.topics.presence('room', true)).toBe('{}')
})
