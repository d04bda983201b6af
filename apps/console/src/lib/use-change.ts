import { type QueryKey, useMutation, type UseMutationResult } from '@tanstack/react-query'
import { showToast } from '@holdfast/workspace'
import { messageOf, request } from './api.ts'
import { queryClient } from './query-client.ts'

export interface Change {
  readonly target: string
  readonly body?: unknown
}

/**
 * Sends a change, then loads the queries that it concerns again. A refusal is shown as a toast.
 *
 * @param done - said on success
 */
export function useChange(done: string, concerned: readonly QueryKey[]): UseMutationResult<unknown, unknown, Change> {
  return useMutation({
    mutationFn: ({ target, body }: Change) => request(target, { body }),
    onSuccess: async () => {
      showToast({ text: done })
      await Promise.all(concerned.map((queryKey) => queryClient.invalidateQueries({ queryKey })))
    },
    onError: (error) => showToast({ text: messageOf(error) }),
  })
}
