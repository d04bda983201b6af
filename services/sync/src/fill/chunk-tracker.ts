import type { Relation, Tuple } from '@holdfast/replication'
import type { ActivePlan } from '../buckets/active-plan.ts'
import { createRouters, type Routers } from '../rows/apply-changes.ts'
import { planOf } from './fill-jobs.ts'
import type { Job } from './fill-turns.ts'
import type { FillRows, FillWindow } from './fill-window.ts'

/** Follows the current chunk through the change stream until its rows are in the log. */
export class ChunkTracker {
  #active: ActivePlan | undefined
  #routers = new Map<Job, Routers>()
  /** The chunk being read. */
  #window: FillWindow | undefined
  /** Chunks whose rows were taken but may not be in the log yet. */
  #toBeDurable: FillWindow[] = []
  /** Definitions whose last chunk is in the log. */
  #completed: number[] = []
  /** Oids of tables that have rows in the log or an open window. */
  #begun = new Set<number>()

  /** @param begun - oids of tables that have rows in the log */
  begin(begun: ReadonlySet<number>): void {
    this.#begun = new Set(begun)
  }

  /** Switches to another plan with the same incomplete definitions, after others were completed. */
  use(active: ActivePlan): void {
    this.#active = active
    this.#routers = new Map()
  }

  /** Forgets chunks and completed definitions. */
  reset(): void {
    this.#window = undefined
    this.#toBeDurable = []
    this.#completed = []
  }

  /** Call before emitting the chunk's messages. */
  expect(window: FillWindow): void {
    this.#window = window
  }

  /** Call when the chunk has been read or abandoned. */
  forget(window: FillWindow): void {
    if (this.#window === window) this.#window = undefined
  }

  /** Whether the table has rows in the log or an open window. */
  hasBegun(oid: number): boolean {
    return this.#begun.has(oid)
  }

  /** Records a row change. */
  touched(relation: Relation, old: Tuple | undefined, row: Tuple | undefined): void {
    const window = this.#window
    if (!window?.isOpen || relation.oid !== window.job.table.oid) return
    const found = this.#routersOf(window.job)(relation)
    if (!found) return
    if (old) window.markChanged(found.router.objectId(old))
    if (row) window.markChanged(found.router.objectId(row))
  }

  truncated(oids: readonly number[]): void {
    if (this.#window?.isOpen && oids.includes(this.#window.job.table.oid)) this.#window.truncate()
  }

  /** Handles a fill's message at its commit. @returns rows to write to the log at this position */
  message(content: string): FillRows | undefined {
    const window = this.#window
    if (!window?.isOwnMessage(content)) return undefined
    if (content === window.first) {
      this.#begun.add(window.job.table.oid)
      window.open()
      return undefined
    }
    const rows = window.takePortion(this.#routersOf(window.job))
    if (window.isTaken) this.#toBeDurable.push(window)
    return rows
  }

  /** Call when the log is durable up to here. */
  durable(): void {
    for (const window of this.#toBeDurable) {
      if (window.isLast) this.#completed.push(...window.job.definitions)
      window.markApplied()
    }
    this.#toBeDurable = []
  }

  /** Returns the definitions completed since the last call. */
  takeCompleted(): readonly number[] {
    const taken = this.#completed
    this.#completed = []
    return taken
  }

  #routersOf(job: Job): Routers {
    let found = this.#routers.get(job)
    if (!found) this.#routers.set(job, (found = createRouters(planOf(this.#active as ActivePlan, job))))
    return found
  }
}
