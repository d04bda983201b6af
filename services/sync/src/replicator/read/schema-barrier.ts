import type { SyncPlan } from '@holdfast/policy'
import { APART_PREFIX, followsNone, QUIET_PREFIX } from './schema-change-messages.ts'

/** Prefix of the message that the catalog's event trigger writes into a transaction that changed the schema. */
export const DDL_PREFIX = 'holdfast:ddl'

/** Prefix of the message with the oid of a table that was removed from the publication. */
const UNPUBLISHED_PREFIX = 'holdfast:unpublished'

/** Prefix of the message with the oid of a table whose rows `ALTER TABLE` rewrites: the stream has no changes for that. */
const REWRITE_PREFIX = 'holdfast:rewrite'

/** Schema changes since they were last taken. */
export interface SchemaChanges {
  /** The transactions. */
  readonly by: readonly number[]
  readonly isTypeAltered: boolean
  /** Whether tables must be read again because rows were rewritten, missed or could not be evaluated. */
  readonly isRewritten: boolean
  /** Whether another change came shortly before. */
  readonly isInARow: boolean
}

/** Schema-related messages of the open transaction. */
interface OpenTransaction {
  readonly changesSchema: boolean
  readonly hasQuietChange: boolean
  readonly hasApartChange: boolean
  /** Oids of the tables that the next change affects, if it was announced as quiet. */
  readonly quiet: string | undefined
  /** Oids of the tables that the next change affects, if it was announced as affecting nothing else. */
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
  /** Whether the reader stops here, so that nothing is sent under the old policies. */
  readonly stops: boolean
  /** Whether to compile policies in the background. */
  readonly hasQuietChange: boolean
  /** The same, but soon, because devices may get a table. */
  readonly hasApartChange: boolean
}

/** What the current plan follows. */
export interface Followed {
  readonly plan: SyncPlan
  /** Whether the table's rows are in the log or determine who gets other rows. */
  follows(table: number): boolean
}

/** Stops the change reader at schema changes. */
export class SchemaBarrier {
  readonly #inARowMs: number
  #open = NOTHING
  /** Commit times in ms of the open transaction, and of the last one with a change that devices may see. */
  #openAtMs = 0
  #changedAtMs = Number.NEGATIVE_INFINITY
  #rewritten: number[] = []
  #by: number[] = []
  #isTypeAltered = false
  #isRewritten = false
  #isInARow = false

  /** @param inARowMs - maximum gap between changes of a series, in ms */
  constructor(inARowMs: number) {
    this.#inARowMs = inARowMs
  }

  /** Starts a transaction. The stream delivers transactions after their commit. */
  begin(committedAtMs: number): void {
    this.#openAtMs = committedAtMs
  }

  /** Handles a message of the open transaction. @returns whether row changes are known to be missing */
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
        // The log contains no rows of other tables.
        if (followed.follows(Number(content))) this.rewritten(Number(content))
        return false
      case UNPUBLISHED_PREFIX:
        this.rewritten(Number(content))
        return true
      default:
        return false
    }
  }

  /** Marks a table to be read again. */
  rewritten(table: number): void {
    if (!this.#rewritten.includes(table)) this.#rewritten.push(table)
  }

  /** Marks that tables must be read again, which the database has recorded already. */
  voided(): void {
    this.#isRewritten = true
  }

  /** Marks tables whose changes are missing, so that their rows in the log may be outdated. */
  missed(tables: Iterable<number>): void {
    for (const table of tables) this.rewritten(table)
    this.#open = { ...this.#open, changesSchema: true }
  }

  /** Ends the open transaction. @param saw - whether the current plan was compiled after the transaction, so there is no reason to stop */
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

  /** Returns the tables to be read again since the last call. */
  takeRewritten(): readonly number[] {
    return this.#rewritten.splice(0)
  }

  /** @returns `undefined` if the schema has not changed since the last call */
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

/** A change does not stop the reader if the plan follows none of its tables and it was announced as quiet, or as separate shortly after other changes. */
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
