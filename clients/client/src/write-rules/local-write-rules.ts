import type { CommonPowerSyncDatabase } from '@powersync/common'
import {
  type Judgement,
  type PlannedWrite,
  type RowStanding,
  type RuleRow,
  type SchemaDescriptor,
  type WriteRules,
  judgeWrite,
  quoteName,
} from '@holdfast/protocol'
import type { KeyValueStore } from '../key-value.ts'
import { CoalescedTask } from '../coalesced-task.ts'
import { createValue, type Value } from '../value.ts'
import { cachedWriteRules, cacheWriteRules, fetchWriteRules } from './fetch-write-rules.ts'

/** Minimum delay in ms, up to doubled, for refetching rights after a table change. */
const ASK_AFTER_MS = 15_000

/** Rows looked up by policies, per query. */
const LOOKUPS_PER_QUERY = 200

/** Maximum depth of chained row lookups. */
const LOOKUP_STEPS_MAX = 6

const NO_STANDINGS: ReadonlyMap<string, RowStanding> = new Map()

/**
 * Of the rows in the parameter, those created on this device. The SDK lists locally written rows until the server's versions replace them, and stores server
 * data in `ps_oplog`. Both are looked up by index.
 */
const MADE_SQL = `
  select u.row_type as type, u.row_id as id
    from json_each(?) asked
    join ps_updated_rows u on u.row_type = asked.value ->> 0 and u.row_id = asked.value ->> 1
   where not exists (select 1 from ps_oplog o where o.row_type = u.row_type and o.row_id = u.row_id)`

/** How often rows are in the outbox, in one pass over it: a join with each row would take time in proportion to their product. */
const QUEUED_SQL = `
  select data ->> '$.type' as type, data ->> '$.id' as id, count(*) as ops, min(data ->> '$.op') as op
    from ps_crud where data ->> '$.id' in (select value from json_each(?)) group by 1, 2`

export interface WriteRulesOptions {
  readonly url: string
  readonly userId: string
  readonly store: KeyValueStore
  readonly schema: Value<SchemaDescriptor>
  readonly fetch: typeof globalThis.fetch
  readonly random: () => number
  readonly token: () => Promise<string | undefined>
  readonly inBackground: (work: Promise<void>) => void
}

/** The server's last write rules, evaluated on this device's rows. */
export class LocalWriteRules implements Disposable {
  /** Also changes when the same rules allow more certain judgements, so that callers judge again. */
  readonly value
  readonly #database: CommonPowerSyncDatabase
  readonly #options: WriteRulesOptions
  /** Tables changed since the cached rules were requested. */
  #changed = new Set<string>()
  /** Tables changed since the last request. */
  #changedDuringFetch = new Set<string>()
  readonly #refreshing = new CoalescedTask(() => this.#ask())
  #asking: ReturnType<typeof setTimeout> | undefined
  #stopWatching: () => void = () => undefined

  private constructor(database: CommonPowerSyncDatabase, options: WriteRulesOptions, rules: WriteRules | undefined) {
    this.#database = database
    this.#options = options
    this.value = createValue(rules)
    this.#watch(rules)
  }

  static async open(database: CommonPowerSyncDatabase, options: WriteRulesOptions): Promise<LocalWriteRules> {
    return new LocalWriteRules(database, options, await cachedWriteRules(options.store, options.userId))
  }

  /** Fetches the rules; during a request, queues one more. Keeps the rules on failure. */
  readonly refresh = (): Promise<void> => this.#refreshing.request()

