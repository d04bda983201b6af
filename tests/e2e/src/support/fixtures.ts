import { expect, test as base } from '@playwright/test'
import { openHoldfast, type Holdfast } from '@holdfast/test-support'
import { openPerson, type AccountName, type Person, type PersonOptions } from './person.ts'

export { expect }

interface WorkerFixtures {
  /** A real server with the sample, one for each worker. */
  readonly holdfast: Holdfast
}

interface TestFixtures {
  /** Opens a browser for a person; at the end of the test it is closed, and must have seen no problem. */
  readonly arrive: (account: AccountName, options?: PersonOptions) => Promise<Person>
}

export const test = base.extend<TestFixtures, WorkerFixtures>({
  holdfast: [
    // oxlint-disable-next-line no-empty-pattern -- the test tool reads which fixtures are needed from the pattern
    async ({}, use) => {
      await using holdfast = await openHoldfast({ sample: true })
      // A busy machine may be ready before its first copy of all tables is: a page that came then would be told to wait, in the console too.
      await expect
        .poll(async () => ((await (await fetch(`${holdfast.url}/health`)).json()) as { sync: string }).sync, {
          timeout: 120_000,
        })
        .toBe('ready')
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
