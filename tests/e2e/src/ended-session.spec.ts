import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { makeActions, storedAction } from './support/actions.ts'
import { expectConvergence } from './support/convergence.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { expectSynced, signIn } from './support/person.ts'

test('when the server has ended the session, work goes on, also after a new start, and is sent after signing in again', async ({
  arrive,
  holdfast,
}) => {
  const [action] = await makeActions(holdfast, ['Session: one'])
  if (!action) throw new Error('an action was made')
  const dana = await arrive('dana')
  const { page } = dana
  const grid = gridOf(page)
  await dana.openTable('actions', actionsThat('Session:'))
  await expect(grid.row('Session:')).toHaveCount(1)
  dana.problems.expect(/status of 40[013].*\/(auth\/v1|sync|rest)\//)

  await holdfast.admin.execute(
    sql`delete from auth.sessions where user_id = (select id from auth.users where email = ${dana.email})`,
  )
  await grid.type(action.number, 'Title', 'Session: written after its end')
  await expect(dana.chip).toHaveAccessibleName('Sync: Sign in to sync')
  await expectAccessible(page, 'a session that has ended')
  await page.reload()
  await grid.expectCell(action.number, 'Title', 'Session: written after its end')
  await grid.type(action.number, 'Estimated hours', '6.5')
  await expect(dana.chip).toHaveAccessibleName('Sync: Sign in to sync')
  expect((await storedAction(holdfast, action.id)).title).toBe('Session: one')

  await dana.chip.click()
  await page.getByRole('dialog', { name: 'Sync' }).getByRole('button', { name: 'Sign in' }).click()
  await signIn(page, dana.email)
  await expectSynced(dana)
  await expect
    .poll(() => storedAction(holdfast, action.id))
    .toMatchObject({ title: 'Session: written after its end', est_hours: 6.5 })
  await expectConvergence(dana, ['actions'])
})

test('what is typed into the account when its session ends stays on the screen', async ({ arrive, holdfast }) => {
  const mina = await arrive('mina')
  const { page } = mina
  mina.problems.expect(/status of 40[013].*\/(auth\/v1|sync|rest)\//)
  await page.goto('/account')
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.fill('Mina Kaya-Lind')
  await holdfast.admin.execute(
    sql`delete from auth.sessions where user_id = (select id from auth.users where email = ${mina.email})`,
  )
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('Your session has ended')).toBeVisible()
  await expect(name).toHaveValue('Mina Kaya-Lind')
  await expectAccessible(page, 'an account whose session has ended')
})
