import { useNavigate } from '@tanstack/react-router'
import { useCallback } from 'react'
import { useBackend } from '../data/backend-context.tsx'
import { ownPath } from './own-path.ts'
import { usePendingPassword } from '../pending-password.ts'

/**
 * Returns where a user continues after signing in: to the second factor if missing, to the form for a new password if requested, otherwise to the requested
 * page.
 */
export function useGoOn(): (redirect: string | undefined) => Promise<void> {
  const { client } = useBackend()
  const navigate = useNavigate()
  return useCallback(
    async (redirect) => {
      const session = client.session.get()
      const { pending } = usePendingPassword.getState()
      const isPending = 'user' in session && pending?.userId === session.user.id
      const target = isPending ? '/recover/new-password' : (ownPath(redirect) ?? '/w')
      if (session.kind === 'second_factor') {
        await navigate({ to: '/sign-in/second-factor', search: { redirect: target }, replace: true })
      } else {
        await navigate({ href: target, replace: true })
      }
    },
    [client, navigate],
  )
}
