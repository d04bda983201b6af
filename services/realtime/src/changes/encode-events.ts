import type { Lsn, Relation, ReplicationEvent } from '@holdfast/replication'

/** Relations that a decoder keeps, so that equal ones are one object. */
const RELATIONS_MAX = 10_000

/** Encodes events as JSON. Each relation is written once. */
export function encodeEvents(events: readonly ReplicationEvent[]): string {
  const positions = new Map<unknown, number>()
  const coded = JSON.stringify(events, (key, value: unknown) => {
    if (typeof value === 'bigint') return value.toString()
    if (key !== 'relation') return value
    const position = positions.get(value) ?? positions.size
    positions.set(value, position)
    return position
  })
  return `{"relations":${JSON.stringify([...positions.keys()])},"events":${coded}}`
}

/** Decodes {@link encodeEvents}. Equal relations become one object, by which subscribers find their tables. */
export class EventDecoder {
  readonly #relations = new Map<string, Relation>()

  decode(text: string): readonly ReplicationEvent[] {
    const { relations, events } = JSON.parse(text) as {
      readonly relations: readonly Relation[]
      readonly events: readonly Readonly<Record<string, unknown>>[]
    }
    const known = relations.map((relation) => this.#intern(relation))
    return events.map((event) => {
      const { relation, commitLsn, endLsn, lsn } = event
      return {
        ...event,
        ...(typeof relation === 'number' && { relation: known[relation] }),
        ...(typeof commitLsn === 'string' && { commitLsn: BigInt(commitLsn) as Lsn }),
        ...(typeof endLsn === 'string' && { endLsn: BigInt(endLsn) as Lsn }),
        ...(typeof lsn === 'string' && { lsn: BigInt(lsn) as Lsn }),
      } as ReplicationEvent
    })
  }

  #intern(relation: Relation): Relation {
    const key = JSON.stringify(relation)
    const known = this.#relations.get(key)
    if (known) return known
    if (this.#relations.size >= RELATIONS_MAX) this.#relations.clear()
    this.#relations.set(key, relation)
    return relation
  }
}
