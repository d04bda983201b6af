import type { TablePlan } from '@holdfast/policy'
import type { Tuple } from '@holdfast/replication'
import { rowKey } from '../../encode/op-doc.ts'
import { relationOf } from '../../fill/relation-of.ts'
import { ALWAYS, StreamWindow } from '../../fill/stream-window.ts'
import { dueChange, type RowChange, type Routers } from '../../rows/apply-changes.ts'
import type { DueRow } from '../../storage/moments.ts'

/** Rows to evaluate again at this position of the stream. */
export interface DueChanges {
  readonly changes: readonly RowChange[]
  readonly routers: Routers
  /** Rows that no longer exist. */
  readonly gone: readonly DueRow[]
}

/** State of the window. Each message in the stream ends a phase. */
type Phase =
  /** Waiting for the first message. */
  | { readonly kind: 'announced' }
  /** Changes of the table are recorded. */
  | { readonly kind: 'open' }
  /** The rows were taken for the log. */
  | { readonly kind: 'taken' }

/** Due rows of one table, between the first and last message. */
export class DueWindow extends StreamWindow {
  readonly table: TablePlan
  readonly routers: Routers
  readonly #due: readonly DueRow[]
  #phase: Phase = { kind: 'announced' }
  #rows: readonly Tuple[] = []
  /** Whether all existing due rows were read. */
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

  /** Returns the distinct keys of the due rows. */
  keys(): DueRow['key'][] {
    return [...new Map(this.#due.map((row) => [JSON.stringify(row.key), row.key])).values()]
  }

  /** Sets the rows, which were read after {@link opened}. */
  setRows(rows: readonly Tuple[], isWhole: boolean): void {
    this.#rows = rows
    this.#isWhole = isWhole
  }

  open(): void {
    this.#phase = { kind: 'open' }
    this.markOpened()
  }

  /** Handles the last message. */
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
