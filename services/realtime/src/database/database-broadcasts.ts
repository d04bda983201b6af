import type { Bus, DatabaseMessage } from '../bus/bus.ts'

/** Not a channel of clients, whose names begin with `public:` or `private:`. */
const CHANNEL = 'database'

export interface DatabaseBroadcasts extends Disposable {
  /** Passes a message to all servers, including this one. */
  publish(message: DatabaseMessage): void
}

/**
 * Passes messages of the database from the server that reads the changes to all others. Each server delivers them in commit order and once: a server that takes
 * over reads some again, and one that hung may still send some.
 */
export function shareDatabaseBroadcasts(bus: Bus, deliver: (message: DatabaseMessage) => void): DatabaseBroadcasts {
  let delivered = ''
  const subscription = bus.subscribe(CHANNEL, (message) => {
    if (message.kind !== 'database' || message.order <= delivered) return
    delivered = message.order
    deliver(message)
  })
  return {
    publish: (message) => bus.publish(CHANNEL, { kind: 'database', ...message }),
    [Symbol.dispose]: () => subscription[Symbol.dispose](),
  }
}
