import type { SqlError } from './console-sql.ts'
import type { TableCell, TablePolicy } from './console-tables.ts'

/** What the console's *Policies* screen and its server exchange. */

/** Whose access is explained: a visitor without an account, or a user. */
export type PolicyIdentity = { readonly kind: 'anon' } | { readonly kind: 'user'; readonly id: string }

/** Commands that policies decide about. */
export const POLICY_COMMANDS = ['select', 'insert', 'update', 'delete'] as const

export type PolicyCommand = (typeof POLICY_COMMANDS)[number]

/** Part of a table's policies as sync follows it. */
export interface SyncedPart {
  readonly id: string
  readonly policies: readonly string[]
  readonly roles: readonly string[]
  /** Cost class: one bucket for all, one per key, several per row, or access classes. */
  readonly form: 'all' | 'key' | 'elements' | 'class'
  /** Estimated access classes. */
  readonly classes?: number
  readonly follows: string
  readonly rows: string
  readonly users: string
  /** What makes the server evaluate it again. */
  readonly changes: readonly string[]
  readonly costs: readonly string[]
}

/** `GET /policies/sync`. */
export interface PolicySync {
  readonly state: 'synced' | 'refused' | 'none'
  /** Why the table does not sync, and how to rewrite it. */
  readonly reason?: string
  readonly parts: readonly SyncedPart[]
}

/** A policy's expression evaluated for one row, with the rights of the user. */
export interface PolicyResult {
  readonly policy: string
  readonly isPermissive: boolean
  readonly command: PolicyCommand
  /** The row as it is, for USING; as it would be, for WITH CHECK. */
  readonly row: 'existing' | 'new'
  readonly expression: string
  /** `null` counts as false. */
  readonly passes: boolean | null
  /** Why it could not be evaluated. */
  readonly fails?: string
}

/** Whether a user may do something with a row. Postgres ran the statement and rolled it back. */
export interface AccessVerdict {
  readonly command: PolicyCommand
  readonly isAllowed: boolean
  /** What decided, as a sentence. */
  readonly reason: string
  /** The policy that decided. */
  readonly policy?: string
  readonly results: readonly PolicyResult[]
}

/** `POST /policies/explain`. */
export interface AccessExplanation {
  readonly role: string
  /** Id of the user; missing for visitors. */
  readonly userId?: string
  readonly verdicts: readonly AccessVerdict[]
}

/** `POST /policies/rows`: rows of a table, and which of them a user sees. */
export interface SeenRowsPage {
  readonly columns: readonly string[]
  readonly rows: readonly {
    readonly address: readonly string[] | null
    readonly version: string | null
    readonly cells: readonly TableCell[]
    readonly isSeen: boolean
  }[]
  readonly next?: string
  /** Why the user can select nothing from the table. */
  readonly problem?: string
}

/** A user whose devices a preview compares. */
export interface PreviewedUser {
  /** Missing for visitors. */
  readonly id?: string
  /** Address or id. */
  readonly label: string
  readonly role: string
}

/** Rows that statements wrote. */
export interface WrittenRows {
  readonly inserted: number
  readonly updated: number
  readonly deleted: number
}

/** Rows of a table that differ on a user's devices, by key. */
export interface RowChanges {
  readonly gained: number
  readonly lost: number
  /** Rows that stay, with other values. */
  readonly changed: number
  /** Keys of some gained and lost rows. */
  readonly gainedKeys: readonly string[]
  readonly lostKeys: readonly string[]
}

/** What a device downloads, without compression. */
export interface EstimatedDownload {
  readonly rows: number
  readonly bytes: number
  /** `most`: some of the rows may be there already; `least`: there are more rows than are read. */
  readonly bound: 'exact' | 'most' | 'least'
}

/** Rows of a table on a user's devices, before and after a change. */
export interface PreviewedRows {
  /** Up to one above {@link ChangePreview.rowsMax}; missing if they could not be read. */
  readonly before?: number
  readonly after?: number
  /** Missing if there are too many rows to compare. */
  readonly changes?: RowChanges
  /** Missing if it is unknown. */
  readonly download?: EstimatedDownload
  /** Why the rows before the change could not be read. */
  readonly problemBefore?: string
  /** Why the rows after it could not be read, or both not be compared. */
  readonly problem?: string
}

export interface PreviewedTable {
  readonly schema: string
  readonly table: string
  /** Whether devices get it after the change. */
  readonly sync: 'begins' | 'stops' | 'synced' | 'none'
  /** Why it stops. */
  readonly reason?: string
  /** Devices get it through declared streams, which may select fewer rows. */
  readonly isStreamed?: true
  /** Rows that the SQL itself wrote. */
  readonly written?: WrittenRows
  /** In the order of the preview's users. */
  readonly users: readonly PreviewedRows[]
}

/** A table that the SQL locks. */
export interface PreviewedLock {
  readonly schema: string
  readonly table: string
  /** What waits for the lock: writes, or reads too. */
  readonly blocks: 'writes' | 'all'
}

/** `POST /policies/preview`. */
export interface ChangePreview {
  /** Why the SQL did not run. */
  readonly error?: SqlError
  readonly ms: number
  /** For how long the locks of the SQL were held. */
  readonly lockedMs: number
  readonly locks: readonly PreviewedLock[]
  /** Sequences that moved on while the SQL ran. A rollback does not put them back. */
  readonly sequences: readonly string[]
  /** Rows of a table and user that are compared at most. */
  readonly rowsMax: number
  readonly users: readonly PreviewedUser[]
  /** Tables that change for devices, or could not be compared. */
  readonly tables: readonly PreviewedTable[]
}

/** Policies that decide about a command: its own, and those of all commands. */
export function policiesOf(policies: readonly TablePolicy[], command: PolicyCommand): readonly TablePolicy[] {
  return policies.filter((one) => one.command === command || one.command === 'all')
}
