import { useHasSynced, useLocalDatabase, useRecords } from '@holdfast/react'
import { useMemo } from 'react'
import type { Workspace } from '../../lib/data/use-workspaces.ts'
import { momentOf } from '../../lib/fields/dates.ts'
import { pageLocale } from '../../lib/language.ts'
import { isAdministering, type Role } from './roles.ts'

export interface Member {
  readonly id: string
  readonly userId: string
  readonly name: string
  readonly role: Role
  readonly isActive: boolean
  /** End of a guest's access. */
  readonly until: Date | undefined
  /** Names of their teams. */
  readonly teams: readonly string[]
  /** Number of records shared with them as a guest. */
  readonly shared: number
}

export interface TeamMember {
  readonly id: string
  readonly userId: string
  readonly function: 'lead' | 'member'
}

export interface Team {
  readonly id: string
  readonly name: string
  /** The whole row, to undo a deletion. */
  readonly row: Readonly<Record<string, string | null>>
  readonly members: readonly TeamMember[]
}

/** The people of a workspace, from this device's data. */
export interface People {
  readonly workspace: Workspace
  readonly members: readonly Member[]
  readonly teams: readonly Team[]
  /** The current user; `undefined` until their row is synced. */
  readonly me: Member | undefined
  /** The user may invite and change members. */
  readonly isAdmin: boolean
  /** The only active owner, who cannot leave. */
  readonly onlyOwner: string | undefined
  readonly isLoading: boolean
}

interface MemberRow {
  readonly id: string
  readonly user_id: string
  readonly role: Role
  readonly name: string
  readonly status: string
  readonly expires_at: string | null
}
type TeamRow = Readonly<Record<'id' | 'name' | 'workspace_id' | 'color', string>> &
  Readonly<Record<'area' | 'lead_user_id', string | null>>
interface TeamMemberRow {
  readonly id: string
  readonly team_id: string
  readonly user_id: string
  readonly function: 'lead' | 'member'
}

export function usePeople(workspace: Workspace): People {
  const { userId } = useLocalDatabase()
  const hasSynced = useHasSynced()
  const of = [workspace.id]
  const { rows: memberRows, isLoading } = useRecords<MemberRow>(
    'select id, user_id, role, name, status, expires_at from hf_members where workspace_id = ?',
    of,
  )
  const { rows: teamRows } = useRecords<TeamRow>(
    'select id, name, workspace_id, color, area, lead_user_id from hf_teams where workspace_id = ?',
    of,
  )
  const { rows: inTeams } = useRecords<TeamMemberRow>(
    `select id, team_id, user_id, function from hf_team_members
      where team_id in (select id from hf_teams where workspace_id = ?)`,
    of,
  )
  const { rows: shares } = useRecords<{ readonly user_id: string; readonly records: number }>(
    'select user_id, count(*) as records from hf_shares where workspace_id = ? group by user_id',
    of,
  )
  return useMemo(() => {
    const teams = byName(teamRows.map((row) => toTeam(row, inTeams)))
    const shared = new Map(shares.map((row) => [row.user_id, row.records]))
    const members = byName(memberRows.map((row) => toMember(row, teams, shared.get(row.user_id) ?? 0)))
    const me = members.find((member) => member.userId === userId)
    const owners = members.filter(({ role, isActive }) => role === 'owner' && isActive)
    return {
      workspace,
      members,
      teams,
      me,
      isAdmin: me !== undefined && me.isActive && isAdministering(me.role),
      onlyOwner: owners.length === 1 ? owners[0]?.id : undefined,
      isLoading: members.length === 0 && (isLoading || !hasSynced),
    }
  }, [workspace, userId, hasSynced, memberRows, teamRows, inTeams, shares, isLoading])
}

function byName<T extends { readonly name: string }>(named: readonly T[]): readonly T[] {
  return named.toSorted((a, b) => a.name.localeCompare(b.name, pageLocale()))
}

function toTeam(row: TeamRow, inTeams: readonly TeamMemberRow[]): Team {
  const { id, ...values } = row
  const members = inTeams
    .filter((one) => one.team_id === id)
    .map((one) => ({ id: one.id, userId: one.user_id, function: one.function }))
  return { id, name: row.name, row: values, members }
}

function toMember(row: MemberRow, teams: readonly Team[], shared: number): Member {
  return {
    id: row.id,
    userId: row.user_id,
    name: row.name,
    role: row.role,
    isActive: row.status === 'active',
    until: row.expires_at === null ? undefined : momentOf(row.expires_at),
    teams: teams.filter(({ members }) => members.some(({ userId }) => userId === row.user_id)).map(({ name }) => name),
    shared,
  }
}
