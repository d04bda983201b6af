import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import {
  UpdateType,
  type CrudEntry,
  type CommonPowerSyncDatabase,
  type PowerSyncBackendConnector,
  type Schema,
} from '@powersync/common'
import { PowerSyncDatabase } from '@powersync/node'
import type { SupabaseClient } from '@supabase/supabase-js'
import type { DeviceAccount } from './devices.ts'
import { SAMPLE_PASSWORD, type Holdfast } from './open-holdfast.ts'
import { quietLogger } from './quiet-logger.ts'

/** A device of an app without Holdfast's kit: the two public clients and the connector from their documentation. */
export interface PlainDevice extends AsyncDisposable {
  readonly database: CommonPowerSyncDatabase
  readonly supabase: SupabaseClient
  /** Errors thrown by `uploadData`, oldest first. */
  readonly uploadErrors: readonly unknown[]
  /** Operations that were given up with the rest of their transaction, by a connector that does so. */
  readonly discarded: readonly CrudEntry[]
}

/** SQLSTATEs after which the connectors of PowerSync's Supabase demos give a transaction up: the data is wrong, or not allowed. */
const FATAL = /^(?:22...|23...|42501)$/

/** Signs a user in and connects, without waiting for the first sync. */
export async function openPlainDevice(
  holdfast: Holdfast,
  options: DeviceAccount & {
    readonly schema: Schema
    /** As the connectors of PowerSync's Supabase demos: a transaction that the database refuses for good is given up, and the queue goes on. */
    readonly discardsRefused?: boolean
  },
): Promise<PlainDevice> {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-plain-'))
  const supabase = await holdfast.supabase({ email: options.email, password: options.password ?? SAMPLE_PASSWORD })
  const database = new PowerSyncDatabase({
    schema: options.schema,
    database: {
      dbFilename: `${basename(folder)}.db`,
      dbLocation: folder,
      implementation: { type: 'node:sqlite' },
      readWorkerCount: 1,
    },
    logger: quietLogger,
  })
  const uploadErrors: unknown[] = []
  const discarded: CrudEntry[] = []
  const connector: PowerSyncBackendConnector = {
    async fetchCredentials() {
      const { data } = await supabase.auth.getSession()
      return data.session && { endpoint: holdfast.url, token: data.session.access_token }
    },
    async uploadData() {
      try {
        await uploadByRest(database, supabase, options.discardsRefused ? discarded : undefined)
      } catch (error) {
        uploadErrors.push(error)
        throw error
      }
    },
  }
  await database.connect(connector, { retryDelayMs: 500, crudUploadThrottleMs: 20 })
  return {
    database,
    supabase,
    uploadErrors,
    discarded,
    async [Symbol.asyncDispose]() {
      await database.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function uploadByRest(
  database: CommonPowerSyncDatabase,
  supabase: SupabaseClient,
  discarded: CrudEntry[] | undefined,
): Promise<void> {
  const transaction = await database.getNextCrudTransaction()
  if (!transaction) return
  for (const entry of transaction.crud) {
    const table = supabase.from(entry.table)
    const { error } = await (() => {
      switch (entry.op) {
        case UpdateType.PUT:
          return table.upsert({ ...entry.opData, id: entry.id })
        case UpdateType.PATCH:
          return table.update(entry.opData ?? {}).eq('id', entry.id)
        case UpdateType.DELETE:
          return table.delete().eq('id', entry.id)
      }
    })()
    if (error && discarded && FATAL.test(error.code)) {
      discarded.push(entry)
      break
    }
    if (error) throw error
  }
  await transaction.complete()
}
