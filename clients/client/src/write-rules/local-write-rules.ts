import type { CommonPowerSyncDatabase } from '@powersync/common'
import {
  judgeWrite,
  type Judgement,
  type PlannedWrite,
  type RowStanding,
  type RuleRow,
  type SchemaDescriptor,
  type WriteRules,
} from '@holdfast/protocol'
import type { KeyValueStore } from '../key-value.ts'
import { quoteName } from '../quote-name.ts'
import { createValue, type Value } from '../value.ts'
import { cachedWriteRules, cacheWriteRules, fetchWriteRules } from './fetch-write-rules.ts'

/** What a change of a table does to the person's rights is asked for this much later at the earliest, and up to twice as late. Milliseconds. */
const ASK_AFTER_MS = 15_000

/** Rows that policies look up are read this many at a time. */
const LOOKUPS_PER_QUERY = 200

/** A row that a policy looks up may name another one: as many steps are followed. */
const LOOKUP_STEPS_MAX = 6

const NO_STANDINGS: ReadonlyMap<string, RowStanding> = new Map()

/** The SDK lists rows that were written here until the server's versions are in their place, and keeps what came from the server in `ps_oplog`. */
const MADE_SQL = `
  select u.row_type as type, u.row_id as id, c.ops, c.op
    from ps_updated_rows u
    left join (select json_extract(data, '$.type') as type, json_extract(data, '$.id') as id,
                      count(*) as ops, min(json_extract(data, '$.op')) as op
                 from ps_crud group by 1, 2) c on c.type = u.row_type and c.id = u.row_id
   where not exists (select 1 from ps_oplog o where o.row_type = u.row_type and o.row_id = u.row_id)`

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

/** What the policies for writing say, as the server told it last, and judged on the rows of this device. */
export class LocalWriteRules implements Disposable {
  /** Another value also when the rules are the same and more can be told by them: who judged asks again. */
  readonly value
  readonly #database: CommonPowerSyncDatabase
  readonly #options: WriteRulesOptions
  /** Tables that changed since the rules that are here were asked for. */
  #changed = new Set<string>()
  /** Tables that changed since the last request. */
  #changedMeanwhile = new Set<string>()
  #refreshing: Promise<void> | undefined
  #isAskedAgain = false
  #asking: ReturnType<typeof setTimeout> | undefined
  #stopWatching: () => void = () => undefined
  #isDisposed = false

  private constructor(database: CommonPowerSyncDatabase, options: WriteRulesOptions, rules: WriteRules | undefined) {
    this.#database = database
    this.#options = options
    this.value = createValue(rules)
    this.#watch(rules)
  }

  static async open(database: CommonPowerSyncDatabase, options: WriteRulesOptions): Promise<LocalWriteRules> {
    return new LocalWriteRules(database, options, await cachedWriteRules(options.store, options.userId))
  }

  /** Asks the server again; while it is asked, once more afterwards. Without an answer the rules stay that are here. */
  readonly refresh = async (): Promise<void> => {
    if (this.#refreshing) {
      this.#isAskedAgain = true
      return this.#refreshing
    }
    this.#refreshing = (async () => {
      do {
        this.#isAskedAgain = false
        await this.#ask()
      } while (this.#isAskedAgain && !this.#isDisposed)
    })().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  /**
   * What the policies and grants will make of writes, as far as that follows from what is on this device: `refused` only where Postgres refuses. In the
   * order of `writes`.
   */
  readonly judge = async (writes: readonly PlannedWrite[]): Promise<readonly Judgement[]> => {
    const rules = this.value.get()
    if (!rules) return writes.map(() => ({ kind: 'unknown' }))
    const unsent = await this.#unsentTables()
    const standings = writes.some(({ before }) => before) ? await this.#standings() : NO_STANDINGS
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
    this.#isDisposed = true
    clearTimeout(this.#asking)
    this.#stopWatching()
  }

  async #ask(): Promise<void> {
    const { url, userId, store, fetch } = this.#options
    const token = await this.#options.token()
    if (token === undefined || this.#isDisposed) return
    const since = new Set<string>()
    this.#changedMeanwhile = since
    const answer = await fetchWriteRules({ url, token, version: this.value.get()?.version }, fetch)
    if (answer === undefined || this.#isDisposed) return
    const known = this.value.get()
    const isSurer = [...this.#changed].some((table) => !since.has(table))
    this.#changed = since
    if (answer === 'unchanged') {
      // What could not be told while tables had changed can be told now.
      if (isSurer && known) this.value.set({ ...known })
      return
    }
    await cacheWriteRules(store, userId, answer)
    this.#watch(answer)
    this.value.set(answer)
  }

  /** A change that is not sent yet may change what Postgres says about the person. */
  async #unsentTables(): Promise<ReadonlySet<string>> {
    const rows = await this.#database.getAll<{ type: string }>(
      `select distinct json_extract(data, '$.type') as type from ps_crud`,
    )
    return new Set(rows.map(({ type }) => type))
  }

  /** Records that were made on this device and have not come back from the server. */
  async #standings(): Promise<ReadonlyMap<string, RowStanding>> {
    const rows = await this.#database.getAll<{ type: string; id: string; ops: number | null; op: string | null }>(
      MADE_SQL,
    )
    return new Map(
      rows.map(({ type, id, ops, op }) => [rowKey(type, id), ops === 1 && op === 'PUT' ? 'unsent' : 'on its way']),
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
            this.#changedMeanwhile.add(table)
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

  /** Coalesced, and at another moment on each device: all of them see the same change. */
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
