import type { SyncPlan } from '@holdfast/policy'
import { APART_PREFIX, followsNone, QUIET_PREFIX } from './schema-change-messages.ts'

/** Prefix of the message that the catalog's event trigger writes into a transaction that changed the schema. */
export const DDL_PREFIX = 'holdfast:ddl'

/** Prefix of the message with the oid of a table that was taken out of the publication. */
const UNPUBLISHED_PREFIX = 'holdfast:unpublished'

/** Prefix of the message with the oid of a table whose rows `ALTER TABLE` rewrites: the stream has no changes for that. */
const REWRITE_PREFIX = 'holdfast:rewrite'

/** Changes of the schema that the stream has passed since they were last taken. */
export interface SchemaChanges {
  /** The transactions. */
  readonly by: readonly number[]
  readonly isTypeAltered: boolean
  /** Tables have to be read again: their rows were rewritten or missed, or could not be evaluated. */
  readonly isRewritten: boolean
  /** Another change came shortly before. */
  readonly isInARow: boolean
}

/** Schema-related messages of the open transaction. */
interface OpenTransaction {
  readonly changesSchema: boolean
  readonly hasQuietChange: boolean
  readonly hasApartChange: boolean
  /** The tables that the next change concerns, if it is quiet. */
  readonly quiet: string | undefined
  /** The tables that the next change concerns, if it concerns nothing else. */
  readonly apart: string | undefined
}

const NOTHING: OpenTransaction = {
  changesSchema: false,
  hasQuietChange: false,
  hasApartChange: false,
  quiet: undefined,
  apart: undefined,
}

/** Consequence of a transaction's end. */
export interface SchemaVerdict {
  /** The reader stops here: nothing leaves under the old policies. */
  readonly stops: boolean
  /** Policies are compiled in the background. */
  readonly hasQuietChange: boolean
  /** The same, soon: devices may get a table by it. */
  readonly hasApartChange: boolean
}

/** What the current plan follows. */
export interface Followed {
  readonly plan: SyncPlan
  /** Whether rows of the table are in the log, or say who gets others. */
  follows(table: number): boolean
}

/** Stops the change reader where the schema changes. */
export class SchemaBarrier {
  readonly #inARowMs: number
  #open = NOTHING
  /** When the open transaction was committed, and the last one that changed something devices may see, in milliseconds. */
  #openAtMs = 0
  #changedAtMs = Number.NEGATIVE_INFINITY
  #rewritten: number[] = []
  #by: number[] = []
  #isTypeAltered = false
  #isRewritten = false
  #isInARow = false

  /** @param inARowMs - changes are in a row when there is no more time between them, in milliseconds */
  constructor(inARowMs: number) {
    this.#inARowMs = inARowMs
  }

  /** A transaction opens. The stream has transactions when they have been committed. */
  begin(committedAtMs: number): void {
    this.#openAtMs = committedAtMs
  }

  /**
   * A message of the open transaction.
   *
   * @returns whether changes of rows are known to be missing
   */
  message(prefix: string, content: string, followed: Followed): boolean {
    switch (prefix) {
      case QUIET_PREFIX:
        this.#open = { ...this.#open, quiet: content }
        return false
      case APART_PREFIX:
        this.#open = { ...this.#open, apart: content }
        return false
      case DDL_PREFIX:
        this.#open = afterChange(this.#open, followed.plan, this.#followsAnother)
        this.#isTypeAltered ||= content.includes('ALTER TYPE')
        return false
      case REWRITE_PREFIX:
        // The log has nothing of other tables.
        if (followed.follows(Number(content))) this.rewritten(Number(content))
        return false
      case UNPUBLISHED_PREFIX:
        this.rewritten(Number(content))
        return true
      default:
        return false
    }
  }

  /** A table has to be read again. */
  rewritten(table: number): void {
    if (!this.#rewritten.includes(table)) this.#rewritten.push(table)
  }

  /** Tables have to be read again that the database has noted already. */
  voided(): void {
    this.#isRewritten = true
  }

  /** Rows do not come: nothing of what the log has is known to be current. */
  missed(tables: Iterable<number>): void {
    for (const table of tables) this.rewritten(table)
    this.#open = { ...this.#open, changesSchema: true }
  }

  /**
   * The open transaction ends.
   *
   * @param saw - whether the plan in use was compiled after the transaction: it has nothing to stop for then
   */
  commit(xid: number | undefined, saw: (xid: number) => boolean = () => false): SchemaVerdict {
    const { changesSchema, hasQuietChange, hasApartChange } = this.#open
    const isInUse = changesSchema && !this.#isTypeAltered && xid !== undefined && saw(xid)
    const stops = (changesSchema && !isInUse) || this.#rewritten.length > 0
    if (stops) this.#isInARow = this.#followsAnother
    if (changesSchema || hasApartChange) this.#changedAtMs = this.#openAtMs
    if (stops && xid !== undefined) this.#by.push(xid)
    this.#open = NOTHING
    return { stops, hasQuietChange, hasApartChange }
  }

  /** Whether a change came shortly before the open transaction. */
  get #followsAnother(): boolean {
    return this.#openAtMs - this.#changedAtMs < this.#inARowMs
  }

  /** Tables that have to be read again, since the last call. */
  takeRewritten(): readonly number[] {
    return this.#rewritten.splice(0)
  }

  /** @returns `undefined` when the schema has not changed since the last call */
  takeChanges(): SchemaChanges | undefined {
    if (this.#by.length === 0 && !this.#isRewritten) return undefined
    const taken = {
      by: this.#by,
      isTypeAltered: this.#isTypeAltered,
      isRewritten: this.#isRewritten,
      isInARow: this.#isInARow,
    }
    this.#by = []
    this.#isTypeAltered = this.#isRewritten = false
    return taken
  }
}

/** A change stops nothing when it was announced as quiet, or as apart and others came shortly before, and concerns no table that the plan follows. */
function afterChange(open: OpenTransaction, plan: SyncPlan, isInARow: boolean): OpenTransaction {
  const isQuiet = open.quiet !== undefined && followsNone(plan, open.quiet)
  const isApart = isInARow && open.apart !== undefined && followsNone(plan, open.apart)
  return {
    changesSchema: open.changesSchema || !(isQuiet || isApart),
    hasQuietChange: open.hasQuietChange || isQuiet,
    hasApartChange: open.hasApartChange || isApart,
    quiet: undefined,
    apart: undefined,
  }
}
