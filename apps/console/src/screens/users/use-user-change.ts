import { useMutation, type UseMutationResult } from '@tanstack/react-query'
import { showToast } from '@holdfast/workspace'
import { messageOf, request } from '../../lib/api.ts'
import { queryClient } from '../../lib/query-client.ts'

interface Change {
  readonly target: string
  readonly body?: unknown
}

/** Changes a user, then loads them again. @param done - said on success */
export function useUserChange(id: string, done: string): UseMutationResult<unknown, unknown, Change> {
  return useMutation({
    mutationFn: ({ target, body }: Change) => request(target, { body }),
    onSuccess: async () => {
      showToast({ text: done })
      await Promise.all([
        queryClient.invalidateQueries({ queryKey: ['user', id] }),
        queryClient.invalidateQueries({ queryKey: ['users'] }),
      ])
    },
    onError: (error) => showToast({ text: messageOf(error) }),
  })
}
