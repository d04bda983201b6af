/**
 * A device as a process of its own, so that it can be killed: the unmodified SDK on a database in a file. Tells its parent what it shows whenever that is
 * something else, always read in one transaction: the rows by `table/id`, as JSON.
 */
import { PowerSyncDatabase } from '@powersync/node'
import { Schema } from '@powersync/common'

/** What the process is started with, as JSON in its first argument. */
export interface DeviceProcessOptions {
  readonly url: string
  readonly token: string
  readonly folder: string
  readonly includeDefaults: boolean
  readonly subscriptions: readonly {
    readonly stream: string
    readonly parameters: Readonly<Record<string, unknown>> | null
    readonly override_priority: number | null
  }[]
}

const POLL_MS = 20

const options = JSON.parse(process.argv[2] ?? '{}') as DeviceProcessOptions
process.on('disconnect', () => process.exit(0)) // the test is gone

// Without a schema all rows are in one table, as they came.
const database = new PowerSyncDatabase({
  schema: new Schema({}),
  database: {
    dbFilename: 'device.db',
    dbLocation: options.folder,
    implementation: { type: 'node:sqlite' },
    readWorkerCount: 1,
  },
})
await database.init()
for (const { stream, parameters, override_priority: priority } of options.subscriptions)
  await database
    .syncStream(stream, parameters ?? undefined)
    .subscribe(priority === null ? {} : { priority: priority as 0 | 1 | 2 | 3 })
void database.connect(
  {
    fetchCredentials: async () => ({ endpoint: options.url, token: options.token }),
    uploadData: async () => undefined,
  },
  { retryDelayMs: 300, includeDefaultStreams: options.includeDefaults },
)

let told = ''
for (;;) {
  const rows = await database.getAll<{ type: string; id: string; data: string }>(
    `select type, id, data from ps_untyped order by type, id`,
  )
  const hasSynced = database.currentStatus.hasSynced === true
  const shown = rows
    .filter(({ type }) => !type.startsWith('hf_'))
    .map(({ type, id, data }) => [`${type}/${id}`, JSON.stringify(JSON.parse(data))] as const)
  const text = JSON.stringify(shown)
  if (text !== told && (hasSynced || shown.length > 0)) process.send?.(shown)
  if (hasSynced || shown.length > 0) told = text
  await new Promise((resolve) => setTimeout(resolve, POLL_MS))
}
