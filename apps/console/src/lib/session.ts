import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import { includesRole, type ConsoleSession, type Operator, type OperatorRole } from '@holdfast/protocol'
import { request } from './api.ts'
import { SESSION_KEY } from './query-client.ts'

/** Reads the session of this browser. */
export function useSession(): UseQueryResult<ConsoleSession> {
  return useQuery({
    queryKey: SESSION_KEY,
    queryFn: ({ signal }) => request<ConsoleSession>('GET /session', { signal }),
    staleTime: 60_000,
  })
}

/** Returns the signed-in operator, on screens that need one. */
export function useOperator(): Operator {
  const { data } = useSession()
  if (!data?.operator) throw new Error('this screen is shown to operators only')
  return data.operator
}

/** Returns whether the operator has a role's rights. */
export function useHasRole(needed: OperatorRole): boolean {
  return includesRole(useOperator().role, needed)
}
