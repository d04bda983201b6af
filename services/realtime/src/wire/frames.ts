/** The protocol of a connection, as its address names it (`vsn`). */
export type Version = '1.0.0' | '2.0.0'

/** What a client calls a message or a join. Clients send texts; some send numbers. It goes back as it came. */
export type Ref = string | number | null

/** A message of a client whose payload is JSON. */
export interface PushFrame {
  readonly kind: 'push'
  readonly joinRef: Ref
  readonly ref: Ref
  readonly topic: string
  readonly event: string
  readonly payload: unknown
  /** The JSON text of the payload, as the client wrote it; of broadcasts and presence only. */
  readonly payloadText?: string
}

/** How the payload of a broadcast is encoded. */
export type Encoding = 'binary' | 'json'

/** A broadcast that a client sends as bytes, which are passed on without being read. */
export interface BroadcastFrame {
  readonly kind: 'broadcast'
  readonly joinRef: Ref
  readonly ref: Ref
  readonly topic: string
  /** The event as the app names it. */
  readonly event: string
  readonly encoding: Encoding
  readonly payload: Buffer
}

export type ClientFrame = PushFrame | BroadcastFrame

/** A message to one client. */
export interface ServerMessage {
  readonly joinRef: Ref
  readonly ref: Ref
  readonly topic: string
  readonly event: string
  readonly payload: unknown
}

/** A broadcast to the members of a topic. */
export interface UserBroadcast {
  readonly event: string
  readonly encoding: Encoding
  readonly payload: Uint8Array
  /** JSON text with what the server says of the message, such as its id. */
  readonly meta?: string | undefined
}

/** A frame to a client. */
export interface EncodedFrame {
  /** A whole frame, head included. */
  readonly bytes: Buffer
  /** The message in it. */
  readonly data: Buffer
  readonly isBinary: boolean
}

/** @returns `undefined` for a protocol that is not spoken here. Without the parameter it is the older one. */
export function parseVersion(text: string | undefined): Version | undefined {
  if (text === undefined) return '1.0.0'
  return text === '1.0.0' || text === '2.0.0' ? text : undefined
}
