/** What one member shows of itself under its key. */
export interface PresenceEntry {
  readonly key: string
  /** Unique for each track. */
  readonly ref: string
  /** The payload of the member with `phx_ref`, and `phx_ref_prev` of what it replaces. */
  readonly meta: Readonly<Record<string, unknown>>
}

/** Who comes and who goes, in one step. */
export interface PresenceChange {
  readonly joins: readonly PresenceEntry[]
  readonly leaves: readonly PresenceEntry[]
}

/** What the members of a topic show, by ref, in the order in which they came. */
export type PresenceState = Map<string, PresenceEntry>

/** Changes the state as the change says, whatever came before: what goes twice is gone once. */
export function applyChange(state: PresenceState, { joins, leaves }: PresenceChange): void {
  for (const { ref } of leaves) state.delete(ref)
  for (const entry of joins) state.set(entry.ref, entry)
}

type Metas = Readonly<Record<string, { readonly metas: readonly PresenceEntry['meta'][] }>>

export function renderState(state: PresenceState): Metas {
  return groupByKey([...state.values()])
}

export function renderDiff({ joins, leaves }: PresenceChange): { readonly joins: Metas; readonly leaves: Metas } {
  return { joins: groupByKey(joins), leaves: groupByKey(leaves) }
}

function groupByKey(entries: readonly PresenceEntry[]): Metas {
  const groups = Map.groupBy(entries, ({ key }) => key)
  return Object.fromEntries([...groups].map(([key, own]) => [key, { metas: own.map(({ meta }) => meta) }]))
}

/** The entry of a member that shows `payload` now, after `previous` if it showed something. */
export function createEntry(
  key: string,
  ref: string,
  payload: Readonly<Record<string, unknown>>,
  previous: PresenceEntry | undefined,
): PresenceEntry {
  return { key, ref, meta: { ...payload, phx_ref: ref, ...(previous && { phx_ref_prev: previous.ref }) } }
}
