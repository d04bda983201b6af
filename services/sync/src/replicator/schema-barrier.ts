import type { SyncPlan } from '@holdfast/policy'
import { followsNone, QUIET_PREFIX } from './quiet-changes.ts'

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
}

/** What the open transaction has said of the schema. */
interface OpenTransaction {
  readonly changesSchema: boolean
  readonly hasQuietChange: boolean
  /** The tables that the next change concerns, if it is quiet. */
  readonly quiet: string | undefined
}

const NOTHING: OpenTransaction = { changesSchema: false, hasQuietChange: false, quiet: undefined }

/** What the end of a transaction means. */
export interface SchemaVerdict {
  /** The reader stops here: nothing leaves under the old policies. */
  readonly stops: boolean
  /** Policies are compiled in the background. */
  readonly hasQuietChange: boolean
}

/** What the plan in use follows. */
export interface Followed {
  readonly plan: SyncPlan
  /** Whether rows of the table are in the log, or say who gets others. */
  follows(table: number): boolean
}

/** Stops the change reader where the schema changes. */
export class SchemaBarrier {
  #open = NOTHING
  #rewritten: number[] = []
  #by: number[] = []
  #isTypeAltered = false
  #isRewritten = false

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
      case DDL_PREFIX:
        this.#open = afterChange(this.#open, followed.plan)
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

  /** The open transaction ends. */
  commit(xid: number | undefined): SchemaVerdict {
    const { changesSchema, hasQuietChange } = this.#open
    const stops = changesSchema || this.#rewritten.length > 0
    if (stops && xid !== undefined) this.#by.push(xid)
    this.#open = NOTHING
    return { stops, hasQuietChange }
  }

  /** Tables that have to be read again, since the last call. */
  takeRewritten(): readonly number[] {
    return this.#rewritten.splice(0)
  }

  /** @returns `undefined` when the schema has not changed since the last call */
  takeChanges(): SchemaChanges | undefined {
    if (this.#by.length === 0 && !this.#isRewritten) return undefined
    const taken = { by: this.#by, isTypeAltered: this.#isTypeAltered, isRewritten: this.#isRewritten }
    this.#by = []
    this.#isTypeAltered = this.#isRewritten = false
    return taken
  }
}

/** A change is quiet when it was announced as such and concerns no table that the plan follows. */
function afterChange(open: OpenTransaction, plan: SyncPlan): OpenTransaction {
  const isQuiet = open.quiet !== undefined && followsNone(plan, open.quiet)
  return {
    changesSchema: open.changesSchema || !isQuiet,
    hasQuietChange: open.hasQuietChange || isQuiet,
    quiet: undefined,
  }
}
