import { addDays, dayOf, startOfDay } from '../../lib/fields/dates.ts'

/** From lowest to highest, as Postgres compares them (`holdfast.workspace_role`). */
export const ROLES = ['guest', 'viewer', 'commenter', 'editor', 'admin', 'owner'] as const
export type Role = (typeof ROLES)[number]

/** Whether a role does not exceed another. */
export function isAtMost(role: Role, most: Role): boolean {
  return ROLES.indexOf(role) <= ROLES.indexOf(most)
}

/** Returns the roles that a user with this role may grant. */
export function rolesUpTo(most: Role): readonly Role[] {
  return ROLES.filter((role) => isAtMost(role, most))
}

/** Whether a role may invite and change members. */
export function isAdministering(role: Role): boolean {
  return role === 'admin' || role === 'owner'
}

/** Returns the end of a day in the workspace's time zone, when a guest's access ends; `undefined` without a valid day. */
export function endOfDay(day: string): Date | undefined {
  const at = new Date(startOfDay(addDays(day, 1)).getTime() - 1_000)
  return !Number.isNaN(at.getTime()) && dayOf(at) === day ? at : undefined
}

/** Whether a moment has passed; false without an end. */
export function isPast(at: Date | undefined): boolean {
  return at !== undefined && at < new Date()
}
