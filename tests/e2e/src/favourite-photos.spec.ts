import { expect, test } from './support/fixtures.ts'
import { changeDevice, type LocalRow, readDevice } from './support/local-device.ts'
import { expectSynced } from './support/person.ts'
import { tiles } from './support/photos.ts'

test('the photos of a favourite come to the device without being opened, and are there off line', async ({
  arrive,
}) => {
  const dana = await arrive('dana')
  const { page } = dana
  const states = async (finding: unknown): Promise<readonly LocalRow[]> =>
    (
      await readDevice(
        page,
        `select f.state, count(*) as files from hf_local_files f join photos p on p.id = f.id where p.finding_id = ? group by f.state`,
        [String(finding)],
      )
    ).rows
  // One whose photos nobody has opened here.
  const { rows } = await readDevice(
    page,
    `select finding_id as id, count(*) as photos from photos p join hf_local_files f on f.id = p.id
      where finding_id is not null group by finding_id having count(*) > 1 and min(f.state) = 'remote' and max(f.state) = 'remote' limit 1`,
  )
  const [finding] = rows
  if (!finding) throw new Error('the sample has findings with photos')
  const { id, photos } = finding

  // As on another device of hers: the record is not opened on this one.
  const userId = (await (await dana.supabase()).auth.getUser()).data.user?.id
  await changeDevice(page, [
    `insert into hf_favourites (id, owner_id, kind, table_name, target_id, position)
       values (uuid(), '${userId}', 'record', 'findings', '${id}', 0)`,
  ])
  await expect.poll(() => states(id)).toEqual([{ state: 'cached', files: photos }])
  await expectSynced(dana)

  await dana.goOffline()
  await page.goto(`${dana.home}/t/findings/r/${id}`)
  await expect(tiles(page).locator('img')).toHaveCount(Number(photos))
  await dana.goOnline()
})
