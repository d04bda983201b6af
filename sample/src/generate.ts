import { defined, type Clock } from '@holdfast/foundation'
import { createFindingStates, planTasks, renderActions } from './actions.ts'
import { createCalendar } from './calendar.ts'
import { generateChecklists } from './checklists.ts'
import { generateComments } from './comments.ts'
import { planDefects, renderFindings } from './findings.ts'
import { generateInspections } from './inspections.ts'
import { generateNetwork } from './network.ts'
import { generateOrganisation } from './organisation.ts'
import { createAreas } from './areas.ts'
import { generatePhotos } from './photos.ts'
import type { UserRow } from './rows.ts'
import { createStaff } from './staff.ts'
import { generateViews } from './views.ts'

/** Rows of one table: objects with the same keys, the names of the columns. */
export interface TableRows {
  readonly schema: string
  readonly table: string
  readonly rows: readonly object[]
}

export interface SampleData {
  readonly users: readonly UserRow[]
  readonly tables: readonly TableRows[]
}

/**
 * Generates the whole sample in memory. Ids and contents depend only on `seed`; dates also on the day of `clock`.
 * In the order of work: organisation, assets, inspections, findings, actions, comments.
 */
export function generateSample(seed: number, clock: Clock): SampleData {
  const calendar = createCalendar(clock)
  const organisation = generateOrganisation(seed, calendar)
  const { users, workspace, members, regions, teams, teamMembers, contractors, people } = organisation
  const staffOf = createStaff(organisation)
  const network = generateNetwork(seed, calendar, regions)
  const checklists = generateChecklists(seed, calendar)
  const inspections = generateInspections({ seed, calendar, network, checklists, staffOf })
  const { visits } = inspections
  const defects = planDefects({ seed, network, inspections, staffOf })
  const tasks = planTasks({ seed, defects, samsContractor: defined(contractors[0], 'Sam works for the first company') })
  const unfinished = tasks.filter((task) => task.state !== 'verified' && task.state !== 'dropped')

  const findings = renderFindings({ seed, calendar, defects, stateOf: createFindingStates(seed, tasks) })
  const shown = new Set(unfinished.map((task) => task.defect))
  const photos = generatePhotos({ seed, calendar, defects, visits, shown })
  const areas = createAreas({ regions, sites: network.sites, inspections: inspections.inspections, findings })

  const domain: Readonly<Record<string, readonly object[]>> = {
    regions,
    contractors,
    people,
    sites: network.sites,
    assets: network.assets,
    templates: checklists.map((checklist) => checklist.row),
    template_items: checklists.flatMap((checklist) => checklist.items.map((item) => item.row)),
    inspections: inspections.inspections,
    answers: inspections.answers.map((answer) => ({ ...answer, area: areas.ofInspection(answer.inspection_id) })),
    findings,
    photos: photos.map((photo) => ({ ...photo, area: areas.ofPhoto(photo) })),
    actions: renderActions(seed, calendar, tasks),
  }
  return {
    users,
    tables: [
      { schema: 'holdfast', table: 'workspaces', rows: [workspace] },
      { schema: 'holdfast', table: 'members', rows: members },
      { schema: 'holdfast', table: 'teams', rows: teams },
      { schema: 'holdfast', table: 'team_members', rows: teamMembers },
      ...Object.entries(domain).map(([table, rows]) => ({ schema: 'public', table, rows })),
      {
        schema: 'holdfast',
        table: 'comments',
        rows: generateComments({ seed, calendar, tasks, defects, visits, people }),
      },
      { schema: 'holdfast', table: 'views', rows: generateViews(seed, workspace.id) },
    ],
  }
}
