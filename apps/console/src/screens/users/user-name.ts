import type { ListedUser } from '@holdfast/protocol'

/** Returns what a user is called in lists: name, address, or the start of the id. */
export function userNameOf({ id, name, email, phone }: Pick<ListedUser, 'id' | 'name' | 'email' | 'phone'>): string {
  return name || email || phone || `User ${id.slice(0, 8)}`
}
