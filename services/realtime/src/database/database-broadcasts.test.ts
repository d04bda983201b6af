import { expect, test } from 'vitest'
import { silentLogger } from '@holdfast/foundation'
import { openLocalBus } from '../bus/local-bus.ts'
import { shareDatabaseBroadcasts } from './database-broadcasts.ts'
import type { DatabaseMessage } from '../bus/bus.ts'

const message = (order: string): DatabaseMessage => ({
  id: order,
  order,
  topic: 'room',
  isPrivate: false,
  broadcast: { event: 'x', encoding: 'json', payload: Buffer.from('{}'), meta: '{}' },
})

test('messages that two servers read are delivered once, in commit order', () => {
  const bus = openLocalBus(silentLogger)
  const delivered: string[] = []
  using one = shareDatabaseBroadcasts(bus, ({ id }) => delivered.push(id))
  using other = shareDatabaseBroadcasts(bus, () => undefined)
  for (const order of ['1', '2']) one.publish(message(order))
  // Takes over, reads the last one again, and the first server wakes up late.
  for (const order of ['2', '3']) other.publish(message(order))
  one.publish(message('3'))
  other.publish(message('4'))
  expect(delivered).toEqual(['1', '2', '3', '4'])
})
