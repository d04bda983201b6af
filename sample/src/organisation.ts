import { defined } from '@holdfast/foundation'
import type { Calendar } from './calendar.ts'
import { createId, createRandom } from './random.ts'
import type {
  ContractorRow,
  MemberRow,
  PersonRow,
  RegionRow,
  TeamMemberRow,
  TeamRow,
  UserRow,
  WorkspaceRow,
} from './rows.ts'
import { ADMINS, AUDITORS, CERTIFICATIONS, CONTRACTORS, OWNER, TEAMS, WORKSPACE } from './words/people.ts'
import { REGIONS } from './words/places.ts'

export interface Organisation {
  readonly users: readonly UserRow[]
  readonly workspace: WorkspaceRow
  readonly members: readonly MemberRow[]
  readonly regions: readonly RegionRow[]
  readonly teams: readonly TeamRow[]
  readonly teamMembers: readonly TeamMemberRow[]
  readonly contractors: readonly ContractorRow[]
  readonly people: readonly PersonRow[]
}

/** `Dana Okafor` signs in as `dana.okafor@northline.example`. */
export function sampleEmail(name: string): string {
  return `${name.toLowerCase().replaceAll(' ', '.')}@northline.example`
}

/** Returns a user's role in the workspace. Staff change records, auditors comment, contractors are guests. */
function roleOf({ name, kind }: PersonRow): MemberRow['role'] {
  if (name === OWNER) return 'owner'
  if (ADMINS.some((admin) => admin === name)) return 'admin'
  return { employee: 'editor', auditor: 'commenter', contractor: 'guest' }[kind] as MemberRow['role']
}

/** The workspace with its members, regions, teams, companies and the people with their accounts. */
export function generateOrganisation(seed: number, calendar: Calendar): Organisation {
  const random = createRandom(seed, 'organisation')
  const born = { created_at: calendar.moment(-430, 480), updated_at: calendar.moment(-430, 480) }
  const workspace = { id: createId(seed, 'workspaces', 0), ...WORKSPACE, ...born }
  const users: UserRow[] = []
  const people: PersonRow[] = []
  const teamMembers: TeamMemberRow[] = []

  function addPerson(name: string, place: Pick<PersonRow, 'kind' | 'team_id' | 'contractor_id'>): UserRow {
    const user = { id: createId(seed, 'users', users.length), name, email: sampleEmail(name), ...born }
    users.push(user)
    people.push({
      id: createId(seed, 'people', people.length),
      name,
      ...place,
      phone: `+44 191 496 0${random.integer(100, 999)}`,
      certifications: place.kind === 'auditor' ? [] : random.shuffle(CERTIFICATIONS).slice(0, random.integer(1, 3)),
      user_id: user.id,
      ...born,
    })
    return user
  }

  const regions = REGIONS.map(({ name, code }, index) => ({
    id: createId(seed, 'regions', index),
    name,
    code,
    ...born,
  }))
  const teams = TEAMS.map(({ name, color, area, people: names }, index) => {
    const id = createId(seed, 'teams', index)
    const members = names.map((member) => addPerson(member, { kind: 'employee', team_id: id, contractor_id: null }))
    members.forEach((member, place) => {
      teamMembers.push({
        id: createId(seed, 'team_members', teamMembers.length),
        team_id: id,
        user_id: member.id,
        function: place === 0 ? 'lead' : 'member',
        ...born,
      })
    })
    return {
      id,
      workspace_id: workspace.id,
      name,
      color,
      area,
      lead_user_id: defined(members[0], 'a team has a lead').id,
      ...born,
    }
  })
  const contractors = CONTRACTORS.map(({ name, trade, people: names }, index) => {
    const id = createId(seed, 'contractors', index)
    for (const worker of names) addPerson(worker, { kind: 'contractor', team_id: null, contractor_id: id })
    return {
      id,
      name,
      trade,
      contact_email: `office@${name.toLowerCase().replaceAll(/[^a-z]+/g, '-')}.example`,
      phone: `+44 1632 960${random.integer(100, 999)}`,
      insured_until: calendar.day(random.integer(40, 360)),
      ...born,
    }
  })
  for (const auditor of AUDITORS) addPerson(auditor, { kind: 'auditor', team_id: null, contractor_id: null })
  const members = people.map((person, index) => ({
    id: createId(seed, 'members', index),
    workspace_id: workspace.id,
    user_id: person.user_id,
    role: roleOf(person),
    name: person.name,
    ...born,
  }))
  return { users, workspace, members, regions, teams, teamMembers, contractors, people }
}
