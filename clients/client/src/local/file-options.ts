import type { CommonPowerSyncDatabase, Schema } from '@powersync/common'
import type { KeyValueStore } from '../key-value.ts'

/** Creates the SQLite database; the app chooses the package (`@powersync/web`, `@powersync/node`) and the location. */
export type OpenDatabase = (options: {
  readonly schema: Schema
  readonly fileName: string
}) => CommonPowerSyncDatabase | Promise<CommonPowerSyncDatabase>

/** Deletes the file of a closed database with its journal or log, if it exists. Throws if it remains. */
export type RemoveDatabase = (fileName: string) => Promise<void>

/** Reads and writes the files of closed databases, so that they can be encrypted when their user signs out. */
export interface DatabaseBytes {
  /** Whether databases are files in this browser. */
  isSupported(): Promise<boolean>
  /** Returns the database and its journal or log by suffix (`''`, `-wal`, `-journal`); empty if the database does not exist. */
  read(fileName: string): Promise<ReadonlyMap<string, Blob>>
  /** Creates or replaces a file. */
  write(fileName: string, suffix: string, bytes: ReadableStream<Uint8Array>): Promise<void>
}

/** Removes the app's own data of a user on this device. May be called repeatedly. */
export type ForgetUser = (userId: string) => void | Promise<void>

export interface OpenFileOptions {
  readonly userId: string
  readonly schema: Schema
  readonly store: KeyValueStore
  readonly openDatabase: OpenDatabase
  readonly removeDatabase: RemoveDatabase | undefined
  /** Names of files this tab found damaged. */
  readonly damagedFiles: Set<string>
  readonly now: () => number
  readonly onProblem: (error: unknown) => void
}
