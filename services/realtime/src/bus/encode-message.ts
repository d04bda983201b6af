import type { PresenceEntry } from './presence.ts'
import type { BusMessage } from './bus.ts'

/** What nodes tell each other. */
export type NodeMessage =
  | { readonly kind: 'message'; readonly channel: string; readonly message: BusMessage }
  /** Shows that the node is alive, and the number of its last frame. */
  | { readonly kind: 'beat' }
  /** Asks for the presence of channels: of all nodes, or of the one of which messages were lost. */
  | { readonly kind: 'request'; readonly channels: readonly string[]; readonly of?: string }
  /** The complete presence that the sender has published per channel. */
  | { readonly kind: 'state'; readonly channels: readonly (readonly [string, readonly PresenceEntry[]])[] }
  /** The node has closed. */
  | { readonly kind: 'bye' }

const LENGTH_BYTES = 4

/** Encodes a message as JSON and, after it, the payload of a broadcast as it is. */
export function encodeMessage(message: NodeMessage): Buffer {
  const { head, payload } = split(message)
  const text = Buffer.from(JSON.stringify(head))
  const length = Buffer.alloc(LENGTH_BYTES)
  length.writeUInt32BE(text.length)
  return Buffer.concat([length, text, payload])
}

/** @param bytes - of {@link encodeMessage}; whoever could forge them has the key of the nodes */
export function decodeMessage(bytes: Buffer): NodeMessage {
  const end = LENGTH_BYTES + bytes.readUInt32BE(0)
  const head = JSON.parse(bytes.toString('utf8', LENGTH_BYTES, end)) as NodeMessage
  if (head.kind !== 'message') return head
  const { channel, message } = head
  const payload = bytes.subarray(end)
  switch (message.kind) {
    case 'broadcast':
    case 'database':
      return { kind: 'message', channel, message: { ...message, broadcast: { ...message.broadcast, payload } } }
    case 'text':
      return { kind: 'message', channel, message: { ...message, payload: payload.toString('utf8') } }
    default:
      return head
  }
}

function split(message: NodeMessage): { readonly head: unknown; readonly payload: Uint8Array } {
  const none = Buffer.alloc(0)
  if (message.kind !== 'message') return { head: message, payload: none }
  const { channel, message: own } = message
  switch (own.kind) {
    case 'broadcast':
    case 'database': {
      const { payload, ...broadcast } = own.broadcast
      return { head: { kind: 'message', channel, message: { ...own, broadcast } }, payload }
    }
    case 'text': {
      const { payload, ...rest } = own
      return { head: { kind: 'message', channel, message: rest }, payload: Buffer.from(payload) }
    }
    default:
      return { head: message, payload: none }
  }
}
