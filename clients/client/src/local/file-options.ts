import type { CommonPowerSyncDatabase, Schema } from '@powersync/common'
import type { KeyValueStore } from '../key-value.ts'

/** Makes the SQLite database; the app chooses the package (`@powersync/web`, `@powersync/node`) and where files lie. */
export type OpenDatabase = (options: {
  readonly schema: Schema
  readonly fileName: string
}) => CommonPowerSyncDatabase | Promise<CommonPowerSyncDatabase>

/** Deletes the file of a database that is not open, with its journal or log, if it is there. Throws when it is still there afterwards. */
export type RemoveDatabase = (fileName: string) => Promise<void>

/** Removes what the app itself keeps of a user on this device. May be called again for the same user. */
export type ForgetUser = (userId: string) => void | Promise<void>

export interface OpenFileOptions {
  readonly userId: string
  readonly schema: Schema
  readonly store: KeyValueStore
  readonly openDatabase: OpenDatabase
  readonly removeDatabase: RemoveDatabase | undefined
  /** Names of files that this tab has found damaged. */
  readonly damagedFiles: Set<string>
  readonly now: () => number
  readonly onProblem: (error: unknown) => void
}
