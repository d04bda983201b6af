import { errorMessage, type Logger } from '@holdfast/foundation'
import type { Bus, BusMessage } from './bus.ts'

/** The bus of a server that is alone: messages arrive before `publish` returns. */
export function openLocalBus(logger: Logger): Bus {
  const channels = new Map<string, Set<(message: BusMessage) => void>>()
  return {
    publish(channel, message) {
      for (const onMessage of channels.get(channel) ?? []) {
        try {
          onMessage(message)
        } catch (error) {
          logger.log('error', 'a subscriber of the realtime bus failed', { error: errorMessage(error) })
        }
      }
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
