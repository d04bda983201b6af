import type { Relation, Tuple } from '@holdfast/replication'
import type { RowChange, Routers } from '../rows/apply-changes.ts'
import type { Job } from './fill-turns.ts'
import { relationOf } from './relation-of.ts'
import { ALWAYS, StreamWindow } from './stream-window.ts'

/** Rows written to the log at one position of the stream, which delays user changes by at most these. */
const PORTION_ROWS = 2_000

/** Rows to write to the log at this position, and how to route them. */
export interface FillRows {
  readonly changes: readonly RowChange[]
  readonly routers: Routers
}

/** State of a chunk. Each message in the stream ends a phase. */
type Phase =
  /** Waiting for the first message. */
  | { readonly kind: 'announced' }
  /** Changes are recorded. `rows`: read but not in the log yet. */
  | { readonly kind: 'open'; readonly rows: readonly Tuple[]; readonly isLast: boolean }
  /** All rows were taken for the log. */
  | { readonly kind: 'taken'; readonly isLast: boolean }

/** A chunk of rows between its first and last message. */
export class FillWindow extends StreamWindow {
  readonly job: Job
  #phase: Phase = { kind: 'announced' }
  #isTruncated = false
  #portionTaken = Promise.withResolvers<void>()

  constructor(name: string, job: Job) {
    super(name)
    this.job = job
  }

  /** Resolves when the rows of the latest message were taken. */
  get portionTaken(): Promise<void> {
    return this.#portionTaken.promise
  }
  get isOpen(): boolean {
    return this.#phase.kind === 'open'
  }
  get isTaken(): boolean {
    return this.#phase.kind === 'taken'
  }
  /** Whether this is the table's last chunk. */
  get isLast(): boolean {
    return this.#phase.kind !== 'announced' && this.#phase.isLast
  }

  /** Sets the chunk's rows, which were read after {@link opened}. */
  setRows(rows: readonly Tuple[], isLast: boolean): void {
    this.#phase = { kind: 'open', rows, isLast }
  }

  /** Call before emitting the next message. */
  expectPortion(): void {
    this.#portionTaken = Promise.withResolvers()
  }

  open(): void {
    this.#phase = { kind: 'open', rows: [], isLast: false }
    this.markOpened()
  }

  truncate(): void {
    this.#isTruncated = true
  }

  /** Handles the message of a portion. @returns its rows */
  takePortion(routers: Routers): FillRows {
    const { rows, isLast } = this.#phase.kind === 'open' ? this.#phase : { rows: [], isLast: this.isLast }
    const left = rows.slice(PORTION_ROWS)
    this.#phase = left.length > 0 ? { kind: 'open', rows: left, isLast } : { kind: 'taken', isLast }
    this.#portionTaken.resolve()
    const relation: Relation = relationOf(this.job.table)
    const router = routers(relation)?.router
    if (!router || this.#isTruncated) return { changes: [], routers }
    const changes = rows
      .slice(0, PORTION_ROWS)
      .filter((row) => this.touched.size === 0 || !this.touched.has(router.objectId(row)))
      .map((row): RowChange => ({ relation, old: undefined, row, commitLsn: ALWAYS, isRead: true }))
    return { changes, routers }
  }
}
