import { errorMessage, type Logger } from '@holdfast/foundation'
import { sql, type Pool, type Queryable } from '@holdfast/postgres'
import { classListsOf } from '../buckets/access-classes.ts'
import type { ActivePlan } from '../buckets/active-plan.ts'
import type { ClassList } from '../buckets/class-list.ts'
import type { DependencyIndex } from '../buckets/dependency-index.ts'
import type { CheckpointFeed } from '../checkpoints/checkpoint-feed.ts'
import { NOTES_KEPT_MS, NOTES_PRUNE_MS } from './limits.ts'
import {
  firstNumberOf,
  renderNote,
  writeNote,
  writePlanRow,
  type Note,
  type NotedClass,
  type NoteFacts,
  type NoteRow,
} from './notes.ts'
import { renderPlan } from './plan-document.ts'

/** The stored row of the plan. */
interface StoredRow {
  /** The plan whose document is stored. */
  readonly stored: ActivePlan | undefined
  /** The plan in force; `undefined` while there is none. */
  readonly inForce: ActivePlan | undefined
  /** Whether the row has to be written again. */
  readonly isOutdated: boolean
}

const NOTHING_STORED: StoredRow = { stored: undefined, inForce: undefined, isOutdated: false }

/** A note whose batch is still being collected. */
export interface NoteDraft {
  /** Whether to write the note even without operations. */
  readonly isNeeded: boolean
  /** Numbers the note. It must be written next. */
  render(batch: Pick<Note, 'fromOpId' | 'toOpId' | 'endLsn' | 'batch'>): NoteRow
}

/** What the reader knows of the batch that it is about to complete. */
export interface DraftInput {
  /** The plan that the batch's rows were routed by. */
  readonly routed: ActivePlan
  /** Whether checkpoints wait after the batch. */
  readonly stops: boolean
  readonly hasNewClasses: boolean
  /** Whether a follower waits for the batch's position. */
  readonly isAwaited: boolean
}

export interface NotePublisherOptions {
  /** Fenced. */
  readonly pool: Pool
  readonly feed: Pick<CheckpointFeed, 'opId' | 'position'>
  readonly dependencies: Pick<DependencyIndex, 'describeCollected' | 'describeRecent'>
  /** Makes the reader call {@link NotePublisher.settle} soon. */
  readonly wakeReader: () => void
  /** Called when other servers begin to follow. */
  readonly onFollowed: () => void
  readonly logger: Logger
}

/**
 * Writes what followers need and cannot find in the log, while there are any: with each batch a note, and the plan in force. All writes happen in the reader's
 * order, so a follower that has read the notes up to a number knows the state of that moment.
 */
export class NotePublisher {
  readonly #options: NotePublisherOptions
  #isWanted = false
  #isPublishing = false
  #number = 0
  #serial = 0
  #row = NOTHING_STORED
  /** Noted entries of class lists, and omitted classes. */
  #noted = new Map<ClassList, { readonly entries: number; readonly leftOutVersion: number }>()
  #prunedAt = 0

  constructor(options: NotePublisherOptions) {
    this.#options = options
  }

  /** Whether batches must be noted. */
  get isPublishing(): boolean {
    return this.#isPublishing
  }

