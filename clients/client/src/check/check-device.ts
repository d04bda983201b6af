import type { CommonPowerSyncDatabase } from '@powersync/common'
import {
  CHECK_IDS_MAX,
  CHECK_RANGES_MAX,
  rangeOfKey,
  RangeSums,
  type CheckQuestion,
  type RangeSum,
} from '@holdfast/protocol'
import { catchUp } from './catch-up.ts'
import { CheckServer, type CheckServerOptions } from './check-server.ts'
import { countDifferences, type DeviceCheck, type DeviceCheckOptions, type TableCheck } from './device-check.ts'
import { countRows, localDigests, localSums, pendingIds } from './local-rows.ts'

/** Approximate rows per range. */
const RANGE_ROWS = 64
/** Ranges compared row by row per table: about 30,000 rows. */
const RANGES_LOOKED_AT = 512
/** Comparisons that must confirm a difference while the server's row stays the same. */
const LOOKS = 3
/** Repetitions for tables whose differences were only changes in transit. */
const PASSES = 3

export interface CheckDeviceInput extends CheckServerOptions {
  readonly database: CommonPowerSyncDatabase
  /** Names of the synced tables. */
  readonly tables: readonly string[]
  /** Tables known to be incomplete on the device, where rows may be missing. */
  readonly incomplete: ReadonlySet<string>
}

/** Scope of a row-by-row comparison. */
type Target =
  | { readonly ranges: number; readonly only: readonly number[] }
  /** Rows of a table that is incomplete on the device; others may be missing. */
  | { readonly ids: readonly string[] }

/** A differing row; `undefined` if absent. */
interface Difference {
  readonly server: string | undefined
  readonly device: string | undefined
}

type Differences = ReadonlyMap<string, ReadonlyMap<string, Difference>>

/**
 * Compares this device with what the server shows the user: first checksums by table and key range, then the rows of differing ranges. Works during changes:
 * the device catches up with each response before the comparison, and a row counts only if it stays different while the server's stays the same.
 *
 * @throws {CheckUnavailable} if the check is currently impossible; the signal's reason
 */
export async function checkDevice(
  input: CheckDeviceInput,
  { signal, onProgress = () => undefined }: DeviceCheckOptions,
): Promise<DeviceCheck> {
  const check = new Check(input, signal, onProgress)
  return check.run()
}

class Check {
  readonly #input: CheckDeviceInput
  readonly #server: CheckServer
  readonly #signal: AbortSignal | undefined
  readonly #onProgress: NonNullable<DeviceCheckOptions['onProgress']>
  readonly #failing = new Map<string, string>()
  readonly #ranges = new Map<string, number>()
  readonly #pending = new Set<string>()
  readonly #found = new Map<string, ReadonlyMap<string, Difference>>()
  readonly #more = new Set<string>()
  readonly #unsettled = new Set<string>()

  constructor(
    input: CheckDeviceInput,
    signal: AbortSignal | undefined,
    onProgress: NonNullable<DeviceCheckOptions['onProgress']>,
  ) {
    this.#input = input
    this.#server = new CheckServer(input, signal)
    this.#signal = signal
    this.#onProgress = onProgress
  }

