import { addDays, dayOf, startOfDay } from '../../lib/fields/dates.ts'

/** From the least to the most, as Postgres compares them (`holdfast.workspace_role`). */
export const ROLES = ['guest', 'viewer', 'commenter', 'editor', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** Whether the first is at most the second. */
export function isAtMost(role: Role, most: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(most)
}

/** What somebody of a role may give, and invite to. */
export function rolesUpTo(most: Role): readonly Role[] {
  return ROLES.filter((role) => isAtMost(role, most))
}

/** Owners and admins invite, and change members. */
export function isAdministering(role: Role): boolean {
  return role === 'admin' || role === 'owner'
}

/** The end of a day by the clocks of the workspace, as the access of a guest ends; `undefined` for no day. */
export function endOfDay(day: string): Date | undefined {
  const at = new Date(startOfDay(addDays(day, 1)).getTime() - 1_000)
  return !Number.isNaN(at.getTime()) && dayOf(at) === day ? at : undefined
}

/** Whether a moment is over; what has no end is not. */
export function isPast(at: Date | undefined): boolean {
  return at !== undefined && at < new Date()
}
