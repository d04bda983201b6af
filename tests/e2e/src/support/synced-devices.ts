import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildOfServer, copyFolder, ensureSharedFolder } from '@holdfast/test-support'
import type { LaunchOptions } from '@playwright/test'
import type { MapServer } from './map-server.ts'
import { makeSyncedProfile, type AccountName } from './person.ts'
import { openSample } from './sample-server.ts'

/** The data folder of a server with the sample, and devices that are in sync with it. Copies of all of them go on from there. */
export interface SyncedDevices {
  /** The server's data folder. */
  readonly server: string
  /** Folder of a browser's profile; `undefined` for an account whose devices are always new. */
  profileOf(account: AccountName): string | undefined
}

/** The app that the server sends: the names of its files depend on their content. */
const APP = fileURLToPath(new URL('../../../../apps/workspace/dist/', import.meta.url))

/** Makes the devices once for each build of the server and of the app, which takes as long as some journeys. */
export async function ensureSyncedDevices(launchOptions: LaunchOptions, maps: MapServer): Promise<SyncedDevices> {
  const folder = await ensureSharedFolder({
    name: `${buildOfServer()}-devices-${await versionOfBrowserAndApp(launchOptions)}`,
    make: (unfinished) => makeDevices(unfinished, launchOptions, maps),
  })
  return devicesIn(folder)
}

/** Those that journeys arrive as again and again. A first sync for one that comes once would be no less work here, and be done in runs without that journey too. */
const RETURNING: readonly AccountName[] = ['dana', 'mina', 'sam']

function devicesIn(folder: string): SyncedDevices {
  return {
    server: join(folder, 'server'),
    profileOf: (account) => (RETURNING.includes(account) ? join(folder, account) : undefined),
  }
}

async function makeDevices(folder: string, launchOptions: LaunchOptions, maps: MapServer): Promise<void> {
  await using holdfast = await openSample({ args: maps.serverArgs })
  await mkdir(folder)
  await Promise.all(
    RETURNING.map((account) => makeSyncedProfile(join(folder, account), { launchOptions, holdfast, maps }, account)),
  )
  await holdfast.stop()
  await copyFolder(holdfast.dataDir, devicesIn(folder).server)
}

async function versionOfBrowserAndApp({ executablePath = '' }: LaunchOptions): Promise<string> {
  const { stdout } = await promisify(execFile)(executablePath, ['--version'])
  const hash = createHash('sha256').update(stdout)
  for (const name of ['index.html', 'service-worker.js']) hash.update(await readFile(join(APP, name)))
  return hash.digest('hex').slice(0, 16)
}
