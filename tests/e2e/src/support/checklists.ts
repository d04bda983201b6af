import { expect, type Locator, type Page } from '@playwright/test'
import { sql } from '@holdfast/postgres'
import type { Holdfast } from '@holdfast/test-support'

export interface Visit {
  readonly id: string
  readonly number: string
  readonly site: string
  readonly template: string
}

/** A scheduled inspection of the North whose template asks for a finding, and for a reading that has a limit above. */
export async function findVisit({ admin }: Holdfast): Promise<Visit> {
  const [visit] = await admin.query<Visit>(sql`
    select i.id, i.number, s.name as site, t.name as template
      from public.inspections i join public.sites s on s.id = i.site_id join public.regions r on r.id = s.region_id
      join public.templates t on t.id = i.template_id
     where r.name = 'North' and s.status <> 'decommissioned' and i.state = 'scheduled'
       and exists (select from public.template_items x where x.template_id = t.id and x.finding_when = 'no')
       and exists (select from public.template_items x where x.template_id = t.id and x.kind = 'reading' and x.max is not null)
       and exists (select from public.inspections e join public.answers a on a.inspection_id = e.id
                    where e.site_id = i.site_id and e.template_id = i.template_id and e.asset_id is not distinct from i.asset_id)
     order by i.id limit 1`)
  if (!visit) throw new Error('the sample has a scheduled inspection of the North')
  return visit
}

export interface Item {
  readonly id: string
  readonly prompt: string
  readonly max: number
}

export async function findItem({ admin }: Holdfast, visit: Visit, kind: 'yes_no' | 'reading'): Promise<Item> {
  const [item] = await admin.query<Item>(sql`
    select x.id, x.prompt, x.max from public.template_items x join public.inspections i on i.template_id = x.template_id
     where i.id = ${visit.id} and x.kind::text = ${kind}
       and (case kind when 'yes_no' then x.finding_when = 'no' else x.max is not null end)
     order by x.position limit 1`)
  if (!item) throw new Error(`the template has a question of the kind ${kind}`)
  return item
}

export const question = (page: Page, prompt: string): Locator => page.getByRole('heading', { level: 2, name: prompt })

/** Goes to a question of an open checklist by the list of all. */
export async function goTo(page: Page, { prompt }: Item): Promise<void> {
  await page.getByRole('button', { name: 'All questions' }).tap()
  await page.getByRole('navigation', { name: 'All questions' }).getByRole('button', { name: prompt }).tap()
  await expect(question(page, prompt)).toBeVisible()
}

/** The person's own checklists that are not begun, on the screen *Capture*. */
export const ownVisits = (page: Page): Locator =>
  page.getByRole('region', { name: 'Inspections of mine' }).getByRole('link').filter({ hasText: 'Scheduled' })

/** Counts what a finger does. */
export interface Taps {
  readonly count: number
  tap(target: Locator): Promise<void>
}

export function countTaps(): Taps {
  let count = 0
  return {
    get count() {
      return count
    },
    async tap(target) {
      await target.tap()
      count++
    },
  }
}
