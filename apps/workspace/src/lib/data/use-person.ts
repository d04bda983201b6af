import { useLocalDatabase, useValue } from '@holdfast/react'
import { useAccounts } from './accounts.ts'
import { nameFromEmail } from './backend.ts'
import { useBackend } from './backend-context.tsx'

/** Returns the user whose data is shown, as remembered by this device. */
export function usePerson(): { readonly name: string; readonly email: string } {
  const { client } = useBackend()
  const { userId } = useLocalDatabase()
  const session = useValue(client.session)
  const account = useAccounts(({ accounts }) => accounts.find((one) => one.userId === userId))
  const email = account?.email ?? ('user' in session ? (session.user.email ?? '') : '')
  return { email, name: account?.name ?? nameFromEmail(email) }
}
