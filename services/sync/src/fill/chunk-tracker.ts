import type { Relation, Tuple } from '@holdfast/replication'
import type { ActivePlan } from '../buckets/active-plan.ts'
import { createRouters, type Routers } from '../rows/apply-changes.ts'
import { planOf } from './fill-jobs.ts'
import type { Job } from './fill-turns.ts'
import type { FillRows, FillWindow } from './fill-window.ts'

/** Follows the chunk that is being read through the change stream, until its rows are in the log. */
export class ChunkTracker {
  #active: ActivePlan | undefined
  #routers = new Map<Job, Routers>()
  /** The chunk that is being read. */
  #window: FillWindow | undefined
  /** Chunks of which all rows were taken, and may not be in the log yet. */
  #toBeDurable: FillWindow[] = []
  /** Definitions whose last chunk is in the log. */
  #completed: number[] = []
  /** Oids of the tables of which rows are in the log, or changes are being noted. */
  #begun = new Set<number>()

  /** @param begun - oids of the tables of which rows are in the log */
  begin(begun: ReadonlySet<number>): void {
    this.#begun = new Set(begun)
  }

  /** The same definitions under another plan: others were completed. */
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

  /** The chunk's messages are about to be emitted. */
  expect(window: FillWindow): void {
    this.#window = window
  }

  /** The chunk has been read, or given up. */
  forget(window: FillWindow): void {
    if (this.#window === window) this.#window = undefined
  }

  /** Whether rows of this table that were read are in the log, or changes of it are being noted. */
  hasBegun(oid: number): boolean {
    return this.#begun.has(oid)
  }

  /** A row was changed. */
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

  /** A message of a fill was in a transaction that has committed. @returns rows whose place in the log is here */
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

  /** Everything up to here is in the log. */
  durable(): void {
    for (const window of this.#toBeDurable) {
      if (window.isLast) this.#completed.push(...window.job.definitions)
      window.markApplied()
    }
    this.#toBeDurable = []
  }

  /** Definitions that have been completed since the last call. */
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
