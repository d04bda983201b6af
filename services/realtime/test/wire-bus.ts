import { deserialize, serialize } from 'node:v8'
import type { Logger } from '@holdfast/foundation'
import type { Bus, BusMessage } from '../src/bus/bus.ts'
import { openLocalBus } from '../src/bus/local-bus.ts'

/** Two nodes that exchange messages as bytes and with a delay, to simulate a networked bus. A closed node neither sends nor receives. */
export function openWireBus(logger: Logger): readonly [Bus, Bus] {
  const nodes = [openLocalBus(logger), openLocalBus(logger)] as const
  const isOpen = [true, true]
  const open = (own: 0 | 1): Bus => ({
    node: `node ${own}`,
    watchLosses: (onLost) => nodes[own].watchLosses(onLost),
    subscribe: (channel, onMessage) => nodes[own].subscribe(channel, onMessage),
    publish(channel, message) {
      if (!isOpen[own]) return
      const bytes = serialize([channel, message])
      setImmediate(() => {
        for (const [number, node] of nodes.entries())
          if (isOpen[own] && isOpen[number]) node.publish(...(deserialize(bytes) as [string, BusMessage]))
      })
    },
    async [Symbol.asyncDispose]() {
      isOpen[own] = false
      await nodes[own][Symbol.asyncDispose]()
    },
  })
  return [open(0), open(1)]
}
