import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '@holdfast/postgres'
import { createRandom, seedOf, type FaultyLink, type Holdfast, type Random } from '@holdfast/test-support'
import type { Page } from '@playwright/test'
import { expectConvergence } from './support/convergence.ts'
import { expect, test } from './support/fixtures.ts'
import { readDevice } from './support/local-device.ts'
import { expectSynced, type Person } from './support/person.ts'
import { picker, takePicture, tiles } from './support/photos.ts'
import { watchClaims } from './support/watched-claims.ts'

/*
 * A whole day without a line on a phone, then a bad line: all arrives once, in its order, and what the app says meanwhile is so.
 */

/** How many findings are captured. 300 at night, of which 120 have a photo. */
const CAPTURES = Number(process.env['HOLDFAST_DAY_CAPTURES'] ?? 3)
/** How long the line is bad at most, in seconds. Ten minutes at night. */
const BAD_LINE_S = Number(process.env['HOLDFAST_DAY_BAD_LINE_S'] ?? 4)
/** How much slower than this machine the phone is. 4 at night. */
const SLOWDOWN = Number(process.env['HOLDFAST_DAY_SLOWDOWN'] ?? 1)
/** About what a capture takes on a busy machine, sent and all, in milliseconds. */
const CAPTURE_MS = 20_000
/** The app is closed and opened again off line after so many. */
const REOPEN_EVERY = 75
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const

const titleOf = (place: number): string => `Day: ${String(place + 1).padStart(3, '0')}`
/** Two of five have a photo. */
const hasPhoto = (place: number): boolean => place % 5 < 2
const places = Array.from({ length: CAPTURES }, (_, place) => place)
const PHOTOS = places.filter(hasPhoto).length

/** A form for findings, a site for them, and a note of every row that comes. */
async function prepareDay({ admin }: Holdfast): Promise<{ readonly form: string; readonly site: string }> {
  await admin.execute(sql`create schema if not exists day`)
  await admin.execute(sql`
    create table if not exists day.arrivals (place bigint generated always as identity primary key, relation text, id uuid, title text)`)
  await admin.execute(sql`
    create or replace function day.note() returns trigger language plpgsql security definer set search_path = '' as $$
    begin
      insert into day.arrivals (relation, id, title) values (tg_table_name, new.id, to_jsonb(new) ->> 'title');
      return null;
    end $$`)
  await admin.execute(
    sql`create or replace trigger day after insert on public.findings for each row execute function day.note()`,
  )
  await admin.execute(
    sql`create or replace trigger day after insert on public.photos for each row execute function day.note()`,
  )
  const [made] = await admin.query<{ form: string; site: string }>(sql`
    insert into holdfast.views (table_name, name, type, scope, config)
    select 'findings', 'Day: form', 'form', 'shared', '{"form": "title.required.What is wrong?,site_id.required"}'
    returning id as form, (select s.name from public.sites s join public.regions r on r.id = s.region_id
                            where r.name = 'North' and s.status <> 'decommissioned' order by s.id limit 1) as site`)
  if (!made) throw new Error('a form was made')
  return made
}

/** Captures a finding in the form, and a photo of it where it has one. */
async function capture(
  page: Page,
  place: number,
  site: string,
  photo: Parameters<ReturnType<typeof picker>['setInputFiles']>[0],
): Promise<void> {
  await page.getByRole('textbox', { name: 'What is wrong?' }).fill(titleOf(place))
  await page.getByRole('button', { name: /^Site/ }).tap()
  await page.getByRole('searchbox', { name: /Site/ }).fill(site)
  await page.getByRole('option', { name: site }).tap()
  if (!hasPhoto(place)) {
    await page.getByRole('button', { name: 'Save & next' }).tap()
    await expect(page.getByRole('textbox', { name: 'What is wrong?' })).toHaveValue('')
    return
  }
  const form = page.url()
  await page.getByRole('button', { name: 'Save & open' }).tap()
  await picker(page).setInputFiles(photo)
  await expect(tiles(page).locator('img')).toHaveCount(1)
  await page.goBack()
  await expect(page).toHaveURL(form)
}

interface Arrived {
  readonly findings: number
  readonly photos: number
  readonly files: number
}

async function countArrived({ admin }: Holdfast): Promise<Arrived> {
  const [row] = await admin.query<Arrived>(sql`
    select count(distinct f.id)::int as findings, count(distinct p.id)::int as photos, count(distinct o.id)::int as files
      from public.findings f left join public.photos p on p.finding_id = f.id and p.uploaded_at is not null
      left join storage.objects o on o.bucket_id = 'record-photos' and o.name = p.path
     where f.title like 'Day: %'`)
  return row ?? { findings: 0, photos: 0, files: 0 }
}

const ALL: Arrived = { findings: CAPTURES, photos: PHOTOS, files: PHOTOS }
const hasAll = (arrived: Arrived): boolean => JSON.stringify(arrived) === JSON.stringify(ALL)

/** Faults of a line in a dead spot: for some seconds each, with some seconds between them. */
async function haveFault(link: FaultyLink, random: Random): Promise<void> {
  const some = (): Promise<void> => delay(1_000 + random.below(5_000))
  link.limitRate(random.pick([30_000, 100_000, 300_000]), 'up')
  switch (random.below(4)) {
    case 0:
      link.cut()
      return some()
    case 1:
      link.stall()
      await some()
      link.flow()
      return
    case 2:
      link.sever()
      await some()
      link.mend()
      return some()
    default:
      // The server has done its work, and the phone does not know.
      link.breakRequests({ head: 'POST /sync/v1/upload', at: 'answer', count: 1 })
      return some()
  }
}