  /** Predicts the results of writes as far as local data determines them: `refused` only where Postgres refuses. In the order of `writes`. */
  readonly judge = async (writes: readonly PlannedWrite[]): Promise<readonly Judgement[]> => {
    const rules = this.value.get()
    if (!rules) return writes.map(() => ({ kind: 'unknown' }))
    const unsent = await this.#unsentTables()
    const standings = await this.#standings(writes)
    const rows = new Map<string, RuleRow | null>()
    for (let step = 0; ; step++) {
      const wanted = new Map<string, Set<string>>()
      const judgements = writes.map((write) =>
        judgeWrite(write, {
          rules,
          rowOf: (table, id) => {
            const known = rows.get(rowKey(table, id))
            if (known === undefined) wanted.set(table, (wanted.get(table) ?? new Set()).add(id))
            return known
          },
          standingOf: (table, id) => standings.get(rowKey(table, String(id))) ?? 'stored',
          isCurrent: (reads) => !reads.some((table) => this.#changed.has(table) || unsent.has(table)),
        }),
      )
      if (wanted.size === 0 || step === LOOKUP_STEPS_MAX) return judgements
      for (const [table, ids] of wanted) await this.#readRows(table, [...ids], rows)
    }
  };

  [Symbol.dispose](): void {
    this.#refreshing.end()
    clearTimeout(this.#asking)
    this.#stopWatching()
  }

  async #ask(): Promise<void> {
    const { url, userId, store, fetch } = this.#options
    const token = await this.#options.token()
    if (token === undefined || this.#refreshing.hasEnded) return
    const since = new Set<string>()
    this.#changedDuringFetch = since
    const answer = await fetchWriteRules({ url, token, version: this.value.get()?.version }, fetch)
    if (answer === undefined || this.#refreshing.hasEnded) return
    const known = this.value.get()
    const isSurer = [...this.#changed].some((table) => !since.has(table))
    this.#changed = since
    if (answer === 'unchanged') {
      // Judgements that were uncertain during table changes can now be made.
      if (isSurer && known) this.value.set({ ...known })
      return
    }
    await cacheWriteRules(store, userId, answer)
    this.#watch(answer)
    this.value.set(answer)
  }

  /** Unsent changes may alter facts about the user. */
  async #unsentTables(): Promise<ReadonlySet<string>> {
    const rows = await this.#database.getAll<{ type: string }>(
      `select distinct json_extract(data, '$.type') as type from ps_crud`,
    )
    return new Set(rows.map(({ type }) => type))
  }

  /** Of the written rows, those created on this device and not yet received from the server. */
  async #standings(writes: readonly PlannedWrite[]): Promise<ReadonlyMap<string, RowStanding>> {
    const asked = new Map(
      writes.flatMap(({ table, before }) => {
        const id = before && String(before['id'])
        return id === undefined ? [] : [[rowKey(table, id), [table, id]] as const]
      }),
    )
    if (asked.size === 0) return NO_STANDINGS
    const made = await this.#database.getAll<{ type: string; id: string }>(MADE_SQL, [
      JSON.stringify([...asked.values()]),
    ])
    if (made.length === 0) return NO_STANDINGS
    const queued = await this.#database.getAll<{ type: string; id: string; ops: number; op: string }>(QUEUED_SQL, [
      JSON.stringify(made.map(({ id }) => id)),
    ])
    const isUnsent = new Set(
      queued.flatMap(({ type, id, ops, op }) => (ops === 1 && op === 'PUT' ? rowKey(type, id) : [])),
    )
    return new Map(
      made.map(({ type, id }) => [rowKey(type, id), isUnsent.has(rowKey(type, id)) ? 'unsent' : 'on its way']),
    )
  }

  async #readRows(table: string, ids: readonly string[], into: Map<string, RuleRow | null>): Promise<void> {
    for (const id of ids) into.set(rowKey(table, id), null)
    if (!this.#options.schema.get().tables.some(({ name }) => name === table)) return
    const name = quoteName(table)
    for (let start = 0; start < ids.length; start += LOOKUPS_PER_QUERY) {
      const some = ids.slice(start, start + LOOKUPS_PER_QUERY)
      const marks = some.map(() => '?').join(', ')
      const found = await this.#database.getAll<RuleRow & { id: string }>(
        `select * from ${name} where id in (${marks})`,
        [...some],
      )
      for (const row of found) into.set(rowKey(table, row.id), row)
    }
  }

  #watch(rules: WriteRules | undefined): void {
    this.#stopWatching()
    const transitions = Object.values(rules?.tables ?? {}).flatMap(({ update }) => update?.transitions ?? [])
    const tables = [...new Set([...Object.values(rules?.facts ?? {}), ...transitions].flatMap(({ reads }) => reads))]
    if (tables.length === 0) return
    const stops = tables.map((table) =>
      this.#database.onChangeWithCallback(
        {
          onChange: () => {
            this.#changed.add(table)
            this.#changedDuringFetch.add(table)
            this.#askLater()
          },
        },
        { tables: [table] },
      ),
    )
    this.#stopWatching = () => {
      for (const stop of stops) stop()
    }
  }

  /** Coalesced and with jitter, because all devices see the same change. */
  #askLater(): void {
    this.#asking ??= setTimeout(
      () => {
        this.#asking = undefined
        if (this.#database.connected) this.#options.inBackground(this.refresh())
      },
      ASK_AFTER_MS * (1 + this.#options.random()),
    )
    ;(this.#asking as { unref?: () => void }).unref?.()
  }
}

function rowKey(table: string, id: string): string {
  return `${table}\0${id}`
}
