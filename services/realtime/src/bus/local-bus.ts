import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Bus, BusMessage } from './bus.ts'

/**
 * The bus of a server that is alone. Messages arrive before `publish` returns, unless it is called by a subscriber: what one message leads to comes behind that
 * message at every subscriber.
 */
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
    publish(channel, message) {
      waiting.push([channel, message])
      if (isDelivering) return
      isDelivering = true
      // Grows while it is gone through.
      for (const next of waiting) deliver(...next)
      waiting.length = 0
      isDelivering = false
    },
    subscribe(channel, onMessage) {
      const subscribers = channels.get(channel) ?? new Set()
      // The same function may subscribe twice.
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
