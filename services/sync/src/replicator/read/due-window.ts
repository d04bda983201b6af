import type { TablePlan } from '@holdfast/policy'
import type { Tuple } from '@holdfast/replication'
import { rowKey } from '../../encode/op-doc.ts'
import { relationOf } from '../../fill/relation-of.ts'
import { ALWAYS, StreamWindow } from '../../fill/stream-window.ts'
import { dueChange, type RowChange, type Routers } from '../../rows/apply-changes.ts'
import type { DueRow } from '../../storage/moments.ts'

/** Rows that are to be evaluated again at this place of the stream. */
export interface DueChanges {
  readonly changes: readonly RowChange[]
  readonly routers: Routers
  /** Those that are not there any more. */
  readonly gone: readonly DueRow[]
}

/** Where the rows are. A phase ends with a message in the stream. */
type Phase =
  /** The stream has not delivered the first message. */
  | { readonly kind: 'announced' }
  /** Changes of the table are noted. */
  | { readonly kind: 'open' }
  /** The rows were taken for the log. */
  | { readonly kind: 'taken' }

/** Due rows of one table, between the first and the last message. */
export class DueWindow extends StreamWindow {
  readonly table: TablePlan
  readonly routers: Routers
  readonly #due: readonly DueRow[]
  #phase: Phase = { kind: 'announced' }
  #rows: readonly Tuple[] = []
  /** Whether all due rows that exist were read. */
  #isWhole = true

  constructor(
    name: string,
    given: { readonly table: TablePlan; readonly routers: Routers; readonly due: readonly DueRow[] },
  ) {
    super(name)
    this.table = given.table
    this.routers = given.routers
    this.#due = given.due
  }

  get isOpen(): boolean {
    return this.#phase.kind === 'open'
  }
  get isTaken(): boolean {
    return this.#phase.kind === 'taken'
  }

  /** The keys of the due rows, each once. */
  keys(): DueRow['key'][] {
    return [...new Map(this.#due.map((row) => [JSON.stringify(row.key), row.key])).values()]
  }

  /** The rows that were read after {@link opened}. */
  setRows(rows: readonly Tuple[], isWhole: boolean): void {
    this.#rows = rows
    this.#isWhole = isWhole
  }

  open(): void {
    this.#phase = { kind: 'open' }
    this.markOpened()
  }

  /** The stream has delivered the last message. */
  take(): DueChanges {
    this.#phase = { kind: 'taken' }
    const relation = relationOf(this.table)
    const found = new Set([...this.touched].map((id) => rowKey(id).toString('hex')))
    const changes: RowChange[] = []
    for (const row of this.#rows) {
      const id = this.routers(relation)?.router.objectId(row)
      if (id === undefined || this.touched.has(id)) continue
      found.add(rowKey(id).toString('hex'))
      changes.push(dueChange(relation, row, ALWAYS))
    }
    const gone = this.#isWhole ? this.#due.filter((row) => !found.has(row.rowKey.toString('hex'))) : []
    return { changes, routers: this.routers, gone }
  }
}
