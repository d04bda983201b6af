import { makeActions, storedAction } from './support/actions.ts'
import { expectConvergence } from './support/convergence.ts'
import { expect, test } from './support/fixtures.ts'
import { actionsThat, gridOf } from './support/grid.ts'
import { expectSynced } from './support/person.ts'

test('two tabs of one person show each other’s edits, and one goes on when the other is closed', async ({
  arrive,
  holdfast,
}) => {
  const [first, second] = await makeActions(holdfast, ['Tabs: first', 'Tabs: second'])
  if (!first || !second) throw new Error('two actions were made')
  const dana = await arrive('dana')
  await dana.openTable('actions', actionsThat('Tabs:'))
  const tab = await dana.newTab()
  await tab.goto(dana.page.url())
  const [left, right] = [gridOf(dana.page), gridOf(tab)]
  await expect(left.row('Tabs:')).toHaveCount(2)
  await expect(right.row('Tabs:')).toHaveCount(2)

  await left.type(first.number, 'Title', 'Tabs: from the left')
  await right.expectCell(first.number, 'Title', 'Tabs: from the left')
  await right.type(second.number, 'Title', 'Tabs: from the right')
  await left.expectCell(second.number, 'Title', 'Tabs: from the right')

  await test.step('the tab that stays sends and receives when the first one is closed', async () => {
    await tab.bringToFront()
    await dana.page.close()
    await right.type(second.number, 'Title', 'Tabs: from the one that stayed')
    await expect
      .poll(async () => (await storedAction(holdfast, second.id)).title)
      .toBe('Tabs: from the one that stayed')
    const supabase = await dana.supabase()
    const { error } = await supabase.from('actions').update({ title: 'Tabs: from elsewhere' }).eq('id', first.id)
    expect(error).toBeNull()
    await right.expectCell(first.number, 'Title', 'Tabs: from elsewhere')
  })

  await tab.reload()
  await right.expectCell(first.number, 'Title', 'Tabs: from elsewhere')
  await right.expectCell(second.number, 'Title', 'Tabs: from the one that stayed')
  const inTab = { ...dana, page: tab, chip: tab.getByRole('button', { name: /^Sync: / }) }
  await expectSynced(inTab)
  await expectConvergence(inTab, ['actions'])
})
