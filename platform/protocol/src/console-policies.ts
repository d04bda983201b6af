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

/** Policies that decide about a command: its own, and those of all commands. */
export function policiesOf(policies: readonly TablePolicy[], command: PolicyCommand): readonly TablePolicy[] {
  return policies.filter((one) => one.command === command || one.command === 'all')
}
