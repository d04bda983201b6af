import { defined } from '@holdfast/foundation'
import type { Organisation } from './organisation.ts'
import type { ContractorRow, PersonRow, SiteRow, TeamRow } from './rows.ts'
import { CONTRACTORS } from './words/people.ts'

/** The people who work at a site. */
export interface SiteStaff {
  readonly area: string
  readonly team: TeamRow
  readonly lead: PersonRow
  /** Without the lead. */
  readonly members: readonly PersonRow[]
  readonly contractors: readonly ContractorRow[]
}

/** Returns a function that finds the team and companies of a site: the team of its region, or if there are two, the one specialised in its kind of site. */
export function createStaff(organisation: Organisation): (site: SiteRow) => SiteStaff {
  const { regions, teams, people, contractors } = organisation
  const areas = new Map(regions.map((region) => [region.id, region.code]))
  const staffByTeam = new Map<string, SiteStaff>()

  function staffOf(team: TeamRow): SiteStaff {
    const colleagues = people.filter((person) => person.team_id === team.id)
    return {
      area: team.area,
      team,
      lead: defined(
        colleagues.find((person) => person.user_id === team.lead_user_id),
        'a lead is a person of the team',
      ),
      members: colleagues.filter((person) => person.user_id !== team.lead_user_id),
      contractors: contractors.filter((_, index) => CONTRACTORS[index]?.areas.includes(team.area)),
    }
  }

  return (site) => {
    const inArea = teams.filter((team) => team.area === areas.get(site.region_id))
    const special = { treatment_works: 'South treatment', valve_house: 'Central network' }[site.kind as string]
    const team = defined(inArea.find((one) => one.name === special) ?? inArea[0], 'each region has a team')
    const known = staffByTeam.get(team.id)
    if (known) return known
    const staff = staffOf(team)
    staffByTeam.set(team.id, staff)
    return staff
  }
}
