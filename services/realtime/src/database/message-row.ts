import type { DatabaseMessage } from '../bus/bus.ts'
import type { UserBroadcast } from '../wire/frames.ts'

/** A message row in Postgres text format. */
export interface MessageRow {
  readonly id: string
  readonly event: string
  /** JSON text. */
  readonly payload: string | null
  /** Hexadecimal. */
  readonly binary: string | null
}

/** @param meta - further metadata for clients beside the id */
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
 * Decodes a row from the replication stream.
 *
 * @returns `undefined` if it is not a broadcast: topic, event or visibility is missing
 */
export function readMessage(
  columns: readonly { readonly name: string }[],
  row: readonly (string | null)[],
  order: string,
): DatabaseMessage | undefined {
  const values = new Map(columns.map(({ name }, position) => [name, row[position] ?? null]))
  const [id, topic, event, isPrivate] = ['id', 'topic', 'event', 'private'].map((name) => values.get(name) ?? undefined)
  if (values.get('extension') !== 'broadcast') return undefined
  if (id === undefined || topic === undefined || event === undefined || isPrivate === undefined) return undefined
  const payload = values.get('payload') ?? null
  // `bytea` text is `\x` and hexadecimal digits.
  const binary = values.get('binary_payload')?.slice(2) ?? null
  return { id, order, topic, isPrivate: isPrivate === 't', broadcast: toBroadcast({ id, event, payload, binary }) }
}
