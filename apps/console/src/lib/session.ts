import { notifyManager, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { includesRole, type ConsoleSession, type Operator, type OperatorRole } from '@holdfast/protocol'
import { request } from './api.ts'
import { queryClient, SESSION_KEY } from './query-client.ts'

/** Reads the session of this browser. */
export function useSession(): UseQueryResult<ConsoleSession> {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: ({ signal }) => request<ConsoleSession>('GET /session', { signal }),
    staleTime: 60_000,
  })
}

/** The operator of the screens below. Handed down so that a screen never sees the moment in which its session has ended. */
export const OperatorContext = createContext<Operator | undefined>(undefined)

/** Returns the signed-in operator, on screens that need one. */
export function useOperator(): Operator {
  const operator = use(OperatorContext)
  if (!operator) throw new Error('this screen is shown to operators only')
  return operator
}

/** Leads to the sign-in screen, after the server has ended the session. Resolves once the screens are gone. */
export async function leaveSession(): Promise<void> {
  // A fetch that began before would bring the session back.
  await queryClient.cancelQueries({ queryKey: SESSION_KEY })
  queryClient.setQueryData<ConsoleSession>(SESSION_KEY, (session) => {
    if (!session) return session
    const { projectName, hasOperators } = session
    return { projectName, hasOperators, state: 'none' }
  })
  // Observers are notified in order, and render before the next notification.
  await new Promise<void>((resolve) => notifyManager.schedule(resolve))
}

/** Returns whether the operator has a role's rights. */
export function useHasRole(needed: OperatorRole): boolean {
  return includesRole(useOperator().role, needed)
}
