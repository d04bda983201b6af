import type { Clock, HoldfastError, Logger, OptionValues } from '@holdfast/foundation'
import type { SyncPlan, WriteInput } from '@holdfast/policy'
import type { PoolShare } from '@holdfast/postgres'
import type { ChangeTap, TableName } from '@holdfast/replication'
import type { FindPerson } from './inspect/person.ts'
import type { syncOptions } from './options.ts'
import type { BatchLimits } from './replicator/log-writer.ts'
import type { RowLimits } from './rows/row-evaluator.ts'

/**
 * Watches the session that a token names, until disposed.
 *
 * @param onEnded - called once, when the person has signed out, or their account is banned or deleted
 */
export type WatchSession = (
  claims: Readonly<Record<string, unknown>>,
  onEnded: (reason: HoldfastError) => void,
) => Disposable

/** Its addresses come from `withOwnSettings`: what a project sets for its sessions must not end ours. */
export interface SyncOptions {
  /** Superuser's connection string: schema `sync`, replication, and tables past their policies. */
  readonly url: string
  /** Connections as `authenticator`, for everything that runs as a person: reads of streams and devices, and uploads. */
  readonly shares: { readonly streams: PoolShare; readonly uploads: PoolShare }
  /** Schemas whose tables devices may write, as they are now; {@link compile} follows the same. */
  readonly exposedSchemas: () => readonly string[]
  /** Connects as `holdfast_reader`: reads tables past their policies, and writes nothing. */
  readonly readerUrl: string
  /** Connects as `holdfast_evaluator`: evaluates what users wrote, with the rights of the API roles. */
  readonly evaluatorUrl: string
  /** Compiles the policies as they are now. Gives up when the signal is aborted. */
  readonly compile: (signal: AbortSignal) => Promise<SyncPlan>
  /** Reads what decides about writes. */
  readonly readWrites: () => Promise<WriteInput>
  /** Prepares the database for a plan. @returns the plan without the tables for which that is refused */
  readonly prepare: (plan: SyncPlan) => Promise<SyncPlan>
  /** Ends streams of people who are gone. */
  readonly watchSession: WatchSession
  /** For operators who look at what a person has. */
  readonly findPerson: FindPerson
  readonly options: OptionValues<typeof syncOptions>
  /** Tables that others follow in the same stream, as they are now. */
  readonly alsoPublished?: () => Promise<readonly TableName[]>
  /** Gets every batch of the one slot: {@link alsoPublished} and the tables of the plan. */
  readonly tap?: Pick<ChangeTap, 'deliver'>
  readonly logger: Logger
  readonly clock?: Clock
  /** Tables larger than this together are read for the first time in pieces. */
  readonly snapshotBytesMax?: number
  readonly batchLimits?: BatchLimits
  /** Rows of a table that are read at once while the service serves; 16,000 by default. */
  readonly fillChunkRows?: number
  /** How long after the last change of the schema that no device sees policies are compiled, in milliseconds. */
  readonly quietCompileMs?: number
  /** Changes of the schema are in a row when there is no more time between them, in milliseconds. */
  readonly changesInARowMs?: number
  readonly rowLimits?: RowLimits
  /** How often access classes that are left out are looked at again, in milliseconds; 30 s by default. */
  readonly classRecountMs?: number
  /** Buckets of one person; 50,000 by default. */
  readonly bucketsPerClientMax?: number
  /** How long devices have to go elsewhere when the service is disposed, in milliseconds; 1500 by default. */
  readonly drainMs?: number
  /** Superseded operations that a bucket may have whatever its size. */
  readonly compactSlackOps?: number
}
