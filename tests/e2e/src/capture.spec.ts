import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'
import type { Page } from '@playwright/test'
import { expectAccessible } from './support/accessibility.ts'
import { countTaps, findItem, findVisit, goTo, ownVisits, question, type Visit } from './support/checklists.ts'
import { expect, test } from './support/fixtures.ts'
import { holdDatabase } from './support/held-database.ts'
import { holdBeforeCamera, labelPicture } from './support/labels.ts'
import { ACCOUNTS, expectSynced } from './support/person.ts'
import { takePicture } from './support/photos.ts'

/*
 * A checklist on a phone without a line: it goes on over a reload, and arrives once.
 */

interface Labelled {
  readonly id: string
  readonly label: string
  readonly site: string
}

/** What stands on the labels of two assets of the North, at two sites. */
async function findLabels({ admin }: Holdfast): Promise<readonly [Labelled, Labelled]> {
  const [one, other] = await admin.query<Labelled>(sql`
    select distinct on (s.id) a.id, a.qr_code as label, s.name as site
      from public.assets a join public.sites s on s.id = a.site_id join public.regions r on r.id = s.region_id
     where r.name = 'North' and s.status <> 'decommissioned' order by s.id, a.id limit 2`)
  if (!one || !other) throw new Error('the sample has assets at two sites of the North')
  return [one, other]
}

/** How many files of the reader of codes are on this device. */
const keptParts = (page: Page): Promise<number> =>
  page.evaluate(async () => (await (await caches.open('holdfast-parts')).keys()).length)

/** Lets the device find where it is only when the test says so. */
async function holdPosition(page: Page): Promise<{ readonly release: () => Promise<void> }> {
  await page.evaluate(() => {
    const coords = { latitude: 53.5, longitude: 9.9, accuracy: 8 }
    navigator.geolocation.getCurrentPosition = (found) => {
      addEventListener('located', () => found({ coords } as GeolocationPosition), { once: true })
    }
  })
  return { release: () => page.evaluate(() => void dispatchEvent(new Event('located'))) }
}

/** Answers what is left as it should be, as somebody else on the visit does, and makes the finding that the reading calls for. */
async function answerTheRest({ admin }: Holdfast, visit: Visit): Promise<void> {
  await admin.query(sql`
    insert into public.answers (inspection_id, template_item_id, value_bool, value_num, value_text, value_choice)
    select ${visit.id}, x.id, case x.kind when 'yes_no' then x.finding_when is distinct from 'yes' end, (x.min + x.max) / 2,
           case when x.kind in ('text', 'photo') then 'Nothing to say.' end, x.choices[1]
      from public.template_items x join public.inspections i on i.id = ${visit.id} and i.template_id = x.template_id
     where not exists (select from public.answers a where a.inspection_id = i.id and a.template_item_id = x.id)`)
  await admin.query(sql`
    insert into public.findings (title, inspection_id, site_id, answer_id)
    select 'Capture: out of range', i.id, i.site_id, a.id
      from public.answers a join public.inspections i on i.id = a.inspection_id where i.id = ${visit.id} and a.is_out_of_range`)
}

