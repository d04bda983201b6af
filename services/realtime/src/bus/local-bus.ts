import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Bus, BusMessage } from './bus.ts'

/** Bus for a single server. Delivers before `publish` returns, except when a subscriber publishes: such messages are queued behind the current one. */
export function openLocalBus(logger: Logger): Bus {
  const channels = new Map<string, Set<(message: BusMessage) => void>>()
  const waiting: (readonly [channel: string, message: BusMessage])[] = []
  let isDelivering = false

  function deliver(channel: string, message: BusMessage): void {
    for (const onMessage of channels.get(channel) ?? []) {
      try {
        onMessage(message)
      } catch (error) {
        logger.log('error', 'a subscriber of the realtime bus failed', { error: errorMessage(error) })
      }
    }
  }

  return {
    node: undefined,
    watchLosses: () => ({ [Symbol.dispose]: () => undefined }),
    publish(channel, message) {
      waiting.push([channel, message])
      if (isDelivering) return
      isDelivering = true
      // Subscribers may append during the loop.
      for (const next of waiting) deliver(...next)
      waiting.length = 0
      isDelivering = false
    },
    subscribe(channel, onMessage) {
      const subscribers = channels.get(channel) ?? new Set()
      // A wrapper, because the same function may subscribe twice.
      const subscriber = (message: BusMessage): void => onMessage(message)
      subscribers.add(subscriber)
      channels.set(channel, subscribers)
      return {
        [Symbol.dispose]() {
          subscribers.delete(subscriber)
          if (subscribers.size === 0 && channels.get(channel) === subscribers) channels.delete(channel)
        },
      }
    },
    async [Symbol.asyncDispose]() {
      channels.clear()
    },
  }
}
