import type { UserBroadcast } from '../wire/frames.ts'

/** A broadcast that was inserted into `realtime.messages`. */
export interface DatabaseMessage {
  readonly id: string
  readonly topic: string
  readonly isPrivate: boolean
  readonly broadcast: UserBroadcast
}

/** The row of a message in Postgres's text forms. */
export interface MessageRow {
  readonly id: string
  readonly event: string
  /** JSON text. */
  readonly payload: string | null
  /** In hexadecimal digits. */
  readonly binary: string | null
}

/** @param meta - what clients are told of the message besides its id */
export function toBroadcast(
  { id, event, payload, binary }: MessageRow,
  meta: Readonly<Record<string, unknown>> = {},
): UserBroadcast {
  const about = JSON.stringify({ ...meta, id })
  return binary === null
    ? { event, encoding: 'json', payload: Buffer.from(payload ?? '{}'), meta: about }
    : { event, encoding: 'binary', payload: Buffer.from(binary, 'hex'), meta: about }
}

/**
 * Reads a row as it stands in the stream of changes.
 *
 * @returns `undefined` for a row that is no broadcast: it lacks a topic or an event, or does not say who gets it
 */
export function readMessage(
  columns: readonly { readonly name: string }[],
  row: readonly (string | null)[],
): DatabaseMessage | undefined {
  const values = new Map(columns.map(({ name }, position) => [name, row[position] ?? null]))
  const [id, topic, event, isPrivate] = ['id', 'topic', 'event', 'private'].map((name) => values.get(name) ?? undefined)
  if (values.get('extension') !== 'broadcast') return undefined
  if (id === undefined || topic === undefined || event === undefined || isPrivate === undefined) return undefined
  const payload = values.get('payload') ?? null
  // `bytea` is printed as `\x` and hexadecimal digits.
  const binary = values.get('binary_payload')?.slice(2) ?? null
  return { id, topic, isPrivate: isPrivate === 't', broadcast: toBroadcast({ id, event, payload, binary }) }
}
