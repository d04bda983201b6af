import type { PresenceChange } from '../presence/presence.ts'
import type { UserBroadcast } from '../wire/frames.ts'

/** A message to all members of a topic, wherever they are connected. Plain data: an implementation may write it to a network. */
export type BusMessage =
  | {
      readonly kind: 'broadcast'
      /** The membership that sent it, which gets it only if it asked for its own; `undefined` for messages of no member. */
      readonly from: string | undefined
      readonly broadcast: UserBroadcast
      /** Of a message that stands in the database. */
      readonly id?: string
    }
  | {
      /** A broadcast whose payload is handed on as its sender wrote it. */
      readonly kind: 'text'
      readonly from: string | undefined
      /** JSON text. */
      readonly payload: string
    }
  | { readonly kind: 'presence'; readonly change: PresenceChange }

/**
 * Carries what the members of a topic on all nodes get.
 *
 * A message reaches every subscriber of its channel at most once, on the node that published it too; messages of one publisher arrive in the order in which they
 * were published. A subscriber that fails takes nothing from the others. Nothing is kept for who subscribes later.
 */
export interface Bus extends AsyncDisposable {
  publish(channel: string, message: BusMessage): void
  subscribe(channel: string, onMessage: (message: BusMessage) => void): Disposable
}