/** The line is bad until everything has arrived, or for as long as it is to be. @returns seconds */
async function haveBadLine({ link }: Person, holdfast: Holdfast): Promise<number> {
  const random = createRandom(seedOf('HOLDFAST_SEED'))
  const started = Date.now()
  while (Date.now() - started < BAD_LINE_S * 1_000 && !hasAll(await countArrived(holdfast))) {
    await haveFault(link, random)
  }
  link.flow()
  link.breakRequests({ head: '', at: 'answer', count: 0 })
  link.limitRate(0)
  return Math.round((Date.now() - started) / 1_000)
}

/** The Sync centre counts what is on the device. */
async function expectSyncCentre(person: Person): Promise<void> {
  const { page } = person
  await page.goto(`${person.home}/sync`)
  const waiting = CAPTURES + PHOTOS
  await expect(page.getByRole('tab', { name: `Waiting to send ${waiting}` })).toBeVisible()
  expect((await readDevice(page)).waiting).toBe(waiting)
  await expect(page.getByText(`${waiting} changes are on this device and not sent yet.`)).toBeVisible()
  await page.getByRole('tab', { name: `Files ${PHOTOS}` }).tap()
  await expect(page.getByText(new RegExp(`^${PHOTOS} files? \\(.*\\) (is|are) only on this device\\.`))).toBeVisible()
}

test(`a day off line on a slow phone, ${CAPTURES} findings and ${PHOTOS} photos, then a bad line: all arrives once, in order`, async ({
  arrive,
  holdfast,
}) => {
  test.setTimeout(300_000 + CAPTURES * CAPTURE_MS + BAD_LINE_S * 1_000)
  const { form, site } = await prepareDay(holdfast)
  const mina = await arrive('mina', PHONE)
  const { page } = mina
  const photo = await takePicture(page)
  const formPage = `${mina.home}/t/findings/v/${form}`
  await page.goto(formPage)
  await expect(page.getByRole('textbox', { name: 'What is wrong?' })).toBeVisible()
  const session = await mina.context.newCDPSession(page)
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN })
  const dayStarted = Date.now()

  const day = await test.step('off line all of it is captured, over new starts of the app', async () => {
    await mina.goOffline()
    const watched = watchClaims(mina)
    for (const place of places) {
      if (place % REOPEN_EVERY === REOPEN_EVERY - 1) await page.goto(formPage)
      await capture(page, place, site, photo)
      if (place % 50 === 49)
        console.log(`${place + 1} captured after ${Math.round((Date.now() - dayStarted) / 1_000)} s`)
    }
    await expect(mina.chip).toHaveAccessibleName(`Sync: Offline · ${CAPTURES + PHOTOS} waiting`)
    await expectSyncCentre(mina)
    return watched.stop()
  })
  const dayS = Math.round((Date.now() - dayStarted) / 1_000)
  expect(day.untrue).toEqual([])
  expect(await countArrived(holdfast)).toEqual({ findings: 0, photos: 0, files: 0 })

  const badLine = await test.step('on a bad line what is said of it is so', async () => {
    const watched = watchClaims(mina, async (said) => {
      const arrived = said === 'Up to date' ? await countArrived(holdfast) : ALL
      return hasAll(arrived) ? undefined : `“${said}”, but the server has ${JSON.stringify(arrived)}`
    })
    await mina.goOnline()
    const badS = await haveBadLine(mina, holdfast)
    const arrived = await countArrived(holdfast)
    await expect.poll(() => countArrived(holdfast), { timeout: 120_000 + CAPTURES * CAPTURE_MS }).toEqual(ALL)
    await expectSynced(mina)
    return { ...(await watched.stop()), badS, arrived }
  })
  expect(badLine.untrue).toEqual([])
  for (const [part, { looks, staleMs, said }] of Object.entries({ day, badLine }))
    console.log(`${part}: ${looks} looks, behind for ${staleMs} ms at most, said ${[...said].join(' | ')}`)
  console.log(
    `${dayS} s off line; after ${badLine.badS} s of a bad line the server had ${JSON.stringify(badLine.arrived)}`,
  )

  const arrivals = await holdfast.admin.query<{ relation: string; title: string | null; captured: number }>(sql`
    select a.relation, a.title, count(*) over (partition by a.id)::int as captured from day.arrivals a
      left join public.photos p on p.id = a.id left join public.findings f on f.id = coalesce(p.finding_id, a.id)
     where f.title like 'Day: %' order by a.place`)
  expect(arrivals.filter(({ captured }) => captured !== 1)).toEqual([])
  expect(arrivals.flatMap(({ relation, title }) => (relation === 'findings' ? [title] : []))).toEqual(
    places.map(titleOf),
  )
  // A photo's row comes after its finding's and before the next.
  expect(arrivals.map(({ relation }) => relation)).toEqual(
    places.flatMap((place) => (hasPhoto(place) ? ['findings', 'photos'] : ['findings'])),
  )
  await expectConvergence(mina, ['findings', 'photos'])
})