  async run(): Promise<DeviceCheck> {
    for (const table of this.#input.tables) {
      this.#ranges.set(table, rangesFor(await countRows(this.#input.database, table)))
    }
    let tables = this.#input.tables
    for (let pass = 0; pass < PASSES && tables.length > 0; pass++) tables = await this.#pass(tables)
    for (const table of tables) this.#unsettled.add(table)
    const checks: TableCheck[] = []
    for (const table of this.#input.tables) checks.push(await this.#describe(table))
    return {
      equal: checks.every((table) => countDifferences(table) === 0),
      tables: checks,
      pending: this.#pending.size,
    }
  }

  /** @returns tables whose compared rows turned out equal, but whose remaining ranges may differ */
  async #pass(tables: readonly string[]): Promise<readonly string[]> {
    const targets = await this.#differingRanges(tables)
    const cut = new Set<string>()
    for (const [table, target] of targets) {
      if (!('only' in target) || target.only.length <= RANGES_LOOKED_AT) continue
      cut.add(table)
      targets.set(table, { ...target, only: target.only.slice(0, RANGES_LOOKED_AT) })
    }
    let staying: Differences | undefined
    for (let look = 0; look < LOOKS; look++) {
      const wanted = staying ? narrow(targets, staying) : targets
      if (wanted.size === 0) break
      this.#onProgress({ phase: 'rows', done: look, total: LOOKS })
      staying = intersect(staying, await this.#look(wanted))
    }
    for (const [table, rows] of staying ?? []) {
      if (rows.size === 0) continue
      this.#found.set(table, rows)
      if (cut.has(table)) this.#more.add(table)
    }
    return [...cut].filter((table) => !this.#found.has(table))
  }

  /** Compares checksums; incomplete tables are compared row by row. */
  async #differingRanges(tables: readonly string[]): Promise<Map<string, Target>> {
    const { database, incomplete } = this.#input
    const sums = new Map<string, readonly RangeSum[]>()
    const summed = tables.filter((table) => !incomplete.has(table))
    const questions = summed.map((table) => ({ table, ranges: this.#rangesOf(table) }))
    this.#onProgress({ phase: 'server', done: 0, total: summed.length })
    // A table that the user cannot access (any more) has no rows.
    let partial = tables.filter((table) => incomplete.has(table))
    if (questions.length > 0) {
      const { narrowed } = await this.#server.ask(questions, (line) => {
        if ('fails' in line) this.#failing.set(line.table, line.fails)
        if ('sums' in line) sums.set(line.table, line.sums)
        this.#onProgress({ phase: 'server', done: sums.size, total: summed.length })
      })
      partial = [...partial, ...summed.filter((table) => narrowed.includes(table))]
      await catchUp(database, this.#server, this.#signal)
    }
    const targets = new Map<string, Target>()
    for (const [index, table] of tables.entries()) {
      this.#onProgress({ phase: 'device', done: index, total: tables.length })
      if (this.#failing.has(table)) continue
      const ranges = this.#rangesOf(table)
      if (partial.includes(table)) {
        const every = await localDigests(database, table, { ranges: 1, only: [0] }, this.#signal)
        if (every.size > 0) targets.set(table, { ids: [...every.keys()] })
        continue
      }
      const own = await localSums(database, table, ranges, this.#signal)
      const theirs = sums.get(table)
      const only = own.flatMap(([rows, sum], range) => {
        const [rowsThere, sumThere] = theirs?.[range] ?? [0, EMPTY_SUM]
        return rows === rowsThere && sum === sumThere ? [] : [range]
      })
      if (only.length > 0) targets.set(table, { ranges, only })
    }
    return targets
  }

  /** Returns the rows that currently differ. */
  async #look(targets: ReadonlyMap<string, Target>): Promise<Differences> {
    const { database } = this.#input
    const theirs = new Map<string, Map<string, string>>([...targets.keys()].map((table) => [table, new Map()]))
    for (const questions of inRequests(targets)) {
      await this.#server.ask(questions, (line) => {
        if ('fails' in line) this.#failing.set(line.table, line.fails)
        if (!('rows' in line)) return
        for (const [id, digest] of line.rows) theirs.get(line.table)?.set(id, digest)
      })
    }
    await catchUp(database, this.#server, this.#signal)
    const found = new Map<string, ReadonlyMap<string, Difference>>()
    for (const [table, target] of targets) {
      const own = await localDigests(database, table, 'ids' in target ? { ranges: 1, only: [0] } : target, this.#signal)
      const pending = (await pendingIds(database)).get(table)
      const differing = new Map<string, Difference>()
      if (this.#failing.has(table)) continue
      const there = theirs.get(table) ?? new Map<string, string>()
      for (const id of 'ids' in target ? target.ids : new Set([...own.keys(), ...there.keys()])) {
        const [device, server] = [own.get(id), there.get(id)]
        if (device === server || ('ids' in target && device === undefined)) continue
        if (pending?.has(id)) this.#pending.add(JSON.stringify([table, id]))
        else differing.set(id, { server, device })
      }
      found.set(table, differing)
    }
    return found
  }

  async #describe(table: string): Promise<TableCheck> {
    const rows = [...(this.#found.get(table) ?? [])]
    const ids = (is: (one: Difference) => boolean): readonly string[] =>
      rows.flatMap(([id, one]) => (is(one) ? [id] : [])).toSorted()
    const ranges = this.#rangesOf(table)
    const hit = new Set(rows.map(([id]) => rangeOfKey(id, ranges)))
    return {
      table,
      rows: await countRows(this.#input.database, table),
      missing: ids(({ device }) => device === undefined),
      extra: ids(({ server }) => server === undefined),
      different: ids(({ device, server }) => device !== undefined && server !== undefined),
      ranges: [...hit].toSorted((one, other) => one - other).map((range) => rangeBounds(range, ranges)),
      hasMore: this.#more.has(table),
      isUnsettled: this.#unsettled.has(table),
      fails: this.#failing.get(table),
    }
  }

  #rangesOf(table: string): number {
    return this.#ranges.get(table) ?? 1
  }
}

/** Checksum of an empty range. */
const [[, EMPTY_SUM] = [0, '']] = new RangeSums(1).list()

/** Number of ranges with about {@link RANGE_ROWS} rows each. */
function rangesFor(rows: number): number {
  let ranges = 1
  while (ranges * RANGE_ROWS < rows && ranges < CHECK_RANGES_MAX) ranges *= 2
  return ranges
}

function rangeBounds(range: number, ranges: number): { readonly from: string; readonly to: string } {
  const width = 2 ** 32 / ranges
  const hex = (value: number): string => value.toString(16).padStart(8, '0')
  return { from: hex(range * width), to: hex((range + 1) * width - 1) }
}

/** Restricts the targets to rows that still differ. */
function narrow(targets: ReadonlyMap<string, Target>, differing: Differences): ReadonlyMap<string, Target> {
  const narrowed = new Map<string, Target>()
  for (const [table, target] of targets) {
    const ids = [...(differing.get(table)?.keys() ?? [])]
    if (ids.length === 0) continue
    narrowed.set(
      table,
      'ids' in target ? { ids } : { ...target, only: [...new Set(ids.map((id) => rangeOfKey(id, target.ranges)))] },
    )
  }
  return narrowed
}

/** Returns rows that differ in both comparisons with an unchanged server row. */
function intersect(before: Differences | undefined, now: Differences): Differences {
  if (!before) return now
  return new Map(
    [...now].map(([table, rows]) => [
      table,
      new Map(
        [...rows].filter(([id, { server }]) => {
          const known = before.get(table)?.get(id)
          return known !== undefined && known.server === server
        }),
      ),
    ]),
  )
}

/** Ranges fit into one request, ids may need several. */
function* inRequests(targets: ReadonlyMap<string, Target>): Generator<readonly CheckQuestion[]> {
  const ranged = [...targets].flatMap(([table, target]) => ('only' in target ? [{ table, ...target }] : []))
  if (ranged.length > 0) yield ranged
  for (const [table, target] of targets) {
    if (!('ids' in target)) continue
    for (let start = 0; start < target.ids.length; start += CHECK_IDS_MAX) {
      yield [{ table, ids: target.ids.slice(start, start + CHECK_IDS_MAX) }]
    }
  }
}
