import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { ConsoleError } from './api.ts'

/** Key of the session query, which decides between sign-in and the screens. */
export const SESSION_KEY = ['session']

/** Fetches the session again when a request reports that it has ended. */
function onError(error: unknown): void {
  if (error instanceof ConsoleError && error.status === 401)
    void queryClient.invalidateQueries({ queryKey: SESSION_KEY })
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => (query.queryKey[0] === SESSION_KEY[0] ? undefined : onError(error)),
  }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A refusal stays one; only a server that does not answer is asked again.
      retry: (count, error) => count < 2 && error instanceof ConsoleError && error.status === 0,
    },
  },
})
