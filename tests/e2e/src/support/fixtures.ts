import { expect, test as base } from '@playwright/test'
import { copyFolder, type Holdfast } from '@holdfast/test-support'
import { openMapServer, type MapServer } from './map-server.ts'
import { openPerson, type AccountName, type Person, type PersonOptions } from './person.ts'
import { openSample } from './sample-server.ts'
import { ensureSyncedDevices, type SyncedDevices } from './synced-devices.ts'

export { expect }

interface WorkerFixtures {
  /** What the server names for maps. */
  readonly maps: MapServer
  /** What the server and the browsers of people are copied from. */
  readonly devices: SyncedDevices
  /** A real server with the sample, one for each worker. */
  readonly holdfast: Holdfast
}

interface TestFixtures {
  /** Opens a browser for a person; at the end of the test it is closed, and must have seen no problem. */
  readonly arrive: (account: AccountName, options?: PersonOptions) => Promise<Person>
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  maps: [
    // oxlint-disable-next-line no-empty-pattern -- the test tool reads which fixtures are needed from the pattern
    async ({}, use) => {
      await using maps = await openMapServer()
      await use(maps)
    },
    { scope: 'worker' },
  ],
  devices: [
    async ({ launchOptions, maps }, use) => use(await ensureSyncedDevices(launchOptions, maps)),
    { scope: 'worker', timeout: 300_000 },
  ],
  holdfast: [
    async ({ maps, devices }, use) => {
      await using holdfast = await openSample({
        args: maps.serverArgs,
        prepareDataDir: (dataDir) => copyFolder(devices.server, dataDir),
      })
      await use(holdfast)
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  arrive: async ({ launchOptions, holdfast, maps, devices }, use) => {
    await using people = new AsyncDisposableStack()
    const arrived: Person[] = []
    await use(async (account, options) => {
      const world = { launchOptions, holdfast, maps, profileOf: devices.profileOf }
      const person = people.use(await openPerson(world, account, options))
      arrived.push(person)
      return person
    })
    for (const { name, problems } of arrived) {
      expect(problems.found, `console errors and unhandled rejections of ${name}`).toEqual([])
    }
  },
})
