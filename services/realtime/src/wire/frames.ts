/** Protocol version of a connection, from the URL's `vsn`. */
export type Version = '1.0.0' | '2.0.0'

/** Client-chosen id of a message or join, echoed unchanged. Usually a string, sometimes a number. */
export type Ref = string | number | null

/** A client message with a JSON payload. */
export interface PushFrame {
  readonly kind: 'push'
  readonly joinRef: Ref
  readonly ref: Ref
  readonly topic: string
  readonly event: string
  readonly payload: unknown
  /** Payload as written by the client; only for broadcast and presence. */
  readonly payloadText?: string
}

export type Encoding = 'binary' | 'json'

/** A binary broadcast from a client, forwarded without parsing. */
export interface BroadcastFrame {
  readonly kind: 'broadcast'
  readonly joinRef: Ref
  readonly ref: Ref
  readonly topic: string
  /** Event name chosen by the app. */
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
  /** JSON text of server metadata, such as the id. */
  readonly meta?: string | undefined
}

/** A frame to a client. */
export interface EncodedFrame {
  /** Complete frame including its header. */
  readonly bytes: Buffer
  /** Message without the header. */
  readonly data: Buffer
  readonly isBinary: boolean
}

/** @returns `undefined` for an unsupported version. Defaults to the older one. */
export function parseVersion(text: string | undefined): Version | undefined {
  if (text === undefined) return '1.0.0'
  return text === '1.0.0' || text === '2.0.0' ? text : undefined
}
