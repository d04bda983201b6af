import { sql } from '@holdfast/postgres'
import { expectAccessible } from './support/accessibility.ts'
import { makeActions, storedAction } from './support/actions.ts'
import { expectConvergence } from './support/convergence.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { expectSynced, signIn } from './support/person.ts'

test('when the server has ended the session, work goes on over a new start, what is typed stays, and all is sent later', async ({
  arrive,
  holdfast,
}) => {
  const [action] = await makeActions(holdfast, ['Session: one'])
  if (!action) throw new Error('an action was made')
  const dana = await arrive('dana')
  const { page } = dana
  const grid = gridOf(page)
  const endSessions = (): Promise<unknown> =>
    holdfast.admin.execute(
      sql`delete from auth.sessions where user_id = (select id from auth.users where email = ${dana.email})`,
    )
  await dana.openTable('actions', actionsThat('Session:'))
  await expect(grid.row('Session:')).toHaveCount(1)
  dana.problems.expect(/status of 40[013].*\/(auth\/v1|sync|rest)\//)

  await test.step('records are edited, also after a new start', async () => {
    await endSessions()
    await grid.type(action.number, 'Title', 'Session: written after its end')
    await expect(dana.chip).toHaveAccessibleName('Sync: Sign in to sync')
    await expectAccessible(page, 'a session that has ended')
    await page.reload()
    await grid.expectCell(action.number, 'Title', 'Session: written after its end')
    await grid.type(action.number, 'Estimated hours', '6.5', '6.50')
    await expect(dana.chip).toHaveAccessibleName('Sync: Sign in to sync')
    expect((await storedAction(holdfast, action.id)).title).toBe('Session: one')
  })

  await test.step('the edits are sent after signing in again', async () => {
    await dana.chip.click()
    await page.getByRole('dialog', { name: 'Sync' }).getByRole('button', { name: 'Sign in' }).click()
    await signIn(page, dana.email)
    await expectSynced(dana)
    await expect
      .poll(() => storedAction(holdfast, action.id))
      .toMatchObject({ title: 'Session: written after its end', est_hours: 6.5 })
    await expectConvergence(dana, ['actions'])
  })

  await test.step('what is typed into the account when the session ends stays on the screen', async () => {
    await page.goto('/account')
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Dana Okafor-Lind')
    await endSessions()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await expect(page.getByText('Your session has ended')).toBeVisible()
    await expect(name).toHaveValue('Dana Okafor-Lind')
    await expectAccessible(page, 'an account whose session has ended')
  })
})