  /** Says whether other servers follow. */
  want(isWanted: boolean): void {
    if (isWanted === this.#isWanted) return
    this.#isWanted = isWanted
    this.#options.wakeReader()
  }

  /** Call when this process begins to read the change stream. */
  restart(epoch: number): void {
    this.#isPublishing = false
    this.#number = this.#serial = firstNumberOf(epoch)
    this.#row = NOTHING_STORED
    this.#noted = new Map()
  }

  /** Call when the served plan has changed outside the reader's loop. */
  planChanged(active: ActivePlan | undefined): void {
    if (this.#isPublishing && active !== this.#row.inForce) this.#options.wakeReader()
  }

  /** @returns `undefined` if nobody follows */
  draft({ routed, stops, hasNewClasses, isAwaited }: DraftInput): NoteDraft | undefined {
    if (!this.#isPublishing) return undefined
    const keys = this.#options.dependencies.describeCollected()
    const classes = hasNewClasses ? this.#takeNewClasses(routed) : []
    const isInForce = !stops && routed === this.#row.inForce && !this.#row.isOutdated
    const facts: NoteFacts = {
      plan: isInForce ? this.#serial : undefined,
      ...(keys.length > 0 ? { keys } : {}),
      ...(classes.length > 0 ? { classes } : {}),
    }
    // The stored row claims that the plan is in force, until it is written again.
    const ends = !isInForce && this.#row.inForce !== undefined
    if (ends) this.#outdate()
    return {
      isNeeded: isAwaited || ends || keys.length > 0 || classes.length > 0,
      render: (batch) => renderNote({ ...facts, ...batch, number: ++this.#number }),
    }
  }

  /** Notes deleted buckets in the transaction that deletes them, between two batches. */
  async retired(db: Queryable, names: readonly string[]): Promise<void> {
    if (!this.#isPublishing || names.length === 0) return
    const plan = this.#row.inForce && !this.#row.isOutdated ? this.#serial : undefined
    await writeNote(db, this.#renderAt({ plan, retired: names }))
  }

  /**
   * Writes what has changed besides the log. Call between two batches.
   *
   * @param active - the served plan
   * @param isIdle - whether no batch is being collected
   */
  async settle(active: ActivePlan | undefined, isIdle: boolean): Promise<void> {
    if (!this.#isWanted) {
      if (this.#isPublishing) await this.#end()
      return
    }
    if (!this.#isPublishing) await this.#begin()
    if (active !== this.#row.inForce || this.#row.isOutdated) await this.#writePlan(active, isIdle)
    await this.#prune()
  }

  async #begin(): Promise<void> {
    const { pool, dependencies, logger } = this.#options
    // A gap: batches before it were not noted.
    this.#number++
    await pool.transaction(async (tx) => {
      await tx.execute(sql`delete from sync.batch_notes where number < ${this.#number}`)
      await writeNote(tx, this.#renderAt({ keys: dependencies.describeRecent() }))
    })
    this.#isPublishing = true
    this.#options.onFollowed()
    this.#outdate()
    logger.log('info', 'other servers follow this one', { note: this.#number })
  }

  async #end(): Promise<void> {
    this.#isPublishing = false
    this.#row = NOTHING_STORED
    await this.#options.pool.transaction(async (tx) => {
      await tx.execute(sql`delete from sync.served_plan`)
      await tx.execute(sql`delete from sync.batch_notes where number < ${this.#number}`)
    })
  }

  async #writePlan(active: ActivePlan | undefined, isIdle: boolean): Promise<void> {
    const isNew = active !== undefined && (active !== this.#row.stored || this.#hasNewOmissions(active))
    if (isNew) this.#serial++
    await this.#options.pool.transaction((tx) =>
      writePlanRow(tx, {
        afterNote: this.#number,
        serial: active && this.#serial,
        document: isNew ? renderPlan(active) : undefined,
      }),
    )
    this.#row = { stored: isNew ? active : this.#row.stored, inForce: active, isOutdated: false }
    if (!isNew) return
    this.#noted = new Map(
      [...classListsOf(active).values()].map((list) => [
        list,
        // Followers load the classes of complete batches; those of a large transaction may be listed before its end.
        { entries: isIdle ? list.entries.length : 0, leftOutVersion: list.leftOutVersion },
      ]),
    )
  }

  /** Whether classes are omitted for reasons that followers do not know: they load the lists again. */
  #hasNewOmissions(active: ActivePlan): boolean {
    return [...classListsOf(active).values()].some(
      (list) => list.leftOutVersion !== this.#noted.get(list)?.leftOutVersion,
    )
  }

  #outdate(): void {
    this.#row = { ...this.#row, isOutdated: true }
  }

  #takeNewClasses(routed: ActivePlan): readonly NotedClass[] {
    if (routed !== this.#row.stored) return []
    if (this.#hasNewOmissions(routed)) this.#outdate()
    return [...classListsOf(routed)].flatMap(([definition, list]) => {
      const { entries = 0, leftOutVersion = 0 } = this.#noted.get(list) ?? {}
      this.#noted.set(list, { entries: list.entries.length, leftOutVersion })
      return list.entries.slice(entries).map(({ name, key }): NotedClass => [definition, name, key])
    })
  }

  #renderAt(facts: NoteFacts): NoteRow {
    const { opId, position } = this.#options.feed
    return renderNote({ ...facts, number: ++this.#number, fromOpId: opId, toOpId: opId, endLsn: position })
  }

  /** Deletes old notes. A follower that is further behind starts again. */
  async #prune(): Promise<void> {
    const now = performance.now()
    if (now - this.#prunedAt < NOTES_PRUNE_MS) return
    this.#prunedAt = now
    const { pool, logger } = this.#options
    try {
      await pool.execute(sql`
        delete from sync.batch_notes where at < clock_timestamp() - make_interval(secs => ${NOTES_KEPT_MS / 1000}) and number < ${this.#number}`)
    } catch (error) {
      logger.log('debug', 'old notes to followers could not be deleted', { reason: errorMessage(error) })
    }
  }
}
