import type { PresenceChange } from './presence.ts'
import type { UserBroadcast } from '../wire/frames.ts'

/** A broadcast inserted into `realtime.messages`. */
export interface DatabaseMessage {
  readonly id: string
  /** Its place in commit order, compared as text. */
  readonly order: string
  readonly topic: string
  readonly isPrivate: boolean
  readonly broadcast: UserBroadcast
}

/** A message to all nodes, mostly to the members of a topic. Plain data, so that implementations can serialize it. */
export type BusMessage =
  | {
      readonly kind: 'broadcast'
      /** Sending membership, which receives the message only if it asked for its own; `undefined` for messages not sent by a member. */
      readonly from: string | undefined
      readonly broadcast: UserBroadcast
      /** Set for messages stored in the database. */
      readonly id?: string
    }
  | {
      /** A broadcast whose payload is forwarded as the sender wrote it. */
      readonly kind: 'text'
      readonly from: string | undefined
      /** JSON text. */
      readonly payload: string
    }
  | { readonly kind: 'presence'; readonly change: PresenceChange }
  /** On a channel of its own, because all nodes deliver these in one order. */
  | ({ readonly kind: 'database' } & DatabaseMessage)

/**
 * Message bus between the nodes.
 *
 * Delivers each message at most once to every subscriber of its channel, including those on the publishing node, and keeps the order of each publisher. A
 * failing subscriber does not affect others. Messages are not stored for later subscribers, except presence: a channel's first subscriber on a node is told
 * the presence published by other nodes, and the presence of a lost node leaves.
 */
export interface Bus extends AsyncDisposable {
  /** Name of this node, new with each start; `undefined` if there are no others. */
  readonly node: string | undefined
  publish(channel: string, message: BusMessage): void
  subscribe(channel: string, onMessage: (message: BusMessage) => void): Disposable
  /** Calls `onLost` when messages of a node, or of any (`undefined`), may have been lost. The bus itself repairs presence. */
  watchLosses(onLost: (node: string | undefined) => void): Disposable
}
