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

test(
  'a user who is taken out of the team loses its rows, and no change that was not sent',
  { tag: '@core' },
  async ({ arrive, holdfast }) => {
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
        const noRows = /^(No actions here yet|No actions that you can see)$/
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

      await test.step('what is typed into a record, or a cell, that goes is kept with the answer of the server', async () => {
        const attention = page.getByRole('article')
        await page.goto(`${mina.home}/t/actions/r/${action.id}`)
        const title = page.getByRole('textbox', { name: 'Title' })
        await page.getByRole('tab', { name: /^Comments/ }).click()
        await page.getByRole('textbox', { name: 'Comment' }).fill('Revoked: a long comment')
        await page.getByRole('tab', { name: 'Fields' }).click()
        await title.fill('Revoked: ten minutes of work')
        await leave(holdfast, membership)
        await expect(page.getByText('This record is not on this device')).toBeVisible()
        await expect(page.getByText('Your values of Title are kept.')).toBeVisible()
        await expect(page.getByText('Revoked: a long comment')).toBeVisible()
        await expectAccessible(page, 'a record that went while it was edited')
        await page.getByRole('button', { name: 'Discard the draft' }).click()
        await expect(page.getByText('Revoked: a long comment')).toBeHidden()
        await page.getByRole('link', { name: 'Decide in the Sync centre' }).click()
        await expect(page.getByText('Revoked: ten minutes of work', { exact: true })).toBeVisible()
        await discard(mina)
        await join(holdfast, membership)
        await mina.openTable('actions', actionsThat('Revoked:'))
        await grid.cell(action.number, 'Title').dblclick()
        await page.getByRole('textbox', { name: 'Edit Title' }).fill('Revoked: typed in the grid')
        await leave(holdfast, membership)
        await expect(mina.chip).toHaveAccessibleName('Sync: 1 needs attention')
        await page.goto(`${mina.home}/sync?tab=attention`)
        await expect(attention).toContainText('Revoked: typed in the grid')
        await discard(mina)
        await join(holdfast, membership)
        await mina.openTable('actions', actionsThat('Revoked:'))
        await expect(grid.row('Revoked: access')).toHaveCount(1)
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
  },
)

async function discard({ page, chip }: Person): Promise<void> {
  await page.getByRole('button', { name: 'Discard' }).first().click()
  await page
    .getByRole('alertdialog')
    .getByRole('button', { name: /^Discard/ })
    .click()
  await expect(chip).toHaveAccessibleName('Sync: Up to date')
}

test('what was filled into a form is found again when the form is deleted, and while nothing may be added', async ({
  arrive,
  holdfast: { admin },
}) => {
  const [form] = await admin.query<{ id: string }>(sql`
    insert into holdfast.views (table_name, name, type, scope, config)
    values ('actions', 'Form that goes', 'form', 'shared', ${JSON.stringify({ form: 'title.required,detail' })}::jsonb) returning id`)
  const { page, home } = await arrive('mina')
  const title = page.getByRole('textbox', { name: /^Title/ })
  await page.goto(`${home}/t/actions/v/${form?.id}`)
  await title.fill('Form: ten minutes of work')
  await title.press('Tab')
  await expect.poll(() => readRows(page, 'select id from hf_local_drafts')).toHaveLength(1)
  await page.reload()
  await expect(title).toHaveValue('Form: ten minutes of work')

  await admin.execute(sql`revoke insert on public.actions from authenticated`)
  try {
    await page.getByRole('link', { name: 'What you have filled in' }).click()
    await expect(title).toHaveValue('Form: ten minutes of work')
    await expectAccessible(page, 'a draft of a form that may not be saved')
  } finally {
    await admin.execute(sql`grant insert on public.actions to authenticated`)
  }
  await admin.execute(sql`delete from holdfast.views where id = ${form?.id}`)
  await page.goto(`${home}/capture`)
  const draft = page
    .getByRole('region', { name: 'Left in the middle on this device' })
    .getByRole('link', { name: /^New action/ })
  // The device knows by now that the form is gone.
  await expect(draft).toHaveAttribute('href', /\/r\//)
  await draft.click()
  await expect(title).toHaveValue('Form: ten minutes of work')
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
