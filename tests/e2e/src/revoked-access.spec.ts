import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import { makeActions, storedAction } from './support/actions.ts'
import { expectAccessible } from './support/accessibility.ts'
import { expectConvergence } from './support/convergence.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { readDevice, readRows } from './support/local-device.ts'
import type { Person } from './support/person.ts'

const TABLES = ['actions', 'findings', 'inspections', 'answers', 'sites', 'assets', 'people', 'photos', 'contractors']

test('a user who is taken out of the team loses its rows, and no change that was not sent', async ({
  arrive,
  holdfast,
}) => {
  const [action] = await makeActions(holdfast, ['Revoked: access'])
  if (!action) throw new Error('an action was made')
  const mina = await arrive('mina')
  const { page } = mina
  const grid = gridOf(page)
  const before = await countRows(mina)
  expect(before).toBeGreaterThan(1_000)
  await mina.openTable('actions', actionsThat('Revoked:'))
  await expect(grid.row('Revoked:')).toHaveCount(1)
  const membership = await membershipOf(holdfast, mina)

  try {
    await test.step('while connected the rows leave the screen and the device', async () => {
      await leave(holdfast, membership)
      await expect(grid.grid).toBeHidden()
      // Once the device has asked again, it knows that a new one would be refused as well.
      const noRows = /^(No actions here yet|You can see this table but none of its rows)$/
      await expect(page.getByText(noRows)).toBeVisible()
      await expectAccessible(page, 'table without rows')
      await expectConvergence(mina, TABLES)
      expect(await countRows(mina)).toBeLessThan(before / 10)
    })

    await test.step('back in the team they come again', async () => {
      await join(holdfast, membership)
      await expect(grid.row('Revoked:')).toHaveCount(1)
      await expectConvergence(mina, TABLES)
      expect(await countRows(mina)).toBe(before)
    })

    await test.step('taken out while offline with an unsent change, the change is kept and says that it was refused', async () => {
      await mina.goOffline()
      await grid.type(action.number, 'Title', 'Revoked: written offline')
      await expect(mina.chip).toHaveAccessibleName('Sync: Offline · 1 waiting')
      await leave(holdfast, membership)
      await mina.goOnline()
      await expect(mina.chip).toHaveAccessibleName('Sync: 1 needs attention')
      await expect(grid.grid).toBeHidden()
      expect((await storedAction(holdfast, action.id)).title).toBe('Revoked: access')
      const { rejected } = await readDevice(page)
      expect(rejected).toMatchObject([
        {
          table: 'actions',
          recordId: action.id,
          operations: [{ op: 'PATCH', data: { title: 'Revoked: written offline' } }],
        },
      ])
      await expectConvergence(mina, TABLES)
      await page.goto(`${mina.home}/sync?tab=attention`)
      await expect(page.getByRole('article')).toContainText('Revoked: written offline')
      await expect(page.getByRole('article')).toContainText('This record is gone or no longer yours to change')
      // There is nothing left to edit: giving the change up comes first.
      await expect(page.getByRole('article').getByRole('button').first()).toHaveText('Discard')
      await expect(page.getByRole('button', { name: 'Edit and send again' })).toHaveCount(0)
      await expectAccessible(page, 'needs attention for a record that is gone')
    })
  } finally {
    await join(holdfast, membership)
  }
})

interface Membership {
  readonly team_id: string
  readonly user_id: string
  readonly function: string
}

async function membershipOf({ admin }: Holdfast, { email }: Person): Promise<Membership> {
  const [membership] = await admin.query<Membership>(sql`
    select m.team_id, m.user_id, m.function::text as function
      from holdfast.team_members m join auth.users u on u.id = m.user_id where u.email = ${email}`)
  if (!membership) throw new Error(`${email} is in no team`)
  return membership
}

async function leave({ admin }: Holdfast, { team_id, user_id }: Membership): Promise<void> {
  await admin.execute(sql`delete from holdfast.team_members where team_id = ${team_id} and user_id = ${user_id}`)
}

async function join({ admin }: Holdfast, membership: Membership): Promise<void> {
  await admin.execute(sql`
    insert into holdfast.team_members (team_id, user_id, function)
    values (${membership.team_id}, ${membership.user_id}, ${membership.function}) on conflict do nothing`)
}

/** Rows of the team's tables on the device. */
async function countRows({ page }: Person): Promise<number> {
  const counts = TABLES.map((table) => `(select count(*) from "${table}")`).join(' + ')
  return Number((await readRows(page, `select ${counts} as rows`))[0]?.['rows'])
}
