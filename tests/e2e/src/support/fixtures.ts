import { expect, test as base } from '@playwright/test'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { openMapServer, type MapServer } from './map-server.ts'
import { openPerson, type AccountName, type Person, type PersonOptions } from './person.ts'

export { expect }

interface WorkerFixtures {
  /** What the server names for maps. */
  readonly maps: MapServer
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
  holdfast: [
    async ({ maps }, use) => {
      const args = [`--map-style-url=${maps.url}/light.json`, `--map-dark-style-url=${maps.url}/dark.json`]
      await using holdfast = await openSample(args)
      await use(holdfast)
    },
    { scope: 'worker', timeout: 180_000 },
  ],
  arrive: async ({ launchOptions, holdfast }, use) => {
    await using people = new AsyncDisposableStack()
    const arrived: Person[] = []
    await use(async (account, options) => {
      const person = people.use(await openPerson(launchOptions, holdfast, account, options))
      arrived.push(person)
      return person
    })
    for (const { name, problems } of arrived) {
      expect(problems.found, `console errors and unhandled rejections of ${name}`).toEqual([])
    }
  },
})

/** A server with the sample. A busy machine may be ready before its first copy of all tables is: a page that came then would be told to wait, in the console too. */
export async function openSample(args: readonly string[] = []): Promise<Holdfast> {
  const holdfast = await openHoldfast({ sample: true, args })
  await expect
    .poll(async () => ((await (await fetch(`${holdfast.url}/health`)).json()) as { sync: string }).sync, {
      timeout: 120_000,
    })
    .toBe('ready')
  return holdfast
}
