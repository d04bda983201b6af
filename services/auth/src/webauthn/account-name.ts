import type { UserRow } from '../users/user-row.ts'

/** How browsers list what belongs to an account. They refuse an empty name, so a person without address or number is named by their id. */
export function accountName(user: UserRow): { readonly userName: string; readonly displayName: string } {
  const userName = user.email || user.phone || user.id
  const name = user.raw_user_meta_data?.['name']
  return { userName, displayName: typeof name === 'string' && name !== '' ? name : userName }
}