test('on a phone without a line a checklist is filled in, with a finding and its photo in six taps', async ({
  arrive,
  holdfast,
}) => {
  // Many screens, each looked at by axe: on a busy machine more than the usual time.
  test.setTimeout(900_000)
  const visit = await findVisit(holdfast)
  const [yesNo, reading] = [await findItem(holdfast, visit, 'yes_no'), await findItem(holdfast, visit, 'reading')]
  const mina = await arrive('mina', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true })
  const { page } = mina
  const picture = await takePicture(page)
  await test.step('a newcomer finds what is overdue before the line is gone', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'Tables' }).tap()
    await page
      .getByRole('dialog', { name: 'Workspace' })
      .getByRole('link', { name: /^Actions/ })
      .tap()
    await expect(page.getByRole('button', { name: 'View: Overdue – my region' })).toBeVisible()
    await expect(page.getByRole('list', { name: 'Actions, list' }).getByRole('button').first()).toBeVisible()
  })
  await expect.poll(() => keptParts(page), 'the reader of codes is on the phone').toBe(2)
  await mina.goOffline()

  await test.step('from there a finding with its photo takes six taps', async () => {
    const taps = countTaps()
    await taps.tap(page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Capture' }))
    await taps.tap(ownVisits(page).filter({ hasNotText: visit.number }).first())
    await taps.tap(page.getByRole('radio', { name: 'No', exact: true }))
    await taps.tap(page.getByRole('button', { name: 'Add finding' }))
    const choosing = page.waitForEvent('filechooser')
    await taps.tap(page.getByRole('button', { name: 'Take photo' }))
    await (await choosing).setFiles([picture])
    await expect(page.getByText('1 photo on this device')).toBeVisible()
    await taps.tap(page.getByRole('button', { name: 'Save finding' }))
    await expect(page.getByText('Finding: Is the way in clear and safe? No')).toBeVisible()
    expect(taps.count).toBeLessThanOrEqual(6)
    await page.getByRole('button', { name: 'Close the checklist' }).tap()
  })

  await test.step('Capture lists templates and forms; a record leads to its checklist', async () => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Capture' }).tap()
    await expect(page.getByRole('heading', { level: 1, name: 'Capture' })).toBeVisible()
    await expect(page.getByRole('link', { name: visit.template, exact: true })).toBeVisible()
    await expectAccessible(page, 'capture')
    await page.goto(`${mina.home}/t/inspections/r/${visit.id}`)
    await page.getByRole('link', { name: 'Open the checklist' }).tap()
    await expect(page.getByRole('heading', { level: 1, name: visit.template })).toBeVisible()
    await expect(page.getByText(visit.site)).toBeVisible()
  })

  await test.step('a reading is compared with its limits, beside the last one', async () => {
    await goTo(page, reading)
    await expect(page.getByRole('button', { name: /^Use the last value, / })).toBeVisible()
    await page.getByRole('textbox', { name: reading.prompt }).fill(String(reading.max + 1))
    await expect(page.getByText('▲ Above the limit of')).toBeVisible()
    await expectAccessible(page, 'a question')
    const box = await page.getByRole('button', { name: 'Save & next' }).boundingBox()
    expect(box?.height).toBeGreaterThanOrEqual(56)
  })

  await test.step('what is typed is there after a cold start, and is saved', async () => {
    await page.reload()
    await expect(page.getByRole('textbox', { name: reading.prompt })).toHaveValue(String(reading.max + 1))
    await page.getByRole('button', { name: 'Save & next' }).tap()
    await expect(question(page, reading.prompt)).toHaveCount(0)
    await expect(page.getByRole('progressbar', { name: 'Questions answered' })).toHaveAttribute(
      'aria-valuetext',
      /^1 of /,
    )
  })

  await goTo(page, yesNo)
  await test.step('"No" needs a finding: six taps with its photo, and a reload between', async () => {
    const taps = countTaps()
    await taps.tap(page.getByRole('radio', { name: 'No', exact: true }))
    await taps.tap(page.getByRole('button', { name: 'Add finding' }))
    const choosing = page.waitForEvent('filechooser')
    await taps.tap(page.getByRole('button', { name: 'Take photo' }))
    await (await choosing).setFiles([picture])
    await expect(page.getByText('1 photo on this device')).toBeVisible()
    await taps.tap(page.getByRole('radio', { name: 'High' }))
    const position = await holdPosition(page)
    await page.getByRole('button', { name: 'Add where I am' }).tap()
    const what = page.getByRole('textbox', { name: 'What is wrong' })
    await taps.tap(what)
    await what.fill('Capture: rail loose at the hatch')
    // A position that is found late takes back nothing of what was typed meanwhile.
    await position.release()
    await expect(page.getByText('accurate to')).toBeVisible()
    await expect(what).toHaveValue('Capture: rail loose at the hatch')
    await expectAccessible(page, 'a finding')
    await page.reload()
    await expect(what).toHaveValue('Capture: rail loose at the hatch')
    await expect(page.getByRole('radio', { name: 'High' })).toBeChecked()
    await expect(page.getByText('1 photo on this device')).toBeVisible()
    // A slow device, and somebody who presses again: it is one finding.
    const database = await holdDatabase(page)
    const save = page.getByRole('button', { name: 'Save finding' })
    await taps.tap(save)
    await save.tap()
    await database.release()
    await expect(page.getByText('Finding: Capture: rail loose at the hatch')).toHaveCount(1)
    expect(taps.count).toBeLessThanOrEqual(6)
  })

  await test.step('the end says what is missing, and Capture where it was left', async () => {
    await page.getByRole('button', { name: 'All questions' }).tap()
    await page.getByRole('button', { name: 'Look through and finish' }).tap()
    await expect(page.getByText(/questions still have no answer$/)).toBeVisible()
    await expect(page.getByText(/still needs? a finding$/)).toHaveCount(1)
    await expect(page.getByRole('button', { name: 'Finish', exact: true })).toBeDisabled()
    await expectAccessible(page, 'the end of a checklist')
    await goTo(page, reading)
    await page.getByRole('textbox', { name: reading.prompt }).fill(String(reading.max + 2))
    await page.getByRole('button', { name: 'All questions' }).tap()
    await page.getByRole('button', { name: 'Look through and finish' }).tap()
    await expect(page.getByText('1 question has an answer or a finding that is not saved')).toBeVisible()
    await page
      .getByRole('region', { name: 'Look through and finish' })
      .getByRole('button', { name: reading.prompt })
      .first()
      .tap()
    await page.getByRole('button', { name: 'Discard', exact: true }).tap()
    await expect(page.getByRole('textbox', { name: reading.prompt })).toHaveValue(String(reading.max + 1))
    await expect(page.getByRole('button', { name: 'Next' })).toBeVisible()
    await page.getByRole('button', { name: 'All questions' }).tap()
    await page.getByRole('button', { name: 'Look through and finish' }).tap()
    await expect(page.getByText(/that (is|are) not saved$/)).toHaveCount(0)
    await page.goto(`${mina.home}/capture`)
    const left = page.getByRole('region', { name: 'Left in the middle on this device' })
    await expect(left.getByRole('link', { name: visit.number })).toBeVisible()
  })

  const [photographed, asset] = await findLabels(holdfast)
  await test.step('a template begins a new record, at the place that a label tells', async () => {
    await page.getByRole('link', { name: visit.template, exact: true }).tap()
    await expect(page.getByRole('heading', { level: 1, name: `Start ${visit.template}` })).toBeVisible()
    await page.getByRole('textbox', { name: 'Label' }).fill('no such label')
    await page.getByRole('button', { name: 'Find' }).tap()
    await expect(page.getByText('Nothing on this device has the label no such label')).toBeVisible()
    const scan = page.getByRole('button', { name: 'Scan a label' })
    // A camera that shows nothing is none for Chromium.
    await holdBeforeCamera(asset.label)
    await scan.tap()
    await expect(page.getByText('The browser may not use the camera.')).toBeVisible()
    await expectAccessible(page, 'a camera that may not be used')
    await page.getByTestId('label-photo').setInputFiles(picture)
    await expect(page.getByText('No code was found on this photo.')).toBeVisible()
    await page.getByTestId('label-photo').setInputFiles(await labelPicture(photographed.label))
    await expect(page.getByRole('button', { name: /^Site/ })).toHaveText(photographed.site)
    await mina.context.grantPermissions(['camera'])
    await scan.tap()
    await expect(page.getByRole('button', { name: /^Site/ })).toHaveText(asset.site)
    await expect(page.locator('video')).toHaveCount(0)
    await page.getByRole('button', { name: /^Team/ }).tap()
    await page.getByRole('option').first().tap()
    await expectAccessible(page, 'the start of a checklist')
    await page.getByRole('button', { name: 'Begin' }).tap()
    await expect(page.getByRole('heading', { level: 1, name: visit.template })).toBeVisible()
    await expect(page.getByRole('progressbar', { name: 'Questions answered' })).toHaveAttribute(
      'aria-valuetext',
      /^0 of /,
    )
  })

  await test.step('on line it arrives once: two answers, the finding, its photo', async () => {
    await mina.goOnline()
    await expectSynced(mina)
    const stored = (): Promise<readonly object[]> =>
      holdfast.admin.query(sql`
        select i.state::text, f.title, f.severity::text, f.site_id = i.site_id as at_site,
               count(distinct a.id)::int as answers, bool_or(a.is_out_of_range) as out_of_range,
               count(distinct p.id)::int as photos, bool_and(p.uploaded_at is not null) as uploaded
          from public.inspections i
          join public.answers a on a.inspection_id = i.id
          join public.findings f on f.inspection_id = i.id
          join public.answers of on of.id = f.answer_id and of.template_item_id = ${yesNo.id} and not of.value_bool
          left join public.photos p on p.finding_id = f.id
         where i.id = ${visit.id} group by i.id, f.id`)
    await expect.poll(stored, { timeout: 60_000 }).toEqual([
      {
        state: 'in_progress',
        title: 'Capture: rail loose at the hatch',
        severity: 'high',
        at_site: true,
        answers: 2,
        out_of_range: true,
        photos: 1,
        uploaded: true,
      },
    ])
  })
  await test.step('the lead of the team has both findings, each with its photo', async () => {
    const lead = await holdfast.supabase({ email: ACCOUNTS.dana.email })
    const titles = ['Is the way in clear and safe? No', 'Capture: rail loose at the hatch']
    const { data } = await lead.from('findings').select('title, photos(id)').in('title', titles).order('created_at')
    expect(data).toEqual(titles.map((title) => ({ title, photos: [{ id: expect.any(String) }] })))
  })
  await test.step('the new record is there once', async () => {
    const begun = (): Promise<readonly object[]> =>
      holdfast.admin.query(sql`
        select i.state::text, t.name as template from public.inspections i join public.templates t on t.id = i.template_id
         where i.asset_id = ${asset.id} and i.created_at > now() - interval '1 hour' and i.state = 'in_progress'`)
    await expect.poll(begun).toEqual([{ state: 'in_progress', template: visit.template }])
  })

  await test.step('a complete checklist is signed and finished', async () => {
    await answerTheRest(holdfast, visit)
    await page.goto(`${mina.home}/t/inspections/new?from=${visit.id}`)
    await expect(page.getByText('Every question that has to be answered is answered.')).toBeVisible()
    const pad = page.getByRole('img', { name: 'Field for a signature, empty' })
    await pad.scrollIntoViewIfNeeded()
    const box = await pad.boundingBox()
    if (!box) throw new Error('the field for a signature is on the screen')
    await page.mouse.move(box.x + 40, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(box.x + 160, box.y + box.height / 3, { steps: 5 })
    await page.mouse.up()
    await page.getByRole('textbox', { name: 'Name' }).fill('M. Kaya')
    // As with a finding: a second press on a slow device is the same signature.
    const database = await holdDatabase(page)
    await page.getByRole('button', { name: 'Save signature' }).tap()
    await page.getByRole('button', { name: 'Save signature' }).tap()
    await database.release()
    await expect(page.getByText('Signature: M. Kaya')).toBeVisible()
    await expectAccessible(page, 'a signed checklist')
    await page.getByRole('button', { name: 'Finish', exact: true }).tap()
    await expect(page).toHaveURL(`${mina.home}/t/inspections/r/${visit.id}`)
    const stored = (): Promise<readonly object[]> =>
      holdfast.admin.query(sql`
        select i.state::text, p.caption, p.uploaded_at is not null as uploaded,
               (select count(*)::int from public.photos o where o.inspection_id = i.id and o.caption = p.caption) as signatures
          from public.inspections i join public.photos p on p.path = i.signature_path and p.inspection_id = i.id
         where i.id = ${visit.id}`)
    await expect
      .poll(stored, { timeout: 60_000 })
      .toEqual([{ state: 'submitted', caption: 'Signature: M. Kaya', uploaded: true, signatures: 1 }])
  })
  await test.step('a finished checklist takes no photos any more', async () => {
    const prompt = 'Capture: a photo of the end'
    await holdfast.admin.query(sql`
      insert into public.template_items (template_id, position, section, prompt, kind, required)
      select template_id, 99, 'The end', ${prompt}, 'photo', false from public.inspections where id = ${visit.id}`)
    await page.goto(`${mina.home}/t/inspections/new?from=${visit.id}`)
    await expect(page.getByText('This checklist is finished')).toBeVisible()
    await goTo(page, { id: '', prompt, max: 0 })
    await expect(page.getByRole('button', { name: 'Take photo' })).toHaveCount(0)
  })
})
